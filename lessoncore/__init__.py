"""What an LLM token costs: a small model of inference on GPUs, in pure Python.

It knows formulas, hardware and models, and how to show a result as text and pictures. It knows no website,
no browser and no file beyond its own catalogue, and imports only the standard library.
"""

__version__ = "0.1.0"

from lessoncore.respond import respond as respond

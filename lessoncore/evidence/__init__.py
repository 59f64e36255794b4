"""Published measurements, and how far the model is off: for the accuracy page, the playground and the tests alike.

``measurements.csv`` holds the clean ones: their conditions are complete, and what limited them was the hardware rather
than a known fault of an engine or a host. Nothing here is loaded before a page asks for it.
"""

from lessoncore.evidence.accuracy import Accuracy as Accuracy
from lessoncore.evidence.accuracy import accuracy as accuracy
from lessoncore.evidence.accuracy import accuracy_of as accuracy_of
from lessoncore.evidence.effects import EFFECTS as EFFECTS
from lessoncore.evidence.effects import Effect as Effect
from lessoncore.evidence.effects import effect as effect
from lessoncore.evidence.expected import Expected as Expected
from lessoncore.evidence.expected import expected_error as expected_error
from lessoncore.evidence.rows import Row as Row
from lessoncore.evidence.rows import rows as rows

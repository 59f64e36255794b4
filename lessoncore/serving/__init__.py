"""A server with a queue, simulated: from a load and a server to TTFT, TPOT, throughput and goodput.

``simulate(Server(scenario), Load(arrivals, lengths))`` gives a Result; search.py looks for the highest rate and for
the fewest GPUs that keep an SLO. Every pass takes the time that the estimate gives for what is in it. Nothing else in
lessoncore imports this package, so pages without a queue don't load it.
"""

from lessoncore.serving.arrivals import AtOnce, Bursty, ClosedLoop, Poisson, Recorded
from lessoncore.serving.lengths import Empirical, Fixed, Listed, LogNormal
from lessoncore.serving.load import Load
from lessoncore.serving.pasted_requests import parse_lengths, parse_trace
from lessoncore.serving.results import Goodput, Result, Slo
from lessoncore.serving.server import Server
from lessoncore.serving.simulation import simulate, simulating

__all__ = [
    "AtOnce",
    "Bursty",
    "ClosedLoop",
    "Empirical",
    "Fixed",
    "Goodput",
    "Listed",
    "Load",
    "LogNormal",
    "Poisson",
    "Recorded",
    "Result",
    "Server",
    "Slo",
    "parse_lengths",
    "parse_trace",
    "simulate",
    "simulating",
]

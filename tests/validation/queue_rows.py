"""The simulated queue against measured ones: ``python tests/validation/queue_rows.py`` prints every row.

Two kinds of measurements. A closed loop of more and more users on one set-up (CLIFF), whose conditions are known but
for the format of the cache; and servers asked at random (the queue_p99 rows of measurements.csv), of which neither the
lengths of single requests nor the settings of the server were published. What is assumed for them is below.
"""

import sys
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[2]))  # run as a script, it finds lessoncore without installing it

from lessoncore.assumptions import CALIBRATED, Assumptions
from lessoncore.evidence.queue import CLIFF
from lessoncore.evidence.queue import QueueRow as Kept
from lessoncore.evidence.rows import every
from lessoncore.evidence.subjects import gpu, model
from lessoncore.scenario import Scenario
from lessoncore.serving import ClosedLoop, Fixed, Load, LogNormal, Poisson, Result, Server, simulate

# TensorRT-LLM's defaults: prompts and answers share passes, and a request is let in when its whole answer fits. The
# cache is taken to be in fp8, its default for weights in fp8: in bf16 half as many requests would be in flight as were.
CLIFF_SERVER = Server(
    Scenario(gpu="h100-sxm", model="llama-3.1-70b", gpus=2, weights="fp8", maths="fp8", kv="fp8"),
    chunked=True,
    reserves_answers=True,
)


def cliff(users: int, assumptions: Assumptions = CALIBRATED) -> Result:
    """The closed loop, simulated."""
    load = Load(ClosedLoop(users), Fixed(5000, 500), requests=max(200, 6 * users))
    return simulate(CLIFF_SERVER, load, assumptions)


# The servers of the rows. SGLang reads prompts in passes of their own, vLLM 0.20 together with answers. Of the latter's
# batch limit only its effect is published: from 25 requests a second on TPOT stays at 22 ms, as with 128 at a time.
_SERVERS = {"SGLang": {"batch_limit": 512}, "vLLM": {"batch_limit": 128, "chunked": True}}
# ShareGPT conversations, cut at 512 tokens of answer: the means are the rows' own, the variations a guess.
_LENGTHS = LogNormal(prompt=236, output=345, prompt_variation=1.0, output_variation=0.5, longest_output=512)
_SEEDS = (1, 2, 3)  # runs of 300 requests are short: the median of three, as the benchmark takes it


class QueueRow(Kept):
    """A measured percentile of a queue, and the simulation of it."""

    def simulated_s(self, assumptions: Assumptions = CALIBRATED) -> float:
        """What the simulation says to it."""
        kind, place = self.fields["metric"].lower(), self.fields["stat"]
        return median(getattr(getattr(result, kind), place).value_s for result in self._results(assumptions))

    def queue_error(self, assumptions: Assumptions = CALIBRATED) -> float:
        """By what share the simulated time is off; negative when the simulation is too fast."""
        return self.simulated_s(assumptions) / self.measured_s - 1

    def _results(self, assumptions: Assumptions) -> list[Result]:
        f = self.fields
        key = (f["engine"], f["gpu"], self.rate, assumptions.key)
        if key not in _DONE:
            server = Server(Scenario(gpu=gpu(f["gpu"]), model=model(f["model"]), gpus=int(f["tp"]))).but(
                **_SERVERS[f["engine"]]
            )
            _DONE[key] = [
                simulate(server, Load(Poisson(self.rate), _LENGTHS, requests=300, seed=seed, left_out=0), assumptions)
                for seed in _SEEDS
            ]
        return _DONE[key]


_DONE: dict[tuple[str, str, float, str], list[Result]] = {}


def queue_rows() -> list[QueueRow]:
    """The measured percentiles."""
    return [QueueRow(fields) for fields in every() if fields["validates"] == "queue_p99"]


def main() -> None:
    """Print everything."""
    print("closed loop      TTFT measured simulated  error    TPOT measured simulated  error    tokens/s  error")
    for users, (ttft, tpot, rate) in CLIFF.items():
        r = cliff(users)
        of_tpot = (
            f"{tpot * 1e3:10.1f} {r.tpot.mean_s * 1e3:9.1f} {r.tpot.mean_s / tpot - 1:+6.0%}" if tpot else " " * 27
        )
        print(
            f"{users:5} users {ttft:16.2f} {r.ttft.mean_s:9.2f} {r.ttft.mean_s / ttft - 1:+6.0%}      {of_tpot}"
            f"   {rate:11.0f} {r.tokens_per_s / rate - 1:+6.0%}"
        )
    for row in queue_rows():
        print(
            f"{row.id} {row.name:32} {row.measured_s * 1e3:9.1f} ms measured, "
            f"{row.simulated_s() * 1e3:9.1f} ms simulated, {row.queue_error():+7.0%}"
        )


if __name__ == "__main__":
    main()

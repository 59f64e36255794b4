"""What training costs: arithmetic, memory, time and money, for plain data-parallel training with everything sharded."""

from functools import cached_property

from lessoncore.architecture import Architecture, attention_width
from lessoncore.assumptions import TEXTBOOK, Assumptions
from lessoncore.errors import LessonError, unknown
from lessoncore.formula import Quantity, formula, quantity
from lessoncore.hardware import Gpu
from lessoncore.parallel import all_reduce_time, latency_over_the_link
from lessoncore.record import Record
from lessoncore.roofline import compute_time, memory_time

# Longer than any model's context: a slip.
_LONGEST_SEQUENCE = 2**24
# What is computed a second time in the backward pass instead of being kept.
RECOMPUTES = ("nothing", "attention", "everything")


# Arithmetic.


@formula("6 · {active_parameters}")
def training_flops(active_parameters: float) -> float:
    """Work of a token's forward and backward pass without attention (FLOP).

    Two for each weight forwards, four backwards: for the gradient of the weights and that of what went in.
    Source: arXiv 2001.08361, section 2.1.

    >>> f"{training_flops(active_parameters=8_030_261_248) * 15e12:.3g}"  # 15 trillion tokens on Llama 3.1 8B
    '7.23e+23'
    """
    return 6 * active_parameters


@formula("6 · {attention_width} · {sequence}")
def training_attention_flops(attention_width: float, sequence: float) -> float:
    """Work of a token's attention, forwards and backwards (FLOP), the causal half only.

    Three times that of inference: 2 · W · n for a token on average, and twice that backwards.

    Source: arXiv 2307.08691, section 4.1.

    >>> f"{training_attention_flops(attention_width=131072, sequence=8192):.3g}"
    '6.44e+09'
    """
    return 6 * attention_width * sequence


@formula("{tokens} · {flops_per_token}")
def run_flops(tokens: float, flops_per_token: float) -> float:
    """Work of a whole training run (FLOP).

    Source: by definition.

    >>> f"{run_flops(tokens=15e12, flops_per_token=48.2e9):.3g}"
    '7.23e+23'
    """
    return tokens * flops_per_token


# Memory.


@formula("2 · {parameters}")
def half_precision_bytes(parameters: float) -> float:
    """Bytes of bf16 weights, and as many of bf16 gradients (B).

    Source: arXiv 1910.02054, section 3.1.

    >>> half_precision_bytes(parameters=8e9)
    16000000000.0
    """
    return 2 * parameters


@formula("4 · {parameters}")
def single_precision_bytes(parameters: float) -> float:
    """Bytes of an fp32 copy of the weights, and as many of each of Adam's two moments (B).

    Source: arXiv 1910.02054, section 3.1.

    >>> single_precision_bytes(parameters=8e9)
    32000000000.0
    """
    return 4 * parameters


@formula("{weight_bytes} + {gradient_bytes} + {master_bytes} + {first_moment_bytes} + {second_moment_bytes}")
def state_bytes(
    weight_bytes: float,
    gradient_bytes: float,
    master_bytes: float,
    first_moment_bytes: float,
    second_moment_bytes: float,
) -> float:
    """Bytes that a model takes while it is trained, activations apart (B): 16 for each parameter.

    bf16 weights and gradients (2 + 2), fp32 master weights and two Adam moments (4 + 4 + 4). Source: arXiv
    1910.02054 (ZeRO), section 3.1.

    >>> state_bytes(2, 2, 4, 4, 4)
    16
    """
    return weight_bytes + gradient_bytes + master_bytes + first_moment_bytes + second_moment_bytes


@formula("{kept_states} · {layers} · {hidden_size} · {bytes_per_activation} · {tokens}")
def training_activation_bytes(
    kept_states: float, layers: float, hidden_size: float, bytes_per_activation: float, tokens: float
) -> float:
    """Bytes of activations that ``tokens`` tokens keep for the backward pass (B).

    Seventeen hidden states a layer and token when only attention is computed again, one when everything is (34 and
    2 bytes). The head's scores and the weights gathered for one layer are left out.

    Source: arXiv 2205.05198, sections 4.1 and 5.

    >>> round(training_activation_bytes(17, 32, 4096, 2, tokens=16384) / 1e9, 1)
    73.0
    """
    return kept_states * layers * hidden_size * bytes_per_activation * tokens


@formula("{training_state_bytes} / {all_gpus} + {training_activation_bytes} / {gpus}")
def training_gpu_bytes(
    training_state_bytes: float, all_gpus: float, training_activation_bytes: float, gpus: float
) -> float:
    """Bytes on each GPU when weights, gradients and optimiser are sharded over all of them (B).

    Source: arXiv 1910.02054, section 5.

    >>> training_gpu_bytes(128e9, all_gpus=8, training_activation_bytes=73e9, gpus=1) / 1e9
    89.0
    """
    return training_state_bytes / all_gpus + training_activation_bytes / gpus


# Time.


@formula("{training_efficiency} · {peak_flops} / {flops_per_token}")
def rate_at_a_share(training_efficiency: float, peak_flops: float, flops_per_token: float) -> float:
    """Tokens that a GPU trains on in a second at a stated share of its peak, the MFU (tokens/s).

    Source: arXiv 2204.02311, appendix B.

    >>> round(rate_at_a_share(0.40, 989.4e12, flops_per_token=48.18e9))
    8214
    """
    return training_efficiency * peak_flops / flops_per_token


@formula("{tokens} · {flops_per_token} · {recomputed}")
def step_flops(tokens: float, flops_per_token: float, recomputed: float) -> float:
    """Work of a step (FLOP); what is computed again in the backward pass adds a third.

    Source: arXiv 2205.05198, section 5.

    >>> f"{step_flops(tokens=16384, flops_per_token=45e9, recomputed=4 / 3):.3g}"
    '9.83e+14'
    """
    return tokens * flops_per_token * recomputed


@formula("{tokens} · {training_traffic} · {layers} · {hidden_size} · {bytes_per_activation} · {recomputed}")
def step_traffic(
    tokens: float,
    training_traffic: float,
    layers: float,
    hidden_size: float,
    bytes_per_activation: float,
    recomputed: float,
) -> float:
    """Bytes that a step moves between its matrix products (B): norms, activations, residuals and their gradients.

    Source: first principles; the hidden states are fitted (tests/validation).

    >>> f"{step_traffic(16384, 170, 32, 4096, 2, recomputed=1):.3g}"
    '7.3e+11'
    """
    return tokens * training_traffic * layers * hidden_size * bytes_per_activation * recomputed


@formula("3 · 2 · {parameters} / {gpus} / ({sharding_efficiency} · {link_bandwidth})")
def sharding_time(parameters: float, gpus: float, sharding_efficiency: float, link_bandwidth: float) -> float:
    """Time of a step for gathering bf16 weights twice and scattering gradients once (s), while GPUs wait.

    Source: arXiv 1910.02054 (ZeRO), section 7.2.2: three times the model a step.

    >>> round(sharding_time(8e9, gpus=1, sharding_efficiency=0.57, link_bandwidth=450e9), 3)
    0.187
    """
    return 3 * 2 * parameters / gpus / (sharding_efficiency * link_bandwidth)


@formula("{all_reduces} · {all_reduce_s}")
def training_communication(all_reduces: float, all_reduce_s: float) -> float:
    """Time of a step for all-reduces among the GPUs that share a copy (s).

    Source: by definition.

    >>> training_communication(all_reduces=480, all_reduce_s=0.001)
    0.48
    """
    return all_reduces * all_reduce_s


@formula("{products_s} + {attention_s} + {memory_s} + {sharding_s} + {communication_s}")
def step_time(
    products_s: float, attention_s: float, memory_s: float, sharding_s: float, communication_s: float
) -> float:
    """Time of a step (s): nothing of it overlaps.

    Source: first principles: one after the other.

    >>> round(step_time(1.0, 0.2, 0.3, 0.1, 0.0), 1)
    1.6
    """
    return products_s + attention_s + memory_s + sharding_s + communication_s


@formula("{tokens} / ({step_s} · {gpus})")
def rate_of_steps(tokens: float, step_s: float, gpus: float) -> float:
    """Tokens that a GPU trains on in a second (tokens/s).

    Source: by definition.

    >>> rate_of_steps(tokens=16384, step_s=2.0, gpus=1)
    8192.0
    """
    return tokens / (step_s * gpus)


@formula("{training_rate} · {flops_per_token} / {peak_flops}")
def share_of_peak(training_rate: float, flops_per_token: float, peak_flops: float) -> float:
    """The MFU: share of the peak that the work without recomputation makes up.

    Source: arXiv 2204.02311, appendix B.

    >>> round(share_of_peak(8214, flops_per_token=48.18e9, peak_flops=989.4e12), 2)
    0.4
    """
    return training_rate * flops_per_token / peak_flops


@formula("{tokens} / (3600 · {training_rate})")
def gpu_hours(tokens: float, training_rate: float) -> float:
    """Hours of one GPU that a run takes (GPU-h).

    Source: by definition.

    >>> round(gpu_hours(tokens=15e12, training_rate=8214))
    507264
    """
    return tokens / training_rate / 3600


@formula("{gpu_hours} / {all_gpus} · 3600")
def run_time(gpu_hours: float, all_gpus: float) -> float:
    """Time of a run on all its GPUs (s).

    Source: by definition.

    >>> run_time(gpu_hours=1000, all_gpus=100) / 3600
    10.0
    """
    return gpu_hours / all_gpus * 3600


@formula("{gpu_hours} · {price}")
def run_cost(gpu_hours: float, price: float) -> float:
    """Price of a run (USD).

    Source: by definition.

    >>> run_cost(gpu_hours=507_264, price=2.0)
    1014528.0
    """
    return gpu_hours * price


class Training(Record):
    """A training run: ``tokens`` tokens in sequences of ``sequence``, ``micro_batch`` of them at a time.

    ``all_gpus`` train; ``gpus`` of them share each layer (tensor parallel) and work on the same micro-batch: no more
    than the link joins, and the query heads must divide evenly. The ``all_gpus`` are taken to be joined by the same
    link; that between machines it is slower is left out.
    ``recompute`` is what the backward pass computes again instead of keeping it: one of RECOMPUTES. ``price`` is
    in US dollars for a GPU and hour; 0 stands for the middle of the catalogue's range.
    """

    gpu: str | Gpu = "h100-sxm"
    model: str | Architecture = "llama-3.1-8b"
    all_gpus: int = 8
    gpus: int = 1
    tokens: float = 15e12
    sequence: int = 8192
    micro_batch: int = 1
    recompute: str = "attention"
    price: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what can't be."""
        for name, low, high in (
            ("all_gpus", 1, 1_000_000),
            ("gpus", 1, 1_000_000),
            ("sequence", 1, _LONGEST_SEQUENCE),
            ("micro_batch", 1, 1_000_000),
            ("tokens", 1, 1e18),
            ("price", 0, 1_000_000),
        ):
            value = getattr(self, name)
            fractions = name in ("tokens", "price")
            if isinstance(value, bool) or not isinstance(value, (int, float) if fractions else int):
                raise LessonError(
                    f"Training: {name} must be a {'' if fractions else 'whole '}number, but is {value!r}."
                )
            if not low <= value <= high:
                raise LessonError(f"Training: {name} must be from {low} to {high:,}, but is {value!r}.")
        if self.recompute not in RECOMPUTES:
            raise unknown("recomputation", self.recompute, list(RECOMPUTES))
        self.hardware.check_shared_by(self.gpus, self.architecture.heads, self.architecture.label)
        if self.all_gpus % self.gpus:
            raise LessonError(f"Training: groups of {self.gpus} GPUs can't make up {self.all_gpus} GPUs.")
        if self.all_gpus > 1 and not self.hardware.link_bandwidth:
            raise LessonError(f"{self.hardware.label} has no link between GPUs in the catalogue; use 1 GPU.")

    @property
    def hardware(self) -> Gpu:
        """The GPU."""
        from lessoncore.catalogue import gpu

        return self.gpu if isinstance(self.gpu, Gpu) else gpu(self.gpu)

    @property
    def architecture(self) -> Architecture:
        """The model."""
        from lessoncore.catalogue import model

        return self.model if isinstance(self.model, Architecture) else model(self.model)


class TrainingEstimate:
    """Everything the model says about a training run. Times in seconds, sizes in bytes, money in US dollars."""

    def __init__(self, run: Training, assumptions: Assumptions) -> None:
        self.run = run
        self.assumptions = assumptions
        gpu, model = run.hardware, run.architecture
        self._gpu, self._model = gpu, model
        self._gpus = self._asked("gpus", run.gpus)
        self._all_gpus = self._asked("all_gpus", run.all_gpus)
        self._layers = Quantity(model.layers, "layers", model.source)
        self._hidden_size = Quantity(model.hidden_size, "hidden_size", model.source)
        self._peak_flops = Quantity(gpu.peak("bf16"), "peak_flops", gpu.source)
        self._two_bytes = Quantity(2, "bytes_per_activation", "bf16 activations")
        self._parameters = Quantity(model.parameters.total, "parameters", f"counted from {model.source}")

    @staticmethod
    def _asked(symbol: str, value: float) -> Quantity:
        return Quantity(value, symbol, "the training run")

    def _assumed(self, symbol: str, value: float) -> Quantity:
        return Quantity(value, symbol, self.assumptions.reason(symbol))

    # Arithmetic.

    @cached_property
    def _active_parameters(self) -> Quantity:
        active = self._model.active_parameters
        skipped = active.embedding if self.assumptions.skips_idle_parameters else 0
        return Quantity(active.total - skipped, "active_parameters", f"counted from {self._model.source}")

    @cached_property
    def flops_per_token(self) -> Quantity:
        """Work of a token, attention apart."""
        return quantity("flops_per_token", training_flops, active_parameters=self._active_parameters)

    @cached_property
    def attention_flops_per_token(self) -> Quantity:
        """Work of a token's attention."""
        model = self._model
        if not model.uniform_attention:
            mean = 3 * model.attention_flops(self.run.sequence) / self.run.sequence
            return Quantity(mean, "flops_per_token", f"summed over the layers of {model.source}")
        width = quantity(
            "attention_width",
            attention_width,
            layers=self._layers,
            heads=Quantity(model.heads, "heads", model.source),
            head_dim=Quantity(model.head_dim, "head_dim", model.source),
        )
        return quantity(
            "attention_flops_per_token",
            training_attention_flops,
            attention_width=width,
            sequence=self._asked("sequence", self.run.sequence),
        )

    @cached_property
    def flops(self) -> Quantity:
        """Work of the whole run, attention and recomputation apart."""
        return quantity("run_flops", run_flops, tokens=self._tokens, flops_per_token=self.flops_per_token)

    # Memory.

    @cached_property
    def weight_bytes(self) -> Quantity:
        """Weights in bf16."""
        return quantity("weight_bytes", half_precision_bytes, parameters=self._parameters)

    @cached_property
    def gradient_bytes(self) -> Quantity:
        """Gradients in bf16."""
        return quantity("gradient_bytes", half_precision_bytes, parameters=self._parameters)

    @cached_property
    def master_bytes(self) -> Quantity:
        """Weights in fp32."""
        return quantity("master_bytes", single_precision_bytes, parameters=self._parameters)

    @cached_property
    def first_moment_bytes(self) -> Quantity:
        """Adam's mean of the gradients in fp32."""
        return quantity("first_moment_bytes", single_precision_bytes, parameters=self._parameters)

    @cached_property
    def second_moment_bytes(self) -> Quantity:
        """Adam's mean of their squares in fp32."""
        return quantity("second_moment_bytes", single_precision_bytes, parameters=self._parameters)

    @cached_property
    def state_bytes(self) -> Quantity:
        """All of these, over all GPUs: 16 bytes a parameter."""
        names = ("weight_bytes", "gradient_bytes", "master_bytes", "first_moment_bytes", "second_moment_bytes")
        return quantity("training_state_bytes", state_bytes, **{name: getattr(self, name) for name in names})

    @cached_property
    def activation_bytes(self) -> Quantity:
        """Activations of one micro-batch."""
        kept = {"nothing": 17.0, "attention": 17.0, "everything": 1.0}[self.run.recompute]
        return quantity(
            "training_activation_bytes",
            training_activation_bytes,
            kept_states=Quantity(kept, "kept_states", "arXiv 2205.05198, with fused attention"),
            layers=self._layers,
            hidden_size=self._hidden_size,
            bytes_per_activation=self._two_bytes,
            tokens=self._step_tokens,
        )

    @cached_property
    def gpu_bytes(self) -> Quantity:
        """What is on each GPU."""
        return quantity(
            "training_gpu_bytes",
            training_gpu_bytes,
            training_state_bytes=self.state_bytes,
            all_gpus=self._all_gpus,
            training_activation_bytes=self.activation_bytes,
            gpus=self._gpus,
        )

    @property
    def fits(self) -> bool:
        """Whether it fits into the share of a GPU's memory that may be used."""
        return self.gpu_bytes.value <= self.assumptions.usable_share * self._gpu.memory_bytes

    # Time.

    @cached_property
    def _tokens(self) -> Quantity:
        return self._asked("training_tokens", self.run.tokens)

    @cached_property
    def _step_tokens(self) -> Quantity:
        return self._asked("tokens", self.run.micro_batch * self.run.sequence)

    @cached_property
    def training_rate(self) -> Quantity:
        """Tokens that each GPU trains on in a second."""
        if not self.assumptions.training_efficiency:
            return quantity(
                "training_rate", rate_of_steps, tokens=self._step_tokens, step_s=self.step_s, gpus=self._gpus
            )
        return quantity(
            "training_rate",
            rate_at_a_share,
            training_efficiency=self._assumed("training_efficiency", self.assumptions.training_efficiency),
            peak_flops=self._peak_flops,
            flops_per_token=self.flops_per_token,
        )

    @cached_property
    def step_s(self) -> Quantity:
        """Time of forward and backward pass of a micro-batch, from the terms of the assumptions."""
        return quantity(
            "step_s",
            step_time,
            products_s=self._arithmetic("products_s", self.flops_per_token, "everything"),
            attention_s=self._arithmetic("attention_s", self.attention_flops_per_token, "attention", "everything"),
            memory_s=self._traffic_time(),
            sharding_s=self._sharding_time(),
            communication_s=self._communication(),
        )

    @cached_property
    def mfu(self) -> Quantity:
        """Share of the peak that the arithmetic makes up, attention and recomputation apart."""
        return quantity(
            "mfu",
            share_of_peak,
            training_rate=self.training_rate,
            flops_per_token=self.flops_per_token,
            peak_flops=self._peak_flops,
        )

    def _arithmetic(self, symbol: str, flops_per_token: Quantity, *recomputed_with: str) -> Quantity:
        share = "attention_efficiency" if symbol == "attention_s" else "compute_efficiency"
        return quantity(
            symbol,
            compute_time,
            flops=quantity(
                "step_flops",
                step_flops,
                tokens=self._step_tokens,
                flops_per_token=flops_per_token,
                recomputed=self._recomputed(*recomputed_with),
            ),
            gpus=self._gpus,
            compute_efficiency=self._assumed(
                share, getattr(self.assumptions, share) or self.assumptions.compute_efficiency
            ),
            peak_flops=self._peak_flops,
        )

    def _recomputed(self, *when: str) -> Quantity:
        again = self.run.recompute in when
        return Quantity(4 / 3 if again else 1, "recomputed", f"{self.run.recompute} is computed again")

    def _traffic_time(self) -> Quantity:
        traffic = quantity(
            "bytes_moved",
            step_traffic,
            tokens=self._step_tokens,
            training_traffic=self._assumed("training_traffic", self.assumptions.training_traffic),
            layers=self._layers,
            hidden_size=self._hidden_size,
            bytes_per_activation=self._two_bytes,
            recomputed=self._recomputed("everything"),
        )
        return quantity(
            "memory_s",
            memory_time,
            bytes_moved=traffic,
            gpus=self._gpus,
            memory_efficiency=self._assumed("memory_efficiency", self.assumptions.memory_efficiency),
            bandwidth=Quantity(self._gpu.bandwidth, "bandwidth", self._gpu.source),
        )

    @cached_property
    def _link_bandwidth(self) -> Quantity:
        return Quantity(self._gpu.link_bandwidth, "link_bandwidth", self._gpu.source)

    def _sharding_time(self) -> Quantity:
        if self.run.all_gpus == self.run.gpus:
            return Quantity(0, "sharding_s", "nothing is sharded")
        return quantity(
            "sharding_s",
            sharding_time,
            parameters=self._parameters,
            gpus=self._gpus,
            sharding_efficiency=self._assumed("sharding_efficiency", self.assumptions.sharding_efficiency),
            link_bandwidth=self._link_bandwidth,
        )

    def _communication(self) -> Quantity:
        if self.run.gpus == 1:
            return Quantity(0, "communication_s", "no GPUs share a layer")
        moved = self._step_tokens.value * self._model.hidden_size * 2
        one = quantity(
            "all_reduce_s",
            all_reduce_time,
            all_reduce_latency_s=latency_over_the_link(self.assumptions, self._gpu, self._gpus),
            gpus=self._gpus,
            all_reduce_bytes=Quantity(moved, "all_reduce_bytes", "the hidden state of each token in bf16"),
            link_efficiency=self._assumed("link_efficiency", self.assumptions.link_efficiency),
            link_bandwidth=self._link_bandwidth,
        )
        passes = 3 if self.run.recompute == "everything" else 2
        times = Quantity(
            passes * self._model.all_reduces, "all_reduces", f"after each attention and MLP, in {passes} passes"
        )
        return quantity("communication_s", training_communication, all_reduces=times, all_reduce_s=one)

    # The run.

    @cached_property
    def gpu_hours(self) -> Quantity:
        """Hours of one GPU that the run takes."""
        return quantity("gpu_hours", gpu_hours, tokens=self._tokens, training_rate=self.training_rate)

    @cached_property
    def run_s(self) -> Quantity:
        """Time of the run on all its GPUs."""
        return quantity("run_s", run_time, gpu_hours=self.gpu_hours, all_gpus=self._all_gpus)

    @cached_property
    def price(self) -> Quantity | None:
        """Price of a GPU hour: the run's, else the middle of the catalogue's range, else nothing."""
        from lessoncore.price import price_of

        return price_of(self._gpu, self.run.price, "the training run")

    @cached_property
    def cost(self) -> Quantity | None:
        """Price of the run; nothing where no price is known."""
        return self.price and quantity("run_cost", run_cost, gpu_hours=self.gpu_hours, price=self.price)


def training(run: Training, assumptions: Assumptions = TEXTBOOK) -> TrainingEstimate:
    """Estimate a training run.

    >>> t = training(Training(tokens=15e12))  # Llama 3.1 8B on H100s
    >>> t.state_bytes, t.flops, round(t.gpu_hours.value, -3)
    (Quantity(training_state_bytes=128.5\xa0GB), Quantity(run_flops=7.227\xa0×\xa010²³\xa0FLOP), 507000.0)
    """
    return TrainingEstimate(run, assumptions)

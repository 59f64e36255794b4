"""What tokens cost, in money and in energy; input and output apart."""

from math import floor

from lessoncore.formula import Quantity, formula, quantity
from lessoncore.hardware import Gpu


@formula("⌊10 · ({price_low} + {price_high}) + 0.5⌋ / 20")
def middle_price(price_low: float, price_high: float) -> float:
    """The middle of the range of prices for a GPU hour, to the nearest 5 cents (USD/h).

    The range isn't known more closely, and so a price that is shown is the price that is used. Source: by definition.

    >>> middle_price(price_low=1.99, price_high=5.0)
    3.5
    """
    return floor(10 * (price_low + price_high) + 0.5) / 20


@formula("10⁶ · {gpus} · {price} · {prefill_share_s} / (3600 · {prompt})")
def input_cost(gpus: float, price: float, prefill_share_s: float, prompt: float) -> float:
    """Price of a million prompt tokens (USD): the GPUs' time for a request's prefill, spread over its prompt.

    A cached prefix makes them cheaper, as it is part of the prompt but not of the work.

    Source: by definition.

    >>> round(input_cost(gpus=1, price=3.6, prefill_share_s=0.056, prompt=2000), 4)
    0.028
    """
    return 1e6 * gpus * price / 3600 * prefill_share_s / prompt


@formula("10⁶ · {gpus} · {price} · {tpot_s} / (3600 · {batch})")
def output_cost(gpus: float, price: float, tpot_s: float, batch: float) -> float:
    """Price of a million answer tokens (USD): the GPUs' time for a decode pass, spread over the batch.

    Source: by definition.

    >>> round(output_cost(gpus=1, price=3.6, tpot_s=0.0061, batch=1), 2)
    6.1
    """
    return 1e6 * gpus * price / 3600 * tpot_s / batch


@formula("({prompt} · {input_cost} + {output} · {output_cost}) / 10⁶")
def request_cost(prompt: float, input_cost: float, output: float, output_cost: float) -> float:
    """Price of one request (USD).

    Source: by definition.

    >>> round(request_cost(prompt=2000, input_cost=0.028, output=500, output_cost=6.1), 5)
    0.00311
    """
    return (prompt * input_cost + output * output_cost) / 1e6


@formula("{replicas} · {gpus} · {price}")
def fleet_price(replicas: float, gpus: float, price: float) -> float:
    """Price of an hour of all GPUs (USD/h).

    Source: by definition.

    >>> fleet_price(replicas=3, gpus=4, price=2.5)
    30.0
    """
    return replicas * gpus * price


@formula("{gpus} · {board_power} · {prefill_share_s} / {prompt}")
def input_energy(gpus: float, board_power: float, prefill_share_s: float, prompt: float) -> float:
    """Energy for a prompt token (J) if the boards draw their limit: an upper bound, hosts and cooling left out.

    Prefill comes near the limit.

    Source: the board's power limit times the time.

    >>> round(input_energy(gpus=1, board_power=700, prefill_share_s=0.056, prompt=2000), 4)
    0.0196
    """
    return gpus * board_power * prefill_share_s / prompt


@formula("{gpus} · {board_power} · {tpot_s} / {batch}")
def output_energy(gpus: float, board_power: float, tpot_s: float, batch: float) -> float:
    """Energy for an answer token (J) if the boards draw their limit: an upper bound.

    Waiting for memory, a board draws less than its limit. Hosts and cooling are left out.

    Source: the board's power limit times the time.

    >>> round(output_energy(gpus=1, board_power=700, tpot_s=0.0061, batch=1), 2)
    4.27
    """
    return gpus * board_power * tpot_s / batch


def price_of(gpu: Gpu, chosen: float, who: str) -> Quantity | None:
    """Price of a GPU hour: the one ``who`` chose, else the middle of the catalogue's range, else nothing.

    Whoever chooses just that middle has it with its source. Where sources give only the lower end, that is all there
    is.
    """
    middle = _middle_of(gpu)
    if chosen and not (middle and middle.value == chosen):
        return Quantity(chosen, "price", who)
    return middle


def _middle_of(gpu: Gpu) -> Quantity | None:
    if not gpu.price_low:
        return None
    source = f"{gpu.price_source}, {gpu.price_month}"
    if not gpu.price_high:
        return Quantity(gpu.price_low, "price", source)
    return quantity(
        "price",
        middle_price,
        price_low=Quantity(gpu.price_low, "price_low", source),
        price_high=Quantity(gpu.price_high, "price_high", source),
    )

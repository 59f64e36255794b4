"""Formulas that remember themselves.

A formula of the model is a plain function of floats with a template of how it is written. Calling it
through ``quantity`` gives the number together with the function and the inputs it came from, so that
"where does this number come from?" has one answer that can't drift away from the number: both are
the same call.
"""

from collections.abc import Callable, Iterator

from lessoncore.symbols import SYMBOLS, Symbol
from lessoncore.units import show


class Quantity:
    """A number of the model with where it comes from.

    ``symbol`` is a key of SYMBOLS (its unit is the number's unit). A computed quantity has ``function`` and
    ``inputs``; a given one has ``source`` instead: a datasheet, a config.json, the reader.
    """

    __slots__ = ("function", "inputs", "source", "symbol", "value")

    def __init__(
        self,
        value: float,
        symbol: str,
        source: str = "",
        function: Callable[..., float] | None = None,
        inputs: "dict[str, Quantity] | None" = None,
    ) -> None:
        self.value = value
        self.symbol = symbol
        self.source = source
        self.function = function
        self.inputs = inputs or {}

    def __repr__(self) -> str:
        return f"Quantity({self.symbol}={self.text()})"

    @property
    def meaning(self) -> Symbol:
        """The entry of the glossary: letter, words, unit, concept."""
        return SYMBOLS[self.symbol]

    def text(self, digits: int = 4) -> str:
        """The number as a reader sees it, with its unit."""
        return str(show(self.value, self.meaning.unit, digits))

    def recomputed(self) -> float:
        """Compute the value again from the inputs, all the way down; a given quantity is its own value."""
        if self.function is None:
            return self.value
        return self.function(**{name: q.recomputed() for name, q in self.inputs.items()})

    def steps(self, counted: bool = True) -> "Iterator[Quantity]":
        """The computed quantities that lead here, each once, inputs before what uses them.

        Without ``counted`` those that are Counted are taken as they are, like what is given.
        """
        seen: set[int] = set()
        yield from self._walk(seen, True, counted)

    def givens(self, counted: bool = True) -> "Iterator[Quantity]":
        """The given quantities at the bottom, each once; without ``counted`` those that are Counted as well."""
        seen: set[int] = set()
        yield from self._walk(seen, False, counted)

    def _walk(self, seen: set[int], computed: bool, counted: bool) -> "Iterator[Quantity]":
        if id(self) in seen:
            return
        seen.add(id(self))
        for q in self.inputs.values():
            if counted or not isinstance(q, Counted):
                yield from q._walk(seen, computed, counted)
            elif not computed and id(q) not in seen:
                seen.add(id(q))
                yield q
        if (self.function is not None) == computed:
            yield self


class Counted(Quantity):
    """A number that follows from a model's config.json alone, and is known before the way to it is worked out.

    ``way`` gives that way when somebody asks for it: a page that shows the number alone needn't wait for it.
    """

    __slots__ = ("_found", "_way")

    def __init__(self, value: float, symbol: str, source: str, way: Callable[[], Quantity]) -> None:
        self.value = value
        self.symbol = symbol
        self.source = source
        self._way = way
        self._found: Quantity | None = None

    def _derived(self) -> Quantity:
        if self._found is None:
            self._found = self._way()
        return self._found

    @property
    def function(self) -> Callable[..., float] | None:  # type: ignore[override]
        """The formula at the end of the way."""
        return self._derived().function

    @property
    def inputs(self) -> dict[str, Quantity]:  # type: ignore[override]
        """What goes into it."""
        return self._derived().inputs


def formula[F: Callable[..., float]](template: str) -> Callable[[F], F]:
    """Mark a function as a formula, written as ``template`` with its parameters in braces.

    >>> @formula("2 · {parameters} · {tokens}")
    ... def projection_flops(parameters: float, tokens: float) -> float:
    ...     return 2 * parameters * tokens
    >>> projection_flops(8e9, 2000)
    32000000000000.0
    """

    def mark(function: F) -> F:
        function.template = template  # type: ignore[attr-defined]
        return function

    return mark


def quantity(symbol: str, function: Callable[..., float], /, **inputs: Quantity) -> Quantity:
    """Call a formula on quantities and keep how the result came about."""
    value = function(**{name: q.value for name, q in inputs.items()})
    return Quantity(value, symbol, function=function, inputs=inputs)

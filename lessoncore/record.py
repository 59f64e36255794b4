"""Records: immutable values with named fields, as frozen dataclasses are, but cheap to define.

The standard library writes the methods of a dataclass or a NamedTuple as text and compiles it. In a browser that
wakes Python's compiler, and took more time than the rest of importing lessoncore together. A record's methods are
these here, for all of them. Classes that only a later page needs may well be dataclasses.
"""

from typing import Any, Self, dataclass_transform


@dataclass_transform(frozen_default=True)
class Record:
    """Base of a record: its annotated names are its fields, in their order, with what they are set to as defaults.

    Records of one class are equal when their fields are; with ``eq=False`` in the class line only the same one is.
    ``copy.replace`` gives one with some fields changed. A method ``__post_init__`` is called when all are set.

    >>> class Point(Record):
    ...     x: float
    ...     y: float = 0.0
    >>> Point(1.5), Point(1.5) == Point(y=0.0, x=1.5)
    (Point(x=1.5, y=0.0), True)
    >>> Point(1.5).x = 2.0
    Traceback (most recent call last):
    AttributeError: a Point can't be changed.
    """

    names: tuple[str, ...] = ()
    _fields: frozenset[str] = frozenset()
    _defaults: dict[str, Any] = {}  # noqa: RUF012 — each class gets its own, below

    def __init_subclass__(cls, eq: bool = True) -> None:
        """Read the fields off the class."""
        cls.names = tuple(cls.__annotations__)
        cls._fields = frozenset(cls.names)
        cls._defaults = {name: getattr(cls, name) for name in cls.names if hasattr(cls, name)}
        if not eq:
            cls.__eq__ = object.__eq__  # type: ignore[method-assign]
            cls.__hash__ = object.__hash__  # type: ignore[method-assign]

    def __init__(self, *values: Any, **named: Any) -> None:
        """Set the fields, in their order or by name."""
        names = self.names
        # Most are made in one of these two ways, by the hundred for each move of a slider.
        if len(values) == len(names) and not named:
            self.__dict__.update(zip(names, values, strict=True))
            self.__post_init__()
            return
        if not values and named.keys() == self._fields:
            self.__dict__.update(named)
            self.__post_init__()
            return
        given = {**self._defaults, **dict(zip(names, values, strict=False)), **named}
        if len(given) != len(names) or len(values) > len(names) or not named.keys().isdisjoint(names[: len(values)]):
            raise TypeError(f"{type(self).__name__} has the fields {', '.join(names)}, each of them once.")
        try:
            self.__dict__.update({name: given[name] for name in names})
        except KeyError as missing:
            raise TypeError(f"{type(self).__name__} needs its field {missing}.") from None
        self.__post_init__()

    def __post_init__(self) -> None:
        """Check the fields together; for classes that need it."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse: others may hold the same record."""
        raise AttributeError(f"a {type(self).__name__} can't be changed.")

    def __delattr__(self, name: str) -> None:
        """Refuse, as setting."""
        raise AttributeError(f"a {type(self).__name__} can't be changed.")

    def _values(self) -> tuple[Any, ...]:
        return tuple([self.__dict__[name] for name in self.names])

    def __eq__(self, other: object) -> bool:
        """Compare all fields."""
        if type(other) is not type(self):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        """Hash all fields."""
        return hash(self._values())

    def __repr__(self) -> str:
        """Write the record as it can be made."""
        return f"{type(self).__name__}({', '.join(f'{name}={self.__dict__[name]!r}' for name in self.names)})"

    def __replace__(self, **changes: Any) -> Self:
        """Give the same record with some fields changed."""
        return type(self)(**{name: self.__dict__[name] for name in self.names} | changes)

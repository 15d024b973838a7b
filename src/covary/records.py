"""Records: dataclasses whose methods are written when they are worth it.

Writing the methods of a dataclass takes up to a millisecond; a small report loads two hundred of
them, makes a third, and of most of these a few. The first ones are filled field by field. All else
is as in the standard library.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls: type | None = None, /, **options: Any) -> Any:
        """Make a class a dataclass, as `dataclasses.dataclass` does, when it is first used."""

        def decorate(cls: type) -> type:
            _Unwritten(cls, options).stand_in()
            return cls

        return decorate if cls is None else decorate(cls)


COMPARED = ("__repr__", "__eq__", "__hash__")
"""Methods that few records need; a class that has one of its own keeps it."""

MADE = ("__match_args__", "__init__", "__dataclass_fields__")

_OF_PYTHON = ("__dict__", "__weakref__")

FILLED = 50
"""Filling so many records takes as long as writing the method that does it."""

SPECIAL = ("ClassVar", "InitVar", "KW_ONLY")
"""Annotations that mean something else than a field."""

_writing = RLock()

Fields = dict[str, tuple[Any, Any, bool]]
"""Each field's default, what makes its default, and whether it is given by name only."""


class _Unwritten:
    """Stands for the fields of a class until somebody asks for them, and then writes the class."""

    def __init__(self, cls: type, options: dict[str, Any]) -> None:
        self.cls, self.options = cls, options
        self.own = {name: x for name, x in cls.__dict__.items() if name not in _OF_PYTHON}
        self.own["__qualname__"] = cls.__qualname__
        self.left = [("__init__",), COMPARED]
        self.filled = 0

    def stand_in(self) -> None:
        """Put methods into the class that write the real ones and then call these."""
        for names in self.left:
            for name in names:
                if name not in self.own:
                    setattr(self.cls, name, self._first(name, names))
        if self.options.get("frozen"):
            for name, action in (("__setattr__", "assign to"), ("__delattr__", "delete")):
                setattr(self.cls, name, _refusal(self.cls, name, action))
        setattr(self.cls, "__dataclass_fields__", self)  # noqa: B010
        setattr(self.cls, "__match_args__", _Asked(self, "__match_args__"))  # noqa: B010
        setattr(self.cls, "__signature__", _Asked(self, "__signature__"))  # noqa: B010

    def _first(self, name: str, names: tuple[str, ...]) -> Callable[..., Any]:
        def first(record: Any, *arguments: Any, **keywords: Any) -> Any:
            if name == "__init__" and self._fill(record, arguments, keywords):
                return None
            self.write(names)
            if name == "__hash__":
                return hash(record)  # which some refuse
            return getattr(self.cls, name)(record, *arguments, **keywords)

        return first

    def _fill(self, record: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
        """Give a record its fields, or say that the method itself must do it, or refuse it."""
        self.filled += 1
        if self.filled > FILLED or self.fields is None:
            return False
        placed = [name for name, (_, _, named) in self.fields.items() if not named]
        values = dict(zip(placed, arguments, strict=False))
        known = len(arguments) <= len(placed) and values.keys().isdisjoint(keywords)
        values |= keywords
        if not known or not values.keys() <= self.fields.keys():
            return False
        for name, (default, make, _) in self.fields.items():
            if name not in values:
                if default is MISSING and make is MISSING:
                    return False
                values[name] = default if make is MISSING else make()
        for name in self.fields:
            object.__setattr__(record, name, values[name])
        if hasattr(record, "__post_init__"):
            record.__post_init__()
        return True

    @cached_property
    def fields(self) -> Fields | None:
        """The fields of the class and of those it is made from; None where they are unusual."""
        fields: Fields = {}
        for base in reversed(self.cls.__mro__[1:]):
            known = base.__dict__.get("__dataclass_fields__", {})
            of_base = known.fields if isinstance(known, _Unwritten) else _as_written(known)
            if of_base is None:
                return None
            fields |= of_base
        annotations = self.own.get("__annotations__")
        if annotations is None or "slots" in self.options or "__setattr__" in self.own:
            return None
        for name, kind in annotations.items():
            field = self._field(name, kind)
            if field is None:
                return None
            fields[name] = field
        return fields if _in_order(fields) else None

    def _field(self, name: str, kind: Any) -> tuple[Any, Any, bool] | None:
        """What the class says of one of its fields; None where that is unusual."""
        if not isinstance(kind, str) or any(word in kind for word in SPECIAL):
            return None
        said = self.own.get(name, MISSING)
        field = said if isinstance(said, dataclasses.Field) else dataclasses.field(default=said)
        if not field.init or field.default.__class__.__hash__ is None:
            return None
        named = self.options.get("kw_only", False) if field.kw_only is MISSING else field.kw_only
        return field.default, field.default_factory, bool(named)

    def write(self, names: tuple[str, ...] = ("__init__",)) -> None:
        """Write some methods, once, whichever thread asks first."""
        with _writing:
            if names not in self.left:
                return
            if names == COMPARED:
                self._hand_over(COMPARED, {"init": False})
            else:
                delattr(self.cls, "__signature__")
                self._hand_over(MADE, {"repr": False, "eq": False})
            self.left.remove(names)

    def _hand_over(self, names: tuple[str, ...], options: dict[str, Any]) -> None:
        """Give the class what its twin got, so that no thread meets it without its methods."""
        twin = type(self.cls)(self.cls.__name__, self.cls.__bases__, dict(self.own))
        written = dataclasses.dataclass(**self.options | options)(twin).__dict__
        for name in (*written["__dataclass_fields__"], "__dataclass_params__", *names):
            if name in written:
                setattr(self.cls, name, written[name])
            elif name in self.cls.__dict__:
                delattr(self.cls, name)

    def __get__(self, record: object, cls: type | None = None) -> Any:
        self.write()
        return self.cls.__dict__["__dataclass_fields__"]


def _as_written(fields: dict[str, dataclasses.Field[Any]]) -> Fields | None:
    """The fields of a dataclass that is written already."""
    if not all(field.init for field in fields.values()):
        return None
    return {
        name: (field.default, field.default_factory, bool(field.kw_only))
        for name, field in fields.items()
    }


def _in_order(fields: Fields) -> bool:
    """Whether no field without a default follows one that has it, by place."""
    needed = [
        default is MISSING and make is MISSING
        for default, make, named in fields.values()
        if not named
    ]
    return needed == sorted(needed, reverse=True)


class _Asked:
    """Stands for something else that a class has only when it is written."""

    def __init__(self, unwritten: _Unwritten, name: str) -> None:
        self.unwritten, self.name = unwritten, name

    def __get__(self, record: object, cls: type | None = None) -> Any:
        self.unwritten.write()
        return getattr(cls, self.name)  # there is no __signature__ then: that of the method counts


def _refusal(cls: type, name: str, action: str) -> Callable[..., None]:
    """Return the method that refuses to change a frozen record."""

    def refuse(record: Any, field: str, *value: Any) -> None:
        if type(record) is cls or field in cls.__dataclass_fields__:  # type: ignore[attr-defined]
            raise dataclasses.FrozenInstanceError(f"cannot {action} field {field!r}")
        getattr(super(cls, record), name)(field, *value)

    return refuse

"""Every public name exists and is documented; every coefficient shows an example."""

import inspect
from dataclasses import dataclass
from types import ModuleType

import covary


def missing_names(module: ModuleType) -> list[str]:
    return [name for name in module.__all__ if not hasattr(module, name)]


def undocumented_names(module: ModuleType) -> list[str]:
    return [
        name
        for name in module.__all__
        if needs_docstring(thing := getattr(module, name, None)) and not own_docstring(thing)
    ]


def functions_without_example(module: ModuleType, room: str) -> list[str]:
    """Public functions defined in `room` whose docstring has no Examples with a prompt."""
    return [
        name
        for name in module.__all__
        if inspect.isfunction(thing := getattr(module, name, None))
        and f"{thing.__module__}.".startswith(f"{room}.")
        and not shows_example(own_docstring(thing))
    ]


def needs_docstring(thing: object) -> bool:
    return inspect.isroutine(thing) or inspect.isclass(thing) or inspect.ismodule(thing)


def own_docstring(thing: object) -> str:
    """The docstring that somebody wrote: neither inherited nor made by dataclass."""
    if not inspect.isclass(thing):
        return (thing.__doc__ or "").strip()
    text = vars(thing)["__doc__"] or ""
    return "" if text.startswith(f"{thing.__name__}(") else text.strip()


def shows_example(docstring: str) -> bool:
    heading, _, example = inspect.cleandoc(docstring).partition("\nExamples\n--------\n")
    return bool(heading) and ">>> " in example


def test_every_public_name_exists():
    assert missing_names(covary) == []


def test_no_public_name_is_listed_twice():
    assert len(set(covary.__all__)) == len(covary.__all__)


def test_every_public_name_is_documented():
    assert undocumented_names(covary) == []


def test_every_coefficient_shows_an_example():
    assert functions_without_example(covary, "covary.stats") == []


def made_up_module(**names: object) -> ModuleType:
    module = ModuleType("made_up")
    vars(module).update(names, __all__=list(names))
    return module


def made_up_function(docstring: str | None):
    def function(): ...

    function.__doc__ = docstring
    function.__module__ = "house.stats.alpha"
    return function


def test_a_name_that_does_not_exist_is_found():
    module = made_up_module(here=1)
    module.__all__.append("gone")
    assert missing_names(module) == ["gone"]


def test_a_name_without_docstring_is_found():
    @dataclass
    class Silent:
        value: float

    class Spoken:
        """Says what it is."""

    class Heir(Spoken):
        pass

    module = made_up_module(
        Silent=Silent, Spoken=Spoken, Heir=Heir, mute=made_up_function(None), number=1
    )
    assert undocumented_names(module) == ["Silent", "Heir", "mute"]


def test_a_coefficient_without_example_is_found():
    module = made_up_module(
        good=made_up_function("Question?\n\n    Examples\n    --------\n    >>> 1 + 1\n    2\n"),
        heading_only=made_up_function("Question?\n\n    Examples\n    --------\n    None.\n"),
        prompt_only=made_up_function("Question?\n\n    >>> 1 + 1\n    2\n"),
    )
    assert functions_without_example(module, "house.stats") == ["heading_only", "prompt_only"]
    assert functions_without_example(module, "house.analysis") == []

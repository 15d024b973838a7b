"""Commands under headings, each loaded when it is run, and the nearest where none is meant."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from covary.records import dataclass
from covary.words.grammar import did_you_mean


@dataclass(frozen=True)
class Verb:
    """A command that is not loaded yet: its name, where it is, and what it does in a line."""

    name: str
    place: str
    help: str

    def load(self) -> click.Command:
        """Import the module of the command."""
        module, _, attribute = self.place.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        command.short_help = self.help
        return command


Sections = dict[str, tuple[Verb, ...]]


def parse_sections(package: str, table: str) -> Sections:
    r"""Read a table of commands: headings, and below each its commands' names, modules and lines.

    Examples
    --------
    >>> parse_sections("covary.cli", "Help\n  demo  demo  Do all of it.")["Help"]
    (Verb(name='demo', place='covary.cli.demo:demo', help='Do all of it.'),)
    """
    sections: dict[str, list[Verb]] = {}
    verbs: list[Verb] = []
    for line in table.strip().splitlines():
        if not line.startswith(" "):
            verbs = sections.setdefault(line, [])
            continue
        name, module, text = line.split(maxsplit=2)
        place = module if ":" in module else f"{module}:{name.replace('-', '_')}"
        verbs.append(Verb(name, f"{package}.{place}", text))
    return {title: tuple(below) for title, below in sections.items()}


class CommandGroup(click.Group):
    """A group whose commands stand under headings, in the order in which they are used."""

    def __init__(self, *, sections: Sections, **settings: Any) -> None:
        super().__init__(**settings)
        self.sections = sections
        self.verbs = {verb.name: verb for verbs in sections.values() for verb in verbs}

    def load_all(self) -> dict[str, click.Command]:
        """Load every command, for whoever wants to know all of them."""
        return {name: verb.load() for name, verb in self.verbs.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self.verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        return self.verbs[cmd_name].load() if cmd_name in self.verbs else None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the names of commands without loading them."""
        begun = [verb for name, verb in self.verbs.items() if name.startswith(incomplete)]
        items = [CompletionItem(verb.name, help=verb.help) for verb in begun]
        return [*items, *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one may have been meant."""
        known = args[0] in self.verbs or args[0].startswith("-")
        if not known and not ctx.resilient_parsing:  # a shell that completes wants no errors
            ctx.fail(f"there is no command {args[0]!r}{did_you_mean(args[0], self.verbs)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands under their headings; the sentences begin in the same column."""
        longest = max(map(len, self.verbs))
        for title, verbs in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(f"{verb.name:{longest}}", verb.help) for verb in verbs])


class Choice(click.Choice[str]):
    """A choice that names the nearest value where a wrong one was given."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        message = super().get_invalid_choice_message(value, ctx).rstrip(".")
        return f"{message}{did_you_mean(value, self.choices)}"


def with_suggestion(error: click.UsageError) -> click.UsageError:
    """Name the option that was probably meant, where a wrong one was given."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None:
        return error
    known = [name for param in error.ctx.command.params for name in param.opts if len(name) > 2]
    wrong = error.option_name
    return click.UsageError(f"there is no option {wrong}{did_you_mean(wrong, known)}", error.ctx)

"""Commands in the order of a study, under headings, and the nearest one where none has a name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from covary.errors import meant

__all__ = ["Sections", "offered"]


class Sections(click.Group):
    """A group whose commands stand under headings, in the order in which they are used."""

    def __init__(
        self, *, sections: Mapping[str, Sequence[click.Command]] | None = None, **settings: Any
    ) -> None:
        self.sections = sections or {}
        named = {str(each.name): each for some in self.sections.values() for each in some}
        super().__init__(commands=named, **settings)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one may have been meant."""
        known = args[0] in self.commands or args[0].startswith("-")
        if not known and not ctx.resilient_parsing:  # a shell that completes wants no errors
            ctx.fail(f"there is no command {args[0]!r}{meant(args[0], self.commands)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands under their headings; the sentences begin in the same column."""
        if not self.sections:  # sub-commands of a command are few
            super().format_commands(ctx, formatter)
        longest = max((len(name) for name in self.commands), default=0)
        for title, commands in self.sections.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(f"{each.name:{longest}}", each.get_short_help_str(72)) for each in commands]
                )


def offered(error: click.UsageError) -> click.UsageError:
    """Name the option or the value that was probably meant, where a wrong one was given."""
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        known = [name for each in error.ctx.command.params for name in each.opts if len(name) > 2]
        wrong = error.option_name
        return click.UsageError(f"there is no option {wrong}{meant(wrong, known)}", error.ctx)
    kind = error.param.type if isinstance(error, click.BadParameter) and error.param else None
    if isinstance(kind, click.Choice) and " is not one of " in error.message:
        given = error.message.partition(" is not one of ")[0].strip("'\"")
        said = error.format_message().rstrip(".")
        return click.UsageError(f"{said}{meant(given, kind.choices)}", error.ctx)
    return error

"""`covary completion`: the Tab key knows commands, options, choices and the columns of a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

from covary.cli.command_group import Choice
from covary.cli.screen import debug_option
from covary.formats.ratings_file import RatingsFile
from covary.ratings import COLUMNS

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

VARIABLE = "_COVARY_COMPLETE"
"""The variable through which a shell asks; Click derives it from the name of the program."""

EPILOG = """\b
Examples:
  covary completion bash >> ~/.bashrc
  covary completion zsh >> ~/.zshrc
  covary completion fish > ~/.config/fish/completions/covary.fish

Open a new shell afterwards. Then 'covary re<Tab>' completes commands, 'covary report --<Tab>'
options, and 'covary report ratings.csv --judge <Tab>' the columns of that file."""


@click.command(epilog=EPILOG)
@click.argument("shell", type=Choice(["bash", "zsh", "fish"]))
@debug_option
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print what SHELL needs to complete covary's commands, options and columns."""
    made = get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"{shell} is not a shell that covary can complete for")
    click.echo(made(ctx.find_root().command, {}, "covary", VARIABLE).source())


def column(ctx: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
    """Complete the name of a column from the file that stands before it on the line."""
    return _items(_columns(ctx), begun)


def several_columns(ctx: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
    """Complete the last of several columns with commas between them."""
    before, comma, last = begun.rpartition(",")
    return [CompletionItem(f"{before}{comma}{item.value}") for item in _items(_columns(ctx), last)]


def filters(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """Complete what ratings can be kept by."""
    return _items([f"{column}=" for column in COLUMNS], begun)


def one_of(*words: str) -> Completer:
    """Complete one of these words, also behind the name of a criterion."""

    def complete(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
        criterion, equals, last = begun.rpartition("=")
        return [CompletionItem(f"{criterion}{equals}{item.value}") for item in _items(words, last)]

    return complete


def files(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """Let the shell complete the name of a file."""
    return [CompletionItem(begun, type="file")]


def _columns(ctx: click.Context) -> list[str]:
    """The columns of the last file on the line; none where it cannot be read, whatever the reason.

    Names with spaces are left out, because Bash would take them for several words.
    """
    # An option that still waits for its value ends Click's reading of the line.
    named = ctx.params.get("file") or ctx.params.get("files") or tuple(ctx.args)
    last = str(named[-1] if named and isinstance(named, tuple) else named or "")
    file = Path(last if Path(last).exists() else last.rpartition("=")[2])
    try:
        columns = RatingsFile(file, {}).columns if last else []
    except Exception:  # a shell waits for words, and would show anything else in the line
        return []
    return [name for name in columns if not any(letter.isspace() for letter in name)]


def _items(words: list[str] | tuple[str, ...], begun: str) -> list[CompletionItem]:
    return [CompletionItem(word) for word in words if word.startswith(begun)]

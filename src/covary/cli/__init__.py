"""The command line: the only room that prints and exits."""

from covary.cli.entry import main

__all__ = ["main"]

"""`covary crowd`: recruit a crowd, know what it costs, pay it, and compare it with experts."""

from covary.cli.crowd.group import crowd

__all__ = ["crowd"]

"""What came of many inputs."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Tally:
    """How many inputs were read and refused, and what went wrong, each with how to see it again.

    `compared` counts inputs that were taken and whose values were compared with what was meant.
    """

    read: int = 0
    refused: int = 0
    compared: int = 0
    faults: list[str] = field(default_factory=list)
    refusals: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Tally") -> None:
        self.read += other.read
        self.refused += other.refused
        self.compared += other.compared
        self.faults += other.faults
        self.refusals += other.refusals

"""Says on what machine, how busy, and with which versions a run was made."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

__all__ = ["described", "versions"]

PACKAGES = (
    "covary", "numpy", "scipy", "narwhals", "duckdb", "polars", "pandas",
    "krippendorff", "statsmodels", "scikit-learn", "pingouin", "irrCAC", "nltk",
)  # fmt: skip


def described() -> str:
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    return (
        f"{_processor()}, {os.cpu_count()} cores, load {load}, Python {platform.python_version()}"
    )


def versions() -> str:
    return ", ".join(f"{name} {version(name)}" for name in PACKAGES)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()

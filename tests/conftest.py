"""How hypothesis searches: quietly quick by default, and the same examples every time in CI."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "covary",
    deadline=None,
    max_examples=25,
    derandomize=bool(os.environ.get("CI")),
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("covary")

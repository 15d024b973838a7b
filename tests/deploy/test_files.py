"""The files in deploy/ fit the commands that they start and the files that they name."""

import configparser
import json
import os
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import click
import pytest
import yaml

from covary.cli.entry import covary
from covary.store.database import MOST_AT_ONCE, open_database
from covary.web.guard import MOST_BYTES
from covary.web.serving.processes import SECONDS_TO_END
from tests.deploy.nginx import DEPLOY

COMMANDS = tuple(covary.load_all().values())

ROOT = DEPLOY.parent
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]


def parsed(arguments: list[str]) -> dict:
    """What `covary` makes of arguments, as the real command reads them."""
    name, *rest = arguments
    command = next(each for each in COMMANDS if each.name == name)
    return command.make_context(name, list(rest), obj=None).params


def unit() -> configparser.RawConfigParser:
    read = configparser.RawConfigParser(strict=False, delimiters=("=",), comment_prefixes=("#",))
    read.optionxform = str
    read.read(DEPLOY / "covary.service")
    return read


# compose


def test_the_command_of_the_compose_file_is_one_that_covary_understands():
    wanted = parsed(SERVICES["covary"]["command"])
    assert (wanted["study"], wanted["host"]) == (Path("/study"), "0.0.0.0")
    assert (wanted["processes"], wanted["proxy"], wanted["trusted"]) == (2, True, "*")
    assert "ports" not in SERVICES["covary"], "who trusts everybody must not be reached by them"


def test_an_option_that_covary_does_not_have_would_be_found():
    with pytest.raises(click.NoSuchOption):
        parsed(["serve", "/study", "--many"])


def test_the_compose_file_names_only_what_is_there():
    build = SERVICES["covary"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).samefile(DEPLOY / "Dockerfile")
    mounts = [each.split(":")[0] for one in SERVICES.values() for each in one.get("volumes", [])]
    for mount in mounts:
        if mount.startswith("."):
            made_by_hand = mount in ("./study", "./tls")
            assert made_by_hand or (DEPLOY / mount).exists(), mount
        else:
            assert mount in COMPOSE["volumes"]
    named = {each["source"] for each in SERVICES["proxy"]["configs"]}
    assert named == set(COMPOSE["configs"])
    for one in SERVICES.values():
        assert set(one.get("depends_on", {})) <= set(SERVICES)


def test_who_waits_for_another_to_be_healthy_waits_for_one_that_can_say_so():
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    for one in SERVICES.values():
        for name, how in one.get("depends_on", {}).items():
            assert how == {"condition": "service_healthy"}
            assert "healthcheck" in SERVICES[name] or (name == "covary" and "HEALTHCHECK" in
                                                       dockerfile)  # fmt: skip


def test_the_address_of_the_database_is_one_that_covary_opens():
    given = SERVICES["covary"]["environment"]["COVARY_DATABASE"]
    database = open_database(given.replace("${POSTGRES_PASSWORD}", "s3cret"))
    url = database.engine.url
    owner = SERVICES["database"]["environment"]
    assert (url.host, url.username, url.database) == (
        "database", owner["POSTGRES_USER"], owner["POSTGRES_DB"],
    )  # fmt: skip
    database.close()


def test_nginx_in_the_compose_file_finds_the_server():
    upstream = COMPOSE["configs"]["upstream"]["content"]
    port = re.search(r"^EXPOSE (\d+)$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)[1]
    assert f"server covary:{port};" in upstream
    serve = next(each for each in COMMANDS if each.name == "serve")
    default = next(each.default for each in serve.params if each.name == "port")
    assert str(default) == port
    assert "upstream covary {" in upstream
    assert "upstream covary {" in (DEPLOY / "nginx-upstream.conf").read_text()
    assert "proxy_pass http://covary;" in (DEPLOY / "nginx.conf").read_text()


def test_the_processes_of_the_compose_file_fit_the_connections_of_a_server_as_installed():
    processes = parsed(SERVICES["covary"]["command"])["processes"]
    twice = 2 * processes  # while one after another is replaced there is one more; be generous
    assert twice * MOST_AT_ONCE["postgresql"] < 100


# Dockerfile


def test_the_dockerfile_copies_what_is_there_and_nothing_is_ignored_that_it_needs():
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    kept = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    for line in re.findall(r"^COPY (?!--from)(.+) \S+$", dockerfile, re.MULTILINE):
        for name in line.split():
            assert (ROOT / name).exists(), name
            assert f"!{name}" in kept
    needed = re.findall(r'^readme = "(.+)"$|^license-files = \["(.+)"\]$',
                        (ROOT / "pyproject.toml").read_text(), re.MULTILINE)  # fmt: skip
    assert {name for pair in needed for name in pair if name} <= {k.lstrip("!") for k in kept}


def test_the_dockerfile_installs_what_is_locked_by_hash():
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    program = re.search(r"RUN awk '(.+)' requirements\.lock > postgres\.lock", dockerfile)[1]
    taken = subprocess.run(
        ["awk", program, "requirements.lock"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    names = re.findall(r"^([A-Za-z0-9._-]+)==", taken, re.MULTILINE)
    assert names == ["psycopg", "psycopg-binary"]
    assert taken.count("--hash=sha256:") > len(names)
    installs = re.findall(
        r"pip install (.+?)(?:&&|$)", dockerfile.replace("\\\n", " "), re.MULTILINE
    )
    assert all("--require-hashes" in each or "--no-deps" in each for each in installs)
    assert "-r requirements-run.lock -r postgres.lock" in installs[0]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    needed = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    locked = (ROOT / "requirements-run.lock").read_text()
    for each in needed:
        name = re.match(r"[A-Za-z0-9._-]+", each)[0]
        assert re.search(rf"^{name}==", locked, re.MULTILINE | re.IGNORECASE), name


def test_the_health_check_of_the_dockerfile_asks_what_the_server_answers():
    check = re.search(r"CMD (\[.+\])$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)[1]
    program = json.loads(check)
    assert program[0] == "python"
    compile(program[2], "healthcheck", "exec")
    assert "http://127.0.0.1:8000/ready" in program[2]


# systemd


def test_the_command_of_the_unit_is_one_that_covary_understands():
    program, *arguments = shlex.split(unit()["Service"]["ExecStart"])
    assert Path(program).name == "covary"
    wanted = parsed(arguments)
    assert (wanted["processes"], wanted["proxy"]) == (2, True)
    assert wanted["address"].startswith("https://")


def test_the_unit_gives_the_server_time_to_finish_and_reloads_by_the_signal():
    service = unit()["Service"]
    assert int(service["TimeoutStopSec"]) > SECONDS_TO_END
    assert service["KillSignal"] == "SIGTERM"
    assert service["KillMode"] == "mixed"
    assert service["ExecReload"] == "/bin/kill -HUP $MAINPID"
    grace = SERVICES["covary"]["stop_grace_period"]
    assert int(grace.removesuffix("s")) > SECONDS_TO_END


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path):
    program = tmp_path / "covary"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    text = (DEPLOY / "covary.service").read_text()
    assert "/usr/local/covary/bin/covary" in text
    (tmp_path / "covary.service").write_text(
        text.replace("/usr/local/covary/bin/covary", str(program))
    )
    done = subprocess.run(
        ["systemd-analyze", "verify", "--recursive-errors=no", str(tmp_path / "covary.service")],
        capture_output=True, text=True, env=os.environ | {"SYSTEMD_LOG_LEVEL": "warning"},
    )  # fmt: skip
    said = [line for line in done.stderr.splitlines() if "covary.service" in line]
    assert said == []
    assert done.returncode == 0, done.stderr


# nginx


def test_nginx_lets_as_much_in_as_covary_does():
    size = re.search(r"client_max_body_size (\d+)k;", (DEPLOY / "nginx.conf").read_text())[1]
    assert int(size) * 1024 == MOST_BYTES

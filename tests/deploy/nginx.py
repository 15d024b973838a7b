"""A real nginx with the configuration that covary ships, on ports of its own."""

import shutil
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPSConnection
from pathlib import Path

import pytest

from tests.web.ports import free_port

DEPLOY = Path(__file__).parents[2] / "deploy"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")

needs_nginx = pytest.mark.skipif(
    NGINX is None or shutil.which("openssl") is None,
    reason="there is no nginx (or no openssl) on this machine: apt-get install nginx-light openssl",
)

MAIN = """\
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log info;
events {{ worker_connections 512; }}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/upstream.conf;
    include {folder}/covary.conf;
}}
"""


@dataclass(frozen=True)
class Nginx:
    """A running nginx: the ports of http and https, and its folder."""

    plain: int
    port: int
    folder: Path

    @property
    def written(self) -> str:
        """All that nginx has written, to whatever file, and what it said."""
        files = [each for each in self.folder.rglob("*") if each.is_file()]
        return "".join(each.read_text(errors="replace") for each in files)


@contextmanager
def nginx_before(ports: list[int], folder: Path) -> Iterator[Nginx]:
    """Start nginx before the servers at these ports, as the files in deploy/ say."""
    folder.mkdir(exist_ok=True)
    found = Nginx(free_port(), free_port(), folder)
    _certificate(folder)
    written = (DEPLOY / "nginx.conf").read_text()
    for before, after in (
        ("listen 80;", f"listen 127.0.0.1:{found.plain};"),
        ("listen 443 ssl;", f"listen 127.0.0.1:{found.port} ssl;"),
        ("/etc/covary/tls", str(folder)),
    ):
        assert before in written, f"nginx.conf has no {before!r} any more"
        written = written.replace(before, after)
    (folder / "covary.conf").write_text(written)
    line = "    server 127.0.0.1:8000 max_fails=0;\n"
    upstream = (DEPLOY / "nginx-upstream.conf").read_text()
    assert line in upstream
    lines = "".join(line.replace("8000", str(port)) for port in ports)
    (folder / "upstream.conf").write_text(upstream.replace(line, lines))
    (folder / "main.conf").write_text(MAIN.format(folder=folder))
    command = [str(NGINX), "-p", str(folder), "-c", str(folder / "main.conf")]
    tested = subprocess.run([*command, "-t"], capture_output=True, text=True)
    assert tested.returncode == 0, tested.stderr
    with (folder / "said.log").open("w") as said, subprocess.Popen(command, stderr=said) as process:
        try:
            _wait(found.port)
            yield found
        finally:
            process.terminate()
            process.wait(timeout=120)


def over_tls(port: int) -> HTTPSConnection:
    """A connection that takes the certificate made for the test."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return HTTPSConnection("127.0.0.1", port, timeout=30, context=context)


def _wait(port: int) -> None:
    for _ in range(200):
        connection = over_tls(port)
        try:
            connection.connect()
        except OSError:
            time.sleep(0.05)
        else:
            return
        finally:
            connection.close()
    raise AssertionError("nginx did not start")


def _certificate(folder: Path) -> None:
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
         "-subj", "/CN=study.example.org", "-keyout", str(folder / "privkey.pem"),
         "-out", str(folder / "fullchain.pem")],
        check=True, capture_output=True,
    )  # fmt: skip

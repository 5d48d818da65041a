"""A real Dask cluster on this machine: a scheduler and two workers, each a process of its own, with certificates."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ROOT, environment

DASK = Path(sys.executable).with_name("dask")
MOST_KILLS = 3
PATIENCE = 120.0  # a backstop, not a measurement


class DaskCluster:
    """The processes of a cluster, below one folder."""

    def __init__(self, folder: Path, *, tls: bool = True) -> None:
        self.folder, self._tls, self._number = folder, tls, 0
        folder.mkdir(exist_ok=True)
        if tls and not (folder / "cert.pem").exists():
            command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=redink -keyout key.pem -out cert.pem"
            subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)
        self.processes: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start("scheduler", "--port", 0, "--scheduler-file", folder / "scheduler.json")
        self.workers = [self.add_worker() for _ in range(2)]

    def environment(self) -> dict[str, str]:
        """Give what the coordinator must know: certificates in Dask's own settings."""
        if not self._tls:
            return {}
        tls, cert, key = "DASK_DISTRIBUTED__COMM__TLS__", str(self.folder / "cert.pem"), str(self.folder / "key.pem")
        return {f"{tls}CA_FILE": cert, f"{tls}CLIENT__CERT": cert, f"{tls}CLIENT__KEY": key}

    @property
    def address(self) -> str:
        """Return where the scheduler listens."""
        file = self.folder / "scheduler.json"
        self._wait(lambda: file.exists() and file.read_text().strip().endswith("}"))
        return str(json.loads(file.read_text())["address"])

    def add_worker(self) -> subprocess.Popen[bytes]:
        """Start a worker without a nanny: what is killed stays dead."""
        return self._start(
            "worker", self.address, "--nthreads", 1, "--no-nanny", "--name", f"w{self._number}", "--memory-limit", 0
        )

    def wait_for_workers(self, count: int = 2) -> None:
        """Wait until so many workers say that they are registered."""
        self._wait(lambda: sum("Registered to" in log.read_text() for log in self.folder.glob("worker-*.log")) >= count)

    def close(self) -> None:
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGKILL)
            process.wait()

    def _start(self, what: str, *words: object) -> subprocess.Popen[bytes]:
        self._number += 1
        tls = [] if not self._tls else [
            "--tls-ca-file", self.folder / "cert.pem", "--tls-cert", self.folder / "cert.pem",
            "--tls-key", self.folder / "key.pem",
        ]  # fmt: skip
        host = ["--host", "tls://127.0.0.1" if self._tls and what == "scheduler" else "127.0.0.1"]
        command = [str(word) for word in (DASK, what, *words, *tls, *host, "--no-dashboard")]
        told = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": str(MOST_KILLS - 1), "PYTHONPATH": str(ROOT)}
        with (self.folder / f"{what}-{self._number}.log").open("wb") as log:
            process = subprocess.Popen(
                command, cwd=self.folder, env=environment(told), stdout=log, stderr=log, start_new_session=True
            )
        self.processes.append(process)
        return process

    def _wait(self, true: object) -> None:
        deadline = time.monotonic() + PATIENCE
        while not true():  # type: ignore[operator]
            logs = "\n".join(log.read_text()[-2000:] for log in self.folder.glob("*.log"))
            assert time.monotonic() < deadline, f"this never became true: {logs}"
            time.sleep(0.05)


@contextlib.contextmanager
def dask_cluster(folder: Path, *, tls: bool = True) -> Iterator[DaskCluster]:
    cluster = DaskCluster(folder, tls=tls)
    try:
        cluster.wait_for_workers()
        yield cluster
    finally:
        cluster.close()


def end_this_process(order: bytes) -> bytes:
    """Kill the worker that was sent this."""
    os.kill(os.getpid(), signal.SIGKILL)
    return order

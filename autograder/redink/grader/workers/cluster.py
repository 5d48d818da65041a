"""The workers of a Dask cluster that is there already, as an `Executor`.

Dask moves orders and answers, plain bytes, and sends an order elsewhere when its worker dies; a worker's zygote and judge
stay from one order to the next. What Dask itself sends is pickled, so whoever may speak to the scheduler may run anything
there: hence TLS, except on this machine itself. The answer key goes to each worker once; one that joins later says that it
has none.
"""

from __future__ import annotations

import importlib
import ipaddress
import logging
from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor, Executor, Future
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from redink.errors import BoxError, CourseError
from redink.grader.digests import versions
from redink.grader.workers.on_cluster import do_order, keep_key

_PATIENCE = "20s"
_CERTIFICATES = ("tls_ca_file", "tls_client_cert", "tls_client_key")


class Cluster(Executor):
    """A Dask cluster, as long as it is open."""

    def __init__(self, address: str) -> None:
        """Connect; refuse what is not encrypted, has no workers, or other versions than are here."""
        _refuse_open(address)
        self.address = address
        dask = _distributed()
        _silence("distributed", "tornado", "asyncio")  # what matters is raised, as one sentence
        try:
            self._client: Any = dask.Client(
                address, security=_security(dask, address), timeout=_PATIENCE, set_as_default=False, name="redink"
            )
        except (OSError, TimeoutError, ValueError) as error:
            raise CourseError(
                f"no Dask cluster answers at {address}, or it takes other certificates: {error}"
            ) from error
        try:
            self.threads = self._greet()
        except BaseException:
            self._client.close()
            raise

    def hold(self, key: bytes) -> None:
        """Leave an answer key with every worker that is there."""
        self._client.run(keep_key, key, on_error="ignore")

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Send an order to whichever worker is free."""
        ours: Future[Any] = Future()
        ours.set_running_or_notify_cancel()
        theirs = self._client.submit(do_order, versions(), fn, *args, pure=False)
        theirs.add_done_callback(lambda done: _settle(ours, done))
        return ours

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster, which goes on; what was under way for us ends there."""
        self._client.close()

    def _greet(self) -> int:
        """Return how many orders can be done at once, by workers that can be trusted with them."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        if not workers:
            raise CourseError(f"the cluster at {self.address} has no workers")
        for address in workers:
            _refuse_open(address)
        _refuse_other_versions(self._client.run(versions, on_error="return"))
        return sum(int(one["nthreads"]) for one in workers.values())


def _settle(ours: Future[Any], theirs: Any) -> None:
    """Pass on what became of an order: an answer, an error of its own, or that the cluster is gone."""
    if theirs.status == "finished":
        try:
            ours.set_result(theirs.result())
        except Exception as error:  # noqa: BLE001 - it was lost on its way
            ours.set_exception(BrokenExecutor(str(error)))
    elif theirs.status == "error":
        failure = theirs.exception()
        if (allowed := getattr(failure, "allowed_failures", None)) is not None:
            failure = BoxError(f"{allowed + 1} workers of the cluster were killed while they had it")
        ours.set_exception(failure)
    else:
        ours.set_exception(BrokenExecutor("the cluster is gone"))


def _refuse_open(address: str) -> None:
    """Raise unless nobody on the way can read what goes there."""
    where = urlsplit(address)
    try:
        loopback = where.scheme == "tcp" and ipaddress.ip_address(where.hostname or "").is_loopback
    except ValueError:
        loopback = False
    if where.scheme != "tls" and not loopback:
        raise CourseError(
            f"{address} is not encrypted: answer keys and submissions travel by tls://, or on this machine (tcp://127.0.0.1)"
        )


def _refuse_other_versions(told: dict[str, object]) -> None:
    others: Iterable[tuple[str, object]] = ((where, what) for where, what in told.items() if what != versions())
    for where, what in others:
        raise CourseError(f"the worker {where} has {what}, and here is {versions()}: install the same on both")


def _security(dask: ModuleType, address: str) -> Any:
    """Take the certificates from Dask's own settings."""
    if not address.startswith("tls:"):
        return None
    security = dask.Security(require_encryption=True)
    if not all(getattr(security, name) for name in _CERTIFICATES):
        raise CourseError(
            "tls:// needs Dask's certificates: set DASK_DISTRIBUTED__COMM__TLS__CA_FILE, …__TLS__CLIENT__CERT and "
            "…__TLS__CLIENT__KEY, or write them into Dask's configuration"
        )
    return security


def _silence(*libraries: str) -> None:
    for name in [*libraries, *logging.root.manager.loggerDict]:  # each may have a level of its own
        if name.partition(".")[0] in libraries:
            logging.getLogger(name).setLevel(logging.CRITICAL)


def _distributed() -> ModuleType:
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise CourseError("--cluster needs Dask: install redink with its extra `dask`") from None

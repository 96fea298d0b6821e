"""The system tests of Google's Python client, over REST, against the embedded store and against Google's emulator.

    client_suite.py BINARY SUITE

SUITE is the folder `tests/system` of python-firestore, which is fetched and never part of this repository. What passes against the
emulator has to pass against `gymmigrate serve`, but for what KNOWN names with its reason.

As a plugin of pytest it makes the client use REST: the synchronous one by its own transport, the asynchronous one by that in threads.
"""

import asyncio
import json
import os
import pathlib
import subprocess
import sys
import tempfile

# Parts of the names of tests that pass against the emulator and not here, with the reason.
KNOWN = {}


def use_rest():
    from google.api_core import _rest_streaming_base
    from google.auth.credentials import AnonymousCredentials
    from google.cloud.firestore_v1 import async_client, client
    from google.cloud.firestore_v1.services.firestore import client as generated
    from google.cloud.firestore_v1.services.firestore.transports.rest import FirestoreRestTransport

    def service(self):
        if self._firestore_api_internal is None:
            transport = FirestoreRestTransport(
                host=os.environ["FIRESTORE_EMULATOR_HOST"], credentials=AnonymousCredentials(), url_scheme="http"
            )
            self._firestore_api_internal = generated.FirestoreClient(transport=transport)
        return self._firestore_api_internal

    # The emulator's streams begin with a line feed, which JSON allows and the client's parser does not.
    process = _rest_streaming_base.BaseResponseIterator._process_chunk

    def process_array(self, chunk):
        if chunk := chunk if self._level else chunk.lstrip():
            process(self, chunk)

    _rest_streaming_base.BaseResponseIterator._process_chunk = process_array
    client.Client._firestore_api = property(service)
    async_client.AsyncClient._firestore_api = property(lambda self: InThreads(service(self)))


class InThreads:
    """A synchronous client as an asynchronous one."""

    def __init__(self, service):
        self.service = service

    def __getattr__(self, name):
        method = getattr(self.service, name)
        if not callable(method):
            return method

        async def call(*arguments, **options):
            return Answer(await asyncio.to_thread(method, *arguments, **options))

        return call


class Answer:
    """An answer, one that is streamed or in pages too, as the asynchronous client gives it."""

    def __init__(self, answer):
        self.answer = answer

    def __getattr__(self, name):
        return getattr(self.answer, name)

    def __aiter__(self):
        self.items = iter(self.answer)
        return self

    async def __anext__(self):
        done = object()
        item = await asyncio.to_thread(next, self.items, done)
        if item is done:
            raise StopAsyncIteration
        return item


def pytest_configure(config):
    use_rest()


async def nothing(query):
    pass


def pytest_collection_modifyitems(items):
    # It is of another edition, and would count the whole test as skipped.
    for module in {item.module for item in items}:
        if hasattr(module, "verify_pipeline"):
            module.verify_pipeline = nothing if asyncio.iscoroutinefunction(module.verify_pipeline) else lambda query: None


OUTCOMES = {}


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        OUTCOMES[report.nodeid] = report.outcome


def pytest_sessionfinish(session):
    if path := os.environ.get("CLIENT_SUITE_OUTCOMES"):
        pathlib.Path(path).write_text(json.dumps(OUTCOMES))


def outcomes(host, suite, module):
    """The outcome of each test of a module against a server."""
    with tempfile.NamedTemporaryFile("r") as result:
        environment = os.environ | {
            "CLIENT_SUITE_OUTCOMES": result.name,
            "FIRESTORE_EMULATOR_HOST": host,
            "GCLOUD_PROJECT": "client-suite",
            "PYTHONPATH": f"{pathlib.Path(__file__).parent}:{suite}",
        }
        command = [sys.executable, "-m", "pytest", "-q", "-p", "client_suite", "-p", "no:cacheprovider", "--tb=line", module]
        run = subprocess.run(command, cwd=suite, env=environment, capture_output=True, text=True)
        text = result.read()
    if not text:
        sys.exit(f"pytest did not run {module}:\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    if os.environ.get("CLIENT_SUITE_LOG"):
        pathlib.Path(f"{os.environ['CLIENT_SUITE_LOG']}-{host}-{module}").write_text(run.stdout)
    return json.loads(text)


def main(binary, suite):
    import google_emulator
    import judging

    suite = pathlib.Path(suite).resolve()
    if not (suite / "test_system.py").exists():
        sys.exit(f"{suite} has no test_system.py: name the folder tests/system of python-firestore")
    program = google_emulator.found_or_skip("the client's own tests")
    failed = False
    for module in ("test_system.py", "test_system_async.py"):
        with judging.Store(binary) as store:
            here = outcomes(store.host, suite, module)
        with google_emulator.running(program) as host:
            there = outcomes(host, suite, module)
        passed = {name: {test for test, outcome in of.items() if outcome == "passed"} for name, of in (("here", here), ("there", there))}
        missing = sorted(test for test in passed["there"] - passed["here"] if not any(known in test for known in KNOWN))
        print(f"{module}: {len(here)} tests, {len(passed['here'])} pass here, {len(passed['there'])} against the emulator.")
        for test in sorted(passed["here"] - passed["there"]):
            print(f"  only here: {test}")
        for test in missing:
            print(f"  MISSING: {test}")
        failed = failed or bool(missing)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])

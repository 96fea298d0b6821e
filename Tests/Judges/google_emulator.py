"""Google's own Firestore emulator, for the judges: found, started on a free port, one at a time, ended by its own process.

It is what GYMMIGRATE_EMULATOR names, else what the Cloud SDK or PATH has. Where there is none, `found_or_skip` says so and ends.
"""

import contextlib
import fcntl
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

SDK_PLACE = "platform/cloud-firestore-emulator/cloud_firestore_emulator"
SDKS = ("/usr/lib/google-cloud-sdk", "/usr/share/google-cloud-sdk", "/opt/google-cloud-sdk", "~/google-cloud-sdk")


def found():
    """The program, or None."""
    if "GYMMIGRATE_EMULATOR" in os.environ:
        named = os.environ["GYMMIGRATE_EMULATOR"]
        return named if named and os.path.exists(named) else None
    gcloud = shutil.which("gcloud")
    sdks = [*([pathlib.Path(gcloud).resolve().parent.parent] if gcloud else []), *(pathlib.Path(sdk).expanduser() for sdk in SDKS)]
    places = [str(sdk / SDK_PLACE) for sdk in sdks]
    return next((place for place in places if os.path.exists(place)), shutil.which("cloud_firestore_emulator"))


def found_or_skip(judged):
    """The program; where it is missing, says that nothing judges `judged` and ends well."""
    program = found()
    if program is None:
        print(f"SKIPPED: Google's emulator is not installed (GYMMIGRATE_EMULATOR=FILE names it), so it does not judge {judged}.")
        sys.exit(0)
    return program


@contextlib.contextmanager
def running(program, *options, seconds=3600):
    """Runs the emulator while the block does, `seconds` at most; gives its `host:port`.

    A lock file makes the judges of one machine wait for each other, so that there is never more than one.
    """
    with open(os.path.join(tempfile.gettempdir(), f"google-emulator-{os.getuid()}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with tempfile.NamedTemporaryFile("w+") as log:
            port = free_port()
            command = [program, "start", "--host=127.0.0.1", f"--port={port}", *options]
            process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
            # An emulator that hangs must not hold up the tests.
            timer = threading.Timer(seconds, end, [process, signal.SIGKILL])
            timer.daemon = True
            timer.start()
            try:
                await_answer(process, port, log.name)
                yield f"127.0.0.1:{port}"
            finally:
                timer.cancel()
                end(process, signal.SIGTERM)
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    end(process, signal.SIGKILL)
                    process.wait()


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def end(process, by):
    """Ends the script and the Java that it started: the session is theirs alone."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, by)


def await_answer(process, port, log):
    while True:
        if process.poll() is not None:
            raise SystemExit("Google's emulator ended: " + open(log).read())
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).close()
            return
        except OSError:
            time.sleep(0.1)

"""What the judges that run the program have in common: its embedded store in a process of its own, servers that stand before it,
and the seeds of a judge. Needs nothing but Python's own library."""

import contextlib
import http.client
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Wrong(Exception):
    """What the program did is not right."""


def need(truth, what):
    if not truth:
        raise Wrong(what)


def text(value):
    return {"stringValue": value}


def integer(value):
    return {"integerValue": str(value)}


class Store:
    """The program's own store, in memory where no options say otherwise; it ends with its context."""

    def __init__(self, program, folder=None, options=("--memory",), environment=None):
        self.process = subprocess.Popen(
            [program, "serve", "--port", "0", *options], cwd=folder, env=environment, stderr=subprocess.PIPE, text=True
        )
        for line in self.process.stderr:
            if found := re.search(r"FIRESTORE_EMULATOR_HOST=(\S+)", line):
                self.host = found[1]
                break
        else:
            raise Wrong("the store did not come up")
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def scratch(binary, kind=Store):
    """A folder that is removed, the binary's path from everywhere, and a store."""
    with tempfile.TemporaryDirectory() as name:
        binary = os.path.abspath(binary)
        with kind(binary, name) as store:
            yield pathlib.Path(name), binary, store


class Handler(BaseHTTPRequestHandler):
    """Answers requests that are to be quick, and says nothing about them."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def whole_body(self):
        """The body; None, without an answer, if whoever sent it was killed before its end."""
        body = self.body()
        if len(body) < int(self.headers.get("Content-Length") or 0):
            return self.hang_up()
        return body

    def respond(self, status, body, type="application/json", keep=None):
        """Answers with a body, or with so many bytes of it before the connection is closed."""
        self.send_response_only(status)
        self.send_header("Content-Type", type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:keep])
        self.wfile.flush()
        if keep is not None:
            self.close_connection = True

    def hang_up(self):
        self.close_connection = True

    def asked(self, host, body):
        """The answer of a server to this request: its status, its body and its type."""
        skipped = ("connection", "host", "accept-encoding", "content-length")
        headers = {k: v for k, v in self.headers.items() if k.lower() not in skipped}
        connection = http.client.HTTPConnection(host, timeout=120)
        connection.request(self.command, self.path, body or None, headers)
        response = connection.getresponse()
        answer = response.read()
        connection.close()
        return response.status, answer, response.getheader("Content-Type") or "application/json"

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    """Serves on a free loopback port from a thread of its own."""

    daemon_threads = True

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.endpoint = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        # A client that ends may leave its connections open, or reset them.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def seeds_asked(variable, usual):
    """The binary, how many seeds and the first of them, by the arguments and a variable of the environment."""
    binary, *numbers = sys.argv[1:]
    number, first = (*numbers, *[os.environ.get(variable, usual), 1][len(numbers):])
    return binary, int(number), int(first)


def played(seeds, scene, counts, counted, told):
    """Plays a scene of each seed to its end, then fails for all that are wrong; `told` names what a scene does."""
    wrongs = []
    for seed in seeds:
        made = scene(seed)
        try:
            made.play()
        except Wrong as wrong:
            wrongs.append(f"seed {seed}: {told(made)}: {wrong}")
        counts[counted] += 1
    need(not wrongs, "\n\n".join(wrongs[:20]) + f"\n\n{len(wrongs)} of {len(seeds)} seeds fail")


def report(judge, seed, counts):
    print(f"{judge}: seed {seed}, " + ", ".join(f"{number} {what}" for what, number in counts.items()))


def run_judge(name, main):
    try:
        main()
    except Wrong as wrong:
        sys.exit(f"{name}: {str(wrong).rstrip()}")


def run_or_exit(command, folder, code=0):
    """What a command prints, whose exit code has to be this one."""
    done = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True)
    if done.returncode != code:
        sys.exit(f"{command}: exit {done.returncode}, not {code}\n{done.stderr[-2000:]}")
    return done.stdout

#!/usr/bin/env python3
"""Runs each row of the limits in docs/security.md with the release binary: what the input is, the exit code or the answer,
and the most memory that the program took. Ends in 1 where one of them is not as that page says.

    scripts/check-limits.py BINARY [WORDS...]

WORDS take only the rows whose name holds one of them. Called by `make check-memory`.
"""

import contextlib
import gzip
import json
import os
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Tests/Judges"))
import judging  # noqa: E402

MIB = 1 << 20
binary = os.path.realpath(sys.argv[1])
chosen = sys.argv[2:]
failed = False
environment = {name: value for name, value in os.environ.items() if not name.startswith("GYMMIGRATE_")}
# For the program without an end.
environment["GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES"] = "1"


def report(name, found, wanted, mebibytes, limit):
    global failed
    wrong = found != wanted or mebibytes > limit
    failed = failed or wrong
    print(f"{name:<58} {found!s:>6} {mebibytes:8.1f} MiB{'   WRONG: ' + f'{wanted} within {limit} MiB' if wrong else ''}", flush=True)


def isChosen(name):
    return not chosen or any(word in name for word in chosen)


def run(name, wanted, *arguments, limit=64, prepare=None, before=None):
    """A command in a folder of its own: `prepare` makes its files, `before` is called in the child."""
    if not isChosen(name):
        return
    with tempfile.TemporaryDirectory() as folder:
        if prepare:
            prepare(folder)
        with open(f"{folder}/stderr", "wb") as errors:
            # A child begins with the peak of the process that forks it, so that is a small one.
            code = subprocess.run(
                ["/usr/bin/time", "-q", "-f", "%M", "-o", f"{folder}/peak", binary, *arguments], cwd=folder, env=environment,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, preexec_fn=before,
            ).returncode
        report(name, code, wanted, int(open(f"{folder}/peak").read()) / 1024, limit)
        if code != wanted:
            print(open(f"{folder}/stderr", errors="replace").read()[-1000:], file=sys.stderr)


def write(folder, name, pieces):
    opened = gzip.open(f"{folder}/{name}", "wb", 1) if name.endswith(".gz") else open(f"{folder}/{name}", "wb")
    with opened as file:
        for piece in pieces:
            file.write(piece)


def tables():
    for ending in ["csv", "csv.gz", "tsv"]:
        # A tab is a delimiter of its own, and a quote that is never closed is the same in both.
        run(
            f"a record of 400 MiB, in {ending}", 65,
            "import", f"u.{ending}", "--collection", "users", "-e", "local", "-q",
            *(["--delimiter", "tab", "--format", "csv"] if ending == "tsv" else []),
            prepare=lambda folder: write(folder, f"u.{ending}", [b'__name__,n\nu1,"', *[b"x" * MIB] * 400]),
        )
    for name, pieces in {
        "80 MiB of commas": [b"__name__,n\n", *[b"," * MIB] * 80],
        "1 GiB of commas": [b"__name__,n\n", *[b"," * MIB] * 1024],
        "a header of 60 MiB": [b"__name__", *[b",a" * (MIB // 2)] * 60, b"\n"],
        "a record of 16,385 cells": [b"__name__,n\nu1" + b",1" * 16_384 + b"\n"],
    }.items():
        run(
            f"{name}, in csv.gz", 65, "import", "u.csv.gz", "--collection", "users", "-e", "local", "-q",
            prepare=lambda folder: write(folder, "u.csv.gz", pieces),
        )
    run(
        "a record of 11 MiB, in 1,000 cells", 2, "import", "u.csv", "--collection", "things", "-e", "local", "-q", limit=128,
        prepare=lambda folder: write(
            folder, "u.csv",
            [b"__name__" + b"".join(b",c%d" % n for n in range(1000)), b"\nu1", *[b"," + b"x" * 11_500] * 1000, b"\n"],
        ),
    )
    run(
        "4 GiB of blank lines, in csv.gz", 0, "import", "u.csv.gz", "--collection", "things", "-e", "local", "-q",
        prepare=lambda folder: write(folder, "u.csv.gz", [b"__name__,n\n", *[b"\n" * MIB] * 4096, b"u1,1\n"]),
    )


def lines():
    document = b'{"fields":{"t":{"stringValue":"'
    end = b'"}},"name":"users/u1"}\n'
    run(
        "a line of 400 MiB, in jsonl.gz", 65, "import", "u.jsonl.gz", "-e", "local", "-q", limit=192,
        prepare=lambda folder: write(folder, "u.jsonl.gz", [document, *[b"x" * MIB] * 400, end]),
    )
    run(
        "a document of 63 MiB, in jsonl", 2, "import", "u.jsonl", "-e", "local", "-q", limit=384,
        prepare=lambda folder: write(folder, "u.jsonl", [document, *[b"x" * MIB] * 63, end]),
    )
    run(
        "a line of 60 MiB of brackets, in jsonl", 65, "import", "u.jsonl", "-e", "local", "-q", limit=512,
        prepare=lambda folder: write(folder, "u.jsonl", [*[b"[" * MIB] * 60, b"\n"]),
    )


def workbooks():
    sheet = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'

    def book(folder, name, pieces, exact=(), hidden=()):
        with zipfile.ZipFile(f"{folder}/{name}", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(
                "[Content_Types].xml",
                '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
                '<Default Extension="xml" ContentType="application/xml"/></Types>',
            )
            office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
            package = "http://schemas.openxmlformats.org/package/2006/relationships"
            archive.writestr(
                "_rels/.rels",
                f'<Relationships xmlns="{package}"><Relationship Id="r1" Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            )
            archive.writestr(
                "xl/workbook.xml",
                f'<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="{office}">'
                '<sheets><sheet name="users" sheetId="1" r:id="r1"/>'
                + "".join(f'<sheet name="{name}" sheetId="{index}" state="hidden" r:id="r2"/>' for index, name in hidden)
                + "</sheets></workbook>",
            )
            archive.writestr(
                "xl/_rels/workbook.xml.rels",
                f'<Relationships xmlns="{package}"><Relationship Id="r1" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/>'
                f'<Relationship Id="r2" Type="{office}/worksheet" Target="worksheets/sheet2.xml"/></Relationships>',
            )
            if hidden:
                with archive.open("xl/worksheets/sheet2.xml", "w", force_zip64=True) as part:
                    for piece in exact:
                        part.write(piece)
            with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as part:
                for piece in pieces:
                    part.write(piece)

    for name, pieces in {
        "1 GiB of white space": [sheet, *[b" " * MIB] * 1024, b"</sheetData></worksheet>"],
        "200 MiB of open tags": [sheet, *[b"<row>" * (MIB // 5)] * 200],
        "a tag of 100 MiB": [sheet, b"<row ", *[b"a" * MIB] * 100],
    }.items():
        run(
            f"{name}, in xlsx", 65, "import", "u.xlsx", "-e", "local", "-q",
            prepare=lambda folder: book(folder, "u.xlsx", pieces),
        )

    def texts(number, *cells):
        return f'<row r="{number}">' + "".join(f'<c t="inlineStr"><is><t>{it}</t></is></c>' for it in cells) + "</row>"

    def entries():
        yield sheet
        yield texts(1, "sheet", "__name__", "field", "shown", "value").encode()
        for number in range(2, 1_048_577):
            yield texts(number, "users", number, "x", 1, '{"integerValue":"1"}').encode()
        yield b"</sheetData></worksheet>"

    # Four sheets of the same million entries, each of a document of its own.
    run(
        "exact values of 4,194,300 documents, in xlsx", 65, "import", "u.xlsx", "-e", "local", "-q",
        prepare=lambda folder: book(
            folder, "u.xlsx",
            [sheet, (texts(1, "__name__", "x") + texts(2, "u1", 1)).encode(), b"</sheetData></worksheet>"],
            entries(), [(2, "_exact"), *((it + 1, f"_exact ({it})") for it in (2, 3, 4))],
        ),
    )


def configuration():
    nested = b"project: p\nenvironments:\n  a: &a { project: p, database: d }\n"
    bomb = nested + b"x0: &x0 [a, a, a, a, a, a, a, a, a]\n" + b"".join(
        b"x%d: &x%d [" % (n, n) + b", ".join([b"*x%d" % (n - 1)] * 9) + b"]\n" for n in range(1, 12)
    )
    run(
        "aliases of aliases, in gymmigrate.yaml", 78, "env", "list",
        prepare=lambda folder: write(folder, "gymmigrate.yaml", [bomb]),
    )
    run(
        "70 MiB of gymmigrate.yaml", 78, "env", "list",
        prepare=lambda folder: write(folder, "gymmigrate.yaml", [b"project: p\n", *[b"# " + b"x" * (MIB - 3) + b"\n"] * 70]),
    )


def pastRuns():
    record = {
        "arguments": ["import", "u.jsonl", "-e", "local"], "command": "import",
        "database": "projects/sajarubox/databases/local", "endpoint": "embedded", "environment": "local",
        "inputs": [], "runId": "R", "startedAt": "2026-11-23T03:45:31Z", "version": "0.1.0",
        "workingDirectory": "/tmp", "writes": True,
    }

    def past(folder, **files):
        os.makedirs(f"{folder}/.gymmigrate/runs/R", mode=0o700)
        os.chmod(f"{folder}/.gymmigrate", 0o700)
        for name, bytes in {"run": json.dumps(record).encode(), **files}.items():
            write(f"{folder}/.gymmigrate/runs/R", f"{name}.json", [bytes])
            os.chmod(f"{folder}/.gymmigrate/runs/R/{name}.json", 0o600)

    for name, files in {
        "a damaged run.json": {"run": b"{"},
        "run.json of 80 MiB": {"run": b'{"runId":"' + b"x" * (80 * MIB) + b'"}'},
        "a damaged summary.json": {"summary": b'{"collections":[{"name":7}]}'},
    }.items():
        run(f"{name}, in runs list", 0, "runs", "list", limit=192, prepare=lambda folder: past(folder, **files))
        run(f"{name}, in runs show", 65, "runs", "show", "R", limit=192, prepare=lambda folder: past(folder, **files))
    def killed(folder, checkpoint):
        write(folder, "u.jsonl", [b'{"fields":{},"name":"users/u1"}\n'])
        subprocess.run([binary, "import", "u.jsonl", "-e", "local", "-q"], cwd=folder, env=environment, check=True)
        [run] = os.listdir(f"{folder}/.gymmigrate/runs")
        os.unlink(f"{folder}/.gymmigrate/runs/{run}/summary.json")
        write(f"{folder}/.gymmigrate/runs/{run}", "checkpoint.json", [checkpoint])

    for name, checkpoint in {
        "a position of 2^63 - 1": b'{"stage":0,"journal":9223372036854775807}',
        "part 4,000,000,000": b'{"stage":4000000000,"journal":0}',
    }.items():
        run(
            f"{name}, in a checkpoint", 65, "runs", "resume", "last",
            prepare=lambda folder: killed(folder, checkpoint),
        )


def manifests():
    def folder(count, deleted=None):
        manifest = {
            "toolVersion": "0.1.0", "environment": "local", "database": "projects/p/databases/d",
            "files": [{"file": "users.jsonl", "collection": "users", "documents": count, "bytes": count, "sha256": "0" * 64}],
        }

        if deleted:
            manifest["deleted"] = manifest["files"][0] | {"file": "deleted.jsonl", "collection": "*"}

        def prepare(path):
            os.mkdir(f"{path}/backup")
            write(path, "backup/deleted.jsonl", deleted or [b""])
            write(path, "backup/manifest.json", [json.dumps(manifest).encode()])
            write(path, "backup/users.jsonl", [b""])

        return prepare

    run("a count of 2^63 - 1 in a manifest", 65, "export", "verify", "backup", prepare=folder(2**63 - 1))
    line = [b'{"name":"users/'] + [b"x" * MIB] * 400 + [b'"}\n']
    run(
        "a line of 400 MiB in a list of deleted documents", 65, "import", "backup", "--mode", "upsert", "-e", "local", "-q",
        prepare=folder(0, line),
    )


def localStore():
    def damaged(folder):
        os.mkdir(f"{folder}/.gymmigrate", 0o700)
        write(f"{folder}/.gymmigrate", "local.sqlite", [b"SQLite format 3\0" + b"\xff" * 8000])

    def late(folder):
        subprocess.run([binary, "count", "users", "-e", "local", "-q"], cwd=folder, env=environment, capture_output=True)
        with sqlite3.connect(f"{folder}/.gymmigrate/local.sqlite") as database:
            database.execute("UPDATE state SET last_commit = 9223372036854775807")

    run("a damaged data file of the embedded store", 65, "count", "users", "-e", "local", "-q", prepare=damaged)
    run("a time beyond 9999 in the embedded store", 65, "count", "users", "-e", "local", "-q", prepare=late)


def descriptors():
    run(
        "ulimit -n 16", 78, "count", "users", "-e", "local", "-q",
        before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16)),
    )
    run(
        "ulimit -v of 512 MiB", 78, "count", "users", "-e", "local", "-q",
        before=lambda: resource.setrlimit(resource.RLIMIT_AS, (512 * MIB, 512 * MIB)),
    )

    def few():
        # Limits of processes do not count for root.
        resource.setrlimit(resource.RLIMIT_NPROC, (8, 8))
        if os.getuid() == 0:
            os.setgid(65_534)
            os.setuid(65_534)

    run("ulimit -u 8", 78, "count", "users", "--project", "p", "--endpoint", "http://127.0.0.1:1", "-q", before=few, prepare=lambda folder: os.chmod(folder, 0o777))


class Service(judging.Handler):
    """A service that answers whatever it is asked with `pieces`."""

    wbufsize = 0
    pieces = []

    def answer(self):
        self.body()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for piece in self.pieces:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            self.close_connection = True

    do_GET = do_POST = answer


@contextlib.contextmanager
def answering(pieces, kind=Service):
    """A server that answers with pieces."""
    Service.pieces = pieces
    server = judging.Server(kind)
    yield server
    server.shutdown()


def services():
    def ask(name, wanted, pieces, *arguments, limit=64):
        with answering(pieces) as server:
            place = ["--project", "p", "--database", "d", "--endpoint", server.endpoint]
            run(name, wanted, *arguments, *place, "--retry-for", "1s", "-q", limit=limit)

    count = b'[{"result":{"aggregateFields":{"count":{"integerValue":"9223372036854775807"}}},"readTime":"2026-11-23T00:00:00Z"}]'
    ask("a count of 2^63 - 1 of the service", 69, [count], "count", "users")
    ask("an answer of 400 MiB of white space", 69, [b"[", *[b" " * MIB] * 400], "count", "users", limit=640)
    ask("an answer of 400 MiB of brackets", 69, [*[b"[" * MIB] * 400], "export", "users", "-o", "u.jsonl", limit=640)
    page = b'{"documents":[%s],"nextPageToken":"t"}'
    time_ = b'"createTime":"2026-11-23T00:00:00Z","updateTime":"2026-11-23T00:00:00Z"'
    name_ = b"projects/p/databases/d/documents/users/"
    one = b'{"name":"%s%s",%s}'
    ask("a page that repeats", 69, [page % (one % (name_, b"a", time_))], "export", "users", "-o", "u.jsonl")
    ask(
        "a page that goes backwards", 69, [page % b",".join(one % (name_, it, time_) for it in (b"b", b"a"))],
        "export", "users", "-o", "u.jsonl",
    )
    ask("pages without documents", 69, [b'{"nextPageToken":"t"}'], "export", "users", "-o", "u.jsonl")
    ask("an answer of 80 MiB about an operation", 69, [b" " * MIB] * 80, "managed", "status", "o", limit=256)


class Bucket(Service):
    """The same for lists and for `b.xlsx` only; there are no other objects."""

    def do_GET(self):
        if "/o/" not in self.path or "/o/b.xlsx" in self.path:
            return self.answer()
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()


def buckets():
    def ask(name, wanted, pieces, *arguments, limit=64, kind=Service):
        with answering(pieces, kind) as server:
            environment["STORAGE_EMULATOR_HOST"] = f"127.0.0.1:{server.server_port}"
            run(name, wanted, *arguments, limit=limit)
            del environment["STORAGE_EMULATOR_HOST"]

    white = [b"[", *[b" " * MIB] * 80]
    ask("80 MiB about an object in a bucket", 69, white, "export", "verify", "gs://bucket/nightly")
    ask("80 MiB as a page of a list of a bucket", 69, white, "export", "verify", "gs://bucket/nightly", limit=256, kind=Bucket)
    huge = b'{"name":"b.xlsx","generation":"1","size":"%d","updated":"2026-11-24T00:00:00Z"}' % (1 << 50)
    ask(
        "a workbook of 1 PiB in a bucket", 73, [huge], "import", "gs://bucket/b.xlsx", "--collection", "c", "-e", "local", "-q",
        kind=Bucket,
    )


def shards():
    plan = {
        "version": 2, "runId": "R", "name": "export", "toolVersion": "0", "holder": "u@h", "tasks": 1, "ranges": [{"number": 0}],
        "target": {"database": "projects/p/databases/d", "endpoint": "http://h", "environment": "local"},
        "command": ["export"], "createdAt": "2026-11-24T00:00:00Z", "writes": False, "reads": [], "inputs": [], "migrations": [],
        "job": {
            "kind": "export", "options": {}, "connection": {"files": {}, "stateDir": ".gymmigrate", "retryFor": 300},
            "write": {"batchSize": 100, "inFlight": 8},
            "output": {"json": False, "quiet": False, "verbose": 0, "logFormat": "text", "noProgress": False},
        },
    }

    def place(text):
        def prepare(folder):
            os.mkdir(f"{folder}/place")
            write(folder, "place/plan.json", [text])

        return prepare

    def status(name, text, wanted=65):
        run(name, wanted, "shard", "status", "place", prepare=place(text))

    status("a plan of 1 task of a sharded run", json.dumps(plan).encode(), 0)
    status("80 MiB of a plan of a sharded run", b" " * (80 * MIB))
    status("20,000 tasks of a sharded run", json.dumps({**plan, "tasks": 20_000}).encode())
    ranges = [{"number": number} for number in range(100_001)]
    status("100,001 ranges of a sharded run", json.dumps({**plan, "ranges": ranges}).encode())


def credentials():
    def federated(folder, source, port=1):
        write(folder, "c.json", [json.dumps({
            "type": "external_account", "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
            "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/g",
            "token_url": f"http://127.0.0.1:{port}/v1/token", "credential_source": source,
        }).encode()])

    def sign(name, prepare):
        run(name, 78, "count", "users", "--project", "p", "--credentials", "c.json", "-q", prepare=prepare)

    sign("70 MiB of a credential file", lambda folder: write(folder, "c.json", [b'{"type":"', *[b"x" * MIB] * 70]))

    def longToken(folder):
        write(folder, "token", [b"x" * MIB] * 70)
        federated(folder, {"file": "token"})

    sign("a token of 70 MiB in a file", longToken)
    sign("a pipe to which nobody writes", lambda folder: os.mkfifo(f"{folder}/c.json"))
    sign("a program that prints without end", lambda folder: federated(folder, {"executable": {"command": "yes"}}))

    def ask(name, pieces, source):
        def prepare(folder):
            write(folder, "token", [b"e.y.j"])
            federated(folder, source(server.server_port), server.server_port)

        with answering(pieces) as server:
            sign(name, prepare)

    file = lambda port: {"file": "token"}
    ask("400 MiB of a token server", [b"{", *[b" " * MIB] * 400], file)
    ask("brackets of a token server", [b"[" * 1000], file)
    ask("an access token of 100 KiB", [b'{"access_token":"' + b"x" * (100 << 10) + b'"}'], file)
    ask("400 MiB of an identity provider", [b" " * MIB] * 400, lambda port: {"url": f"http://127.0.0.1:{port}/"})


def server():
    """Requests to `serve`, and the memory of the server after them."""
    if not isChosen("serve"):
        return
    with tempfile.TemporaryDirectory() as folder:
        store = judging.Store(binary, folder, environment=environment)
        process, port = store.process, int(store.host.rsplit(":", 1)[1])

        def connect():
            connection = socket.create_connection(("127.0.0.1", port))
            connection.settimeout(60)
            return connection

        def status(connection):
            try:
                head = connection.recv(200)
            except OSError:
                head = b""
            return int(head.split()[1]) if head.startswith(b"HTTP/1.1 ") else "closed"

        def isClosed(connection):
            try:
                while connection.recv(4096):
                    pass
            except OSError as error:
                return not isinstance(error, TimeoutError)
            return True

        def peak():
            for line in open(f"/proc/{process.pid}/status"):
                if line.startswith("VmHWM"):
                    return int(line.split()[1]) / 1024

        def ask(name, wanted, pieces, limit=64, closes=False):
            connection = connect()
            try:
                for piece in pieces:
                    connection.sendall(piece)
            except OSError:
                pass
            found = status(connection)
            report(f"serve: {name}", found if not closes or isClosed(connection) else "open", wanted, peak(), limit)
            connection.close()

        path = b"/v1/projects/p/databases/d/documents:commit"
        head = b"POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n" % (path, port)
        chunked = b"Transfer-Encoding: chunked\r\n\r\n"
        ask("a chunk of 7fffffffffffffff bytes", 400, [head, chunked, b"7fffffffffffffff\r\n"], closes=True)
        ask("headers of 65 KiB", 400, [head, b"X: " + b"x" * (65 << 10) + b"\r\n\r\n"], closes=True)
        ask("a space before the colon", 400, [head, b"Content-Length : 2\r\n\r\n{}"], closes=True)
        ask("a body of 11 MiB", 400, [head, b"Content-Length: %d\r\n\r\n" % (11 * MIB), *[b" " * MIB] * 11])
        ask("a body of 300 MiB", "closed", [head, b"Content-Length: %d\r\n\r\n" % (300 * MIB), *[b" " * MIB] * 300])
        held = []
        for _ in range(12):
            connection = connect()
            connection.sendall(head + b"Content-Length: %d\r\n\r\n" % (10 * MIB) + b" " * (10 * MIB - 1))
            held.append(connection)
        time.sleep(1)  # what is sent is read; no answer says that it was
        one = connect()
        one.sendall(head + b"Content-Length: %d\r\n\r\n" % (10 * MIB) + b" " * (10 * MIB))
        report("serve: 130 MiB of bodies at once", status(one), 503, peak(), 256)
        one.close()
        for connection in held:
            connection.close()
        slow = connect()
        slow.sendall(head)
        begun = time.monotonic()
        slow.settimeout(90)
        found = status(slow)
        seconds = time.monotonic() - begun
        report(f"serve: a pause of {seconds:.0f} s", found if 25 < seconds < 60 else "late", "closed", peak(), 256)
        process.send_signal(signal.SIGTERM)
        process.wait()


for part in [
    tables, lines, workbooks, configuration, credentials, pastRuns, manifests, localStore, descriptors, services, buckets, shards,
    server,
]:
    part()
sys.exit(1 if failed else 0)

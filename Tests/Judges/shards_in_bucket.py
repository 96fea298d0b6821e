#!/usr/bin/env python3
"""Divides exports among tasks that share nothing but a bucket: the strict service of storage_service.py, without and with faults.

Two workers of each task at once, then one more each: the parts put together are the export of one process, byte for byte, the
bucket was asked for nothing that Google's documents forbid, and a command that writes is refused before anything is written.

    shards_in_bucket.py BINARY
"""
import http.client
import json
import os
import random
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

TASKS = 3
HERE = os.path.dirname(os.path.abspath(__file__))


def started(words, marker, **options):
    """Starts a server, and returns it with what follows the marker on its first line that has it."""
    server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    for line in server.stdout:
        if marker in line:
            return server, line.split(marker, 1)[1].strip()
    sys.exit(f"shards_in_bucket.py: {words[0]} did not start")


def fetched(url, size=None):
    """The body of an answer, or so many bytes of it; the service fails on purpose now and then."""
    request = urllib.request.Request(url, headers={"Range": f"bytes=0-{size - 1}"} if size else {})
    for _ in range(100):
        try:
            with urllib.request.urlopen(request) as answer:
                length = answer.headers.get("Content-Length")
                body = answer.read()
                if length is None or int(length) == len(body):
                    return body
        except (urllib.error.URLError, ConnectionError, http.client.HTTPException):
            pass
    sys.exit(f"shards_in_bucket.py: no answer from {url}")


def objects_of(host, prefix):
    """The objects below a prefix, in the order of their names."""
    things, token = [], ""
    while True:
        page = json.loads(fetched(f"http://{host}/storage/v1/b/backups/o?prefix={prefix}&pageToken={token}"))
        things += page.get("items", [])
        token = page.get("nextPageToken", "")
        if not token:
            return sorted(things, key=lambda thing: thing["name"])


def content(host, thing):
    """The bytes of an object in the version of the list."""
    name = thing["name"].replace("/", "%2F")
    size = int(thing["size"])
    return fetched(f"http://{host}/storage/v1/b/backups/o/{name}?alt=media&generation={thing['generation']}", size) if size else b""


def main():
    binary = os.path.abspath(sys.argv[1])
    servers = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            base = {"PATH": os.environ["PATH"], "HOME": folder}
            server, host = started([binary, "serve", "--port", "0", "--memory"], "FIRESTORE_EMULATOR_HOST=", env=base)
            servers.append(server)
            database = ["--project", "shop", "--database", "test", "--endpoint", f"http://{host}"]

            def run(*words, code=0, environment=base):
                done = subprocess.run([binary, *words], cwd=folder, env=environment, capture_output=True, text=True)
                if done.returncode != code:
                    sys.exit(f"shards_in_bucket.py: {' '.join(words)}: exit {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
                return done.stdout

            chance = random.Random(19)
            with open(f"{folder}/orders.jsonl", "w") as file:
                for number in range(3000):
                    name = "".join(chance.choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", k=20))
                    fields = {"n": {"integerValue": str(number)}}
                    if number % 7 == 0:
                        fields["note"] = {"stringValue": 'two, "lines"\n'}
                    print(json.dumps({"fields": fields, "name": f"orders/{name}"}), file=file)
            run("import", "orders.jsonl", *database)
            for form in ("jsonl", "csv"):
                run("export", "orders", *database, "-o", f"whole.{form}")

            for faults in ([], ["--faults", "7"]):
                service, url = started([sys.executable, f"{HERE}/storage_service.py", *faults], "http://")
                servers.append(service)
                cloud = {**base, "STORAGE_EMULATOR_HOST": url}
                run("shard", "plan", "--shards", "2", "--to", "gs://backups/write", "--", "import", "orders.jsonl", *database,
                    code=64, environment=cloud)
                for form in ("jsonl", "csv"):
                    where = f"gs://backups/{form}"
                    run("shard", "plan", "--shards", str(TASKS), "--to", where, "--", "export", "orders", "--format", form,
                        *database, environment=cloud)
                    run("shard", "plan", "--shards", str(TASKS), "--to", where, "--", "export", "orders", *database,
                        code=73, environment=cloud)
                    run("shard", "finish", where, code=75, environment=cloud)
                    for _ in range(2):
                        workers = [
                            subprocess.Popen(
                                [binary, "shard", "work", where, "--task", str(task), "--state-dir", f"state-{form}-{task}-{copy}"],
                                cwd=folder, env=cloud, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                            for task in range(TASKS) for copy in range(2)]
                        for worker in workers:
                            text, _ = worker.communicate()
                            if worker.returncode:
                                sys.exit(f"shards_in_bucket.py: a worker ended in {worker.returncode}\n{text}")
                    for _ in range(2):
                        run("shard", "finish", where, environment=cloud)
                    things = [thing for thing in objects_of(url, f"{form}/parts/") if thing["name"].endswith(f".{form}")]
                    parts = b"".join(content(url, thing) for thing in things)
                    with open(f"{folder}/whole.{form}", "rb") as file:
                        if file.read() != parts:
                            sys.exit(f"shards_in_bucket.py: the {form} parts differ from the whole")
                    if form == "jsonl":
                        run("export", "verify", f"{where}/parts", environment=cloud)
                stats = json.loads(fetched(f"http://{url}/stats"))
                if stats.get("violations"):
                    sys.exit(f"shards_in_bucket.py: the bucket refused: {stats['violations']}")
    finally:
        for server in servers:
            server.kill()
            server.wait()
    print("Tasks that share a bucket export what one process exports.")


if __name__ == "__main__":
    main()

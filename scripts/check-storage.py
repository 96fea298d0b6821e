#!/usr/bin/env python3
"""Checks files in buckets against a strict Cloud Storage (Tests/Judges/storage_service.py): kills, two exports at once, memory.

    check-storage.py [--binary FILE] [--work kills|faults|two|memory] [--points N] [--bytes N] [--seed N]
"""
import argparse
import hashlib
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "Tests/Judges"))
import judging  # noqa: E402
import storage_service  # noqa: E402


class Firestore(judging.Handler):
    """documents.list of collections that are made while they are read."""

    pages = 20
    documents = 20
    size = 100_000
    delay = 0.0

    def answer(self, body):
        self.respond(200, json.dumps(body).encode())

    def do_GET(self):
        time.sleep(self.delay)
        parts = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(parts.query)
        base = "projects/p/databases/(default)/documents"
        collection = parts.path.rsplit("/", 1)[1]
        page = int(query.get("pageToken", ["0"])[0])
        documents = [
            {
                "name": f"{base}/{collection}/d{page:06d}{index:03d}",
                "fields": {"text": {"stringValue": f"{page:06d}{index:03d}" * (self.size // 9)}},
                "createTime": "2026-01-01T00:00:00Z",
                "updateTime": "2026-01-01T00:00:00Z",
            }
            for index in range(self.documents)
        ]
        answer = {"documents": documents}
        if page + 1 < self.pages:
            answer["nextPageToken"] = str(page + 1)
        self.answer(answer)

    def do_POST(self):
        self.body()
        # Counts and looks at one document: nothing that an export depends on.
        self.answer([{"readTime": "2026-01-01T00:00:00Z", "missing": "projects/p/databases/(default)/documents/a/b"}])


class Check:
    def __init__(self, options):
        self.binary = options.binary
        self.random = random.Random(options.seed)
        self.folder = tempfile.TemporaryDirectory()
        self.failures = 0
        self.firestore = storage_service.QuietServer(Firestore)

    def service(self, *arguments):
        process = subprocess.Popen(
            [sys.executable, str(root / "Tests/Judges/storage_service.py"), *arguments], stdout=subprocess.PIPE, text=True
        )
        self.url = process.stdout.readline().strip()
        return process

    def stats(self):
        with urllib.request.urlopen(f"{self.url}/stats") as answer:
            return json.load(answer)

    def start(self, *words, **options):
        environment = {"PATH": os.environ["PATH"], "STORAGE_EMULATOR_HOST": self.url, "HOME": self.folder.name}
        return subprocess.Popen(
            [self.binary, *words], cwd=self.folder.name, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, **options,
        )

    def run(self, *words):
        process = self.start(*words)
        output, errors = process.communicate()
        return process.returncode, output, errors, process

    def export(self, target, *words):
        endpoint = f"http://127.0.0.1:{self.firestore.server_port}"
        return [
            "export", "big", "--project", "p", "--endpoint", endpoint, "-o", target, "--format", "jsonl", "--page-size", "20",
            "--read-time", "none", *words,
        ]

    def expect(self, holds, text):
        print(("ok    " if holds else "WRONG ") + text, flush=True)
        self.failures += not holds

    def end(self, service):
        stats = self.stats()
        self.expect(not stats["violations"], f"the service was used as documented {stats['violations'][:3]}")
        service.kill()
        service.wait()
        return stats

    def find(self, name):
        return next((thing for thing in self.stats()["objects"] if thing["name"] == name), None)

    def kills(self, points):
        """kill -9 at points spread over the whole upload: the object is whole or missing."""
        service = self.service()
        Firestore.pages, Firestore.delay = 40, 0.0
        began = time.monotonic()
        code, _, errors, _ = self.run(*self.export("gs://bucket/kills/reference.jsonl"))
        took = time.monotonic() - began
        self.expect(code == 0, f"an uninterrupted export ends in 0 after {took:.1f} s {errors if code else ''}")
        whole = self.find("kills/reference.jsonl")
        missing = 0
        for point in range(points):
            name = f"kills/{point}.jsonl"
            process = self.start(*self.export(f"gs://bucket/{name}"))
            # The last ones come after the end, which is a moment, too.
            time.sleep(1.1 * took * (point + self.random.random()) / points)
            process.kill()
            process.communicate()
            found = self.find(name)
            missing += found is None
            if found and (found["size"], found["crc32c"]) != (whole["size"], whole["crc32c"]):
                self.expect(False, f"killed at point {point}: {found['size']} bytes are there, not {whole['size']}")
            code, _, errors, _ = self.run(*self.export(f"gs://bucket/{name}")) if point % 10 == 0 else (0, 0, "", 0)
            if code or (point % 10 == 0 and self.find(name)["crc32c"] != whole["crc32c"]):
                self.expect(False, f"repeated after a kill at point {point}: exit {code} {errors}")
        self.expect(True, f"{points} kills: the object was missing {missing} times, whole {points - missing} times")
        self.end(service)

    def faults(self, rounds):
        """Lost answers, statuses that are retried, cut bodies, pieces that are taken in part."""
        Firestore.pages, Firestore.delay = 20, 0.0
        for seed in range(rounds):
            service = self.service("--faults", str(self.random.randrange(1 << 30)))
            code, _, errors, _ = self.run(*self.export("gs://bucket/p/"))
            self.expect(code == 0, f"round {seed}: an export to a service that fails ends in 0 {errors if code else ''}")
            code, output, errors, _ = self.run("export", "verify", "gs://bucket/p")
            self.expect(code == 0, f"round {seed}: what it wrote is whole {output + errors if code else ''}")
            stats = self.end(service)
            print(f"      {stats['requests']} requests, {stats['faults']} faults")

    def two(self, rounds):
        """Two scheduled exports at once: one is done, the other ends in 75 and names it."""
        service = self.service()
        Firestore.pages, Firestore.delay = 10, 0.1
        for _ in range(rounds):
            both = [self.start(*self.export("gs://bucket/nightly", "--dated", "--keep", "2")) for _ in range(2)]
            ends = [(process.communicate()[1], process.returncode, process.pid) for process in both]
            codes = sorted(code for _, code, _ in ends)
            self.expect(codes == [0, 75], f"two at once end in {codes}")
            if codes == [0, 75]:
                winner = next(pid for _, code, pid in ends if code == 0)
                loser = next(text for text, code, _ in ends if code == 75)
                self.expect(f"process {winner} " in loser, "the other names the one that writes")
        names = [thing["name"] for thing in self.stats()["objects"]]
        folders = sorted({name.split("/")[1] for name in names if re.match(r"nightly/\d", name)})
        self.expect(len(folders) == min(rounds, 2), f"--keep 2 leaves {folders}")
        self.expect("nightly/.gymmigrate.lock" not in names, "the lock is given back")
        code, output, errors, _ = self.run("export", "verify", "gs://bucket/nightly/latest")
        self.expect(code == 0, f"'latest' is whole {output + errors if code else ''}")
        # A night that was killed leaves a lock, which ends, and files without a manifest, which the next one removes.
        Firestore.pages = 1000
        process = self.start(*self.export("gs://bucket/nightly", "--dated", "--keep", "2"))
        while process.poll() is None and not self.find("nightly/.gymmigrate.lock"):
            time.sleep(0.05)
        process.kill()
        process.communicate()
        code, _, errors, _ = self.run(*self.export("gs://bucket/nightly", "--dated"))
        self.expect(code == 75 and "process" in errors, f"after a kill the lock holds for a minute: exit {code}")
        Firestore.pages = 10
        code, output, errors, _ = self.run("export", "verify", "gs://bucket/nightly")
        self.expect(code == 0, f"nobody takes a killed night for an export {output + errors if code else ''}")
        # The lock ends by the clock of the service.
        urllib.request.urlopen(f"{self.url}/advance?seconds=61", data=b"").close()
        code, _, errors, _ = self.run(*self.export("gs://bucket/nightly", "--dated", "--keep", "2"))
        self.expect(code == 0, f"and then it is anybody's: exit {code} {errors if code else ''}")
        contents = {}
        for thing in self.stats()["objects"]:
            if match := re.match(r"nightly/(\d[^/]*)/(.*)", thing["name"]):
                contents.setdefault(match[1], set()).add(match[2])
        halves = [name for name, files in contents.items() if "manifest.json" not in files]
        self.expect(not halves, f"nothing of a killed night is left {halves}")
        self.end(service)

    def memory(self, size):
        """An object of gigabytes in both directions, within 64 MiB."""
        service = self.service()
        Firestore.pages, Firestore.delay = max(1, size // (Firestore.documents * Firestore.size)), 0.0
        began = time.monotonic()
        process = self.start(*self.export("gs://sink/big.jsonl"))
        peak = self.peak(process)
        errors = process.communicate()[1]
        found = self.find("big.jsonl")
        took = time.monotonic() - began
        self.expect(process.returncode == 0 and found, f"the upload ends in {process.returncode} {errors if process.returncode else ''}")
        written = int(found["size"]) if found else 0
        self.expect(peak <= 64 << 10, f"{written >> 20} MiB written at {written / took / 1e6:.0f} MB/s, peak {peak >> 10} MiB")
        digest, lines = hashlib.sha256(), size // 64
        for offset in range(0, size, 1 << 22):
            digest.update(storage_service.source(offset, min(1 << 22, size - offset)))
        manifest = {
            "toolVersion": "0", "environment": "check", "database": "projects/p/databases/(default)", "readTime": None,
            "files": [{
                "file": f"source-{size}.jsonl", "collection": "c", "documents": lines, "bytes": size, "sha256": digest.hexdigest(),
            }],
        }
        request = urllib.request.Request(
            f"{self.url}/upload/storage/v1/b/sink/o?uploadType=multipart", method="POST",
            headers={"Content-Type": "multipart/related; boundary=b"},
            data=b'--b\r\n\r\n{"name": "manifest.json"}\r\n--b\r\n\r\n' + json.dumps(manifest).encode() + b"\r\n--b--\r\n",
        )
        urllib.request.urlopen(request).close()
        began = time.monotonic()
        process = self.start("export", "verify", "gs://sink/")
        peak = self.peak(process)
        output, errors = process.communicate()
        took = time.monotonic() - began
        self.expect(process.returncode == 0, f"the download ends in {process.returncode} {output + errors if process.returncode else ''}")
        self.expect(peak <= 64 << 10, f"{size >> 20} MiB read twice at {2 * size / took / 1e6:.0f} MB/s, peak {peak >> 10} MiB")
        stats = self.end(service)
        self.expect(stats["largest"] <= 3 << 20, f"the largest piece has {stats['largest'] >> 20} MiB")

    @staticmethod
    def peak(process):
        """The peak of the resident memory of a process in KiB, while it runs."""
        peak = 0
        while process.poll() is None:
            try:
                text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            except OSError:
                break
            if match := re.search(r"VmHWM:\s+(\d+) kB", text):
                peak = max(peak, int(match[1]))
            time.sleep(0.05)
        return peak


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", default=str(root / "bin/gymmigrate"))
    parser.add_argument("--work", choices=["kills", "faults", "two", "memory"])
    parser.add_argument("--points", type=int, default=50)
    parser.add_argument("--bytes", type=int, default=2 << 30)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    print(f"seed {options.seed}")
    check = Check(options)
    works = {
        "kills": lambda: check.kills(options.points),
        "faults": lambda: check.faults(5),
        "two": lambda: check.two(3),
        "memory": lambda: check.memory(options.bytes),
    }
    for name, work in works.items():
        if options.work in (None, name):
            print(f"== {name}")
            work()
    sys.exit(1 if check.failures else 0)


if __name__ == "__main__":
    main()

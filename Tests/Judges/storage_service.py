#!/usr/bin/env python3
"""A Cloud Storage of its own for checks: strict about what Google's documents demand, in memory, and able to fail.

It plays objects.insert (resumable, multipart), get (metadata and ranges of media, with generation), list (prefix, delimiter, pages)
and delete, with generations, ifGenerationMatch and CRC32C. The bucket "sink" keeps of objects "big…" only size and checksum; its
object "source-N.jsonl" is N bytes that are made while they are read. So an object of gigabytes takes no memory here.

    storage_service.py [--faults SEED]    prints "http://127.0.0.1:PORT" on its first line
    GET /stats                            counts, and the largest piece
    POST /advance?seconds=N               sets its clock, by which locks end, ahead
"""
import argparse
import base64
import json
import random
import re
import struct
import sys
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler

import judging

try:
    import google_crc32c
except ImportError:
    google_crc32c = None

QUANTUM = 256 << 10


def crc32c(data, before=0):
    return google_crc32c.extend(before, data)


def encoded(checksum):
    return base64.b64encode(struct.pack(">I", checksum)).decode()


def source(offset, count):
    """Bytes of an object that is made: lines of 64 bytes with their number."""
    first, last = offset // 64, (offset + count + 63) // 64
    text = b"".join(b"%063d\n" % number for number in range(first, last))
    return text[offset - first * 64 : offset - first * 64 + count]


class Store:
    def __init__(self, seed):
        # Whoever finds a violation holds it already.
        self.lock = threading.RLock()
        self.objects = {}
        self.sessions = {}
        self.generation = 1_700_000_000_000_000
        self.random = random.Random(seed) if seed is not None else None
        self.ahead = 0
        self.requests = 0
        self.largest = 0
        self.faults = 0
        self.violations = []
        self.checksums = {}

    def now(self):
        return time.time() + self.ahead

    def put(self, bucket, name, data, size, checksum, fields, match):
        """Stores an object; None where the precondition does not hold."""
        now = self.objects.get((bucket, name))
        if match is not None and int(match) != (now["generation"] if now else 0):
            return None
        self.generation += 1
        thing = {
            "name": name,
            "bucket": bucket,
            "generation": self.generation,
            "data": data,
            "size": size,
            "crc32c": encoded(checksum),
            "updated": self.now(),
            "metadata": fields.get("metadata", {}),
        }
        self.objects[(bucket, name)] = thing
        return thing

    @staticmethod
    def isSink(bucket, name):
        return bucket == "sink" and name.startswith("big")

    def made(self, bucket, name):
        """An object that is made while it is read."""
        match = re.fullmatch(r"source-(\d+)\.jsonl", name) if bucket == "sink" else None
        if not match:
            return None
        size = int(match[1])
        if name not in self.checksums:
            checksum = 0
            for offset in range(0, size, 1 << 22):
                checksum = crc32c(source(offset, min(1 << 22, size - offset)), checksum)
            self.checksums[name] = checksum
        return {
            "name": name, "bucket": bucket, "generation": 1, "data": None, "size": size,
            "crc32c": encoded(self.checksums[name]), "updated": 0, "metadata": {},
        }


def resource(thing):
    updated = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(thing["updated"]))
    return {
        "kind": "storage#object",
        "name": thing["name"],
        "bucket": thing["bucket"],
        "generation": str(thing["generation"]),
        "size": str(thing["size"]),
        "crc32c": thing["crc32c"],
        "updated": f"{updated}.{int(thing['updated'] % 1 * 1000):03d}Z",
        "metadata": thing["metadata"],
    }


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    store = None

    def log_message(self, *_):
        pass

    def date_time_string(self, timestamp=None):
        """The header Date."""
        return super().date_time_string(self.store.now() if timestamp is None else timestamp)

    def answer(self, status, body=b"", headers=()):
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
        self.send_response(status, "Resume Incomplete" if status == 308 else None)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def fail(self, status, reason, message):
        self.answer(status, {"error": {"code": status, "message": message, "errors": [{"reason": reason}]}})

    def violation(self, text):
        with self.store.lock:
            self.store.violations.append(text)
        self.fail(400, "invalid", text)

    def cut(self):
        """Ends the connection without an answer."""
        self.close_connection = True
        self.connection.close()

    def body(self):
        """The body; None where the client was killed in the middle of it."""
        length = int(self.headers.get("Content-Length", 0))
        data = self.rfile.read(length) if length else b""
        return data if len(data) == length else None

    def handle_one(self):
        parts = urllib.parse.urlsplit(self.path)
        query = {name: values[-1] for name, values in urllib.parse.parse_qs(parts.query, keep_blank_values=True).items()}
        data = self.body()
        if data is None:
            return self.cut()
        store = self.store
        fault = None
        with store.lock:
            store.requests += 1
            store.largest = max(store.largest, len(data))
            if store.random and parts.path != "/stats" and store.random.random() < 0.15:
                store.faults += 1
                fault = store.random.choice(["503", "429", "cut before", "cut after", "502"])
        if fault == "cut before":
            return self.cut()
        if fault in ("503", "502", "429"):
            return self.fail(int(fault), "backendError", "try again")
        if fault == "cut after":
            # Applied, and the answer is lost.
            keep, self.wfile = self.wfile, open("/dev/null", "wb")
            try:
                self.route(parts.path, query, data)
            finally:
                self.wfile = keep
            return self.cut()
        self.route(parts.path, query, data)

    do_GET = do_POST = do_PUT = do_DELETE = handle_one

    def route(self, path, query, data):
        if path == "/stats":
            store = self.store
            with store.lock:
                return self.answer(200, {
                    "requests": store.requests, "faults": store.faults, "largest": store.largest,
                    "violations": store.violations, "objects": [resource(thing) for thing in store.objects.values()],
                    "open": len(store.sessions),
                })
        if path == "/advance":
            with self.store.lock:
                self.store.ahead += int(query["seconds"])
            return self.answer(200, {})
        match = re.fullmatch(r"/upload/storage/v1/b/([^/]+)/o", path)
        if match:
            bucket = urllib.parse.unquote(match[1])
            if self.command == "PUT" or self.command == "DELETE":
                return self.piece(bucket, query, data)
            return self.insert(bucket, query, data)
        match = re.fullmatch(r"/storage/v1/b/([^/]+)/o", path)
        if match and self.command == "GET":
            return self.list(urllib.parse.unquote(match[1]), query)
        match = re.fullmatch(r"/storage/v1/b/([^/]+)/o/([^/]+)", path)
        if match:
            return self.object(urllib.parse.unquote(match[1]), urllib.parse.unquote(match[2]), query)
        self.violation(f"{self.command} {path} is no method of the API")

    # Uploads

    def insert(self, bucket, query, data):
        store = self.store
        if bucket == "missing-bucket":
            return self.fail(404, "notFound", "The specified bucket does not exist.")
        if bucket == "forbidden-bucket":
            return self.fail(403, "forbidden", "The caller does not have storage.objects.create access.")
        kind = query.get("uploadType")
        if kind == "resumable":
            fields = json.loads(data)
            name = query.get("name") or fields.get("name")
            with store.lock:
                match = query.get("ifGenerationMatch")
                now = store.objects.get((bucket, name))
                if match is not None and int(match) != (now["generation"] if now else 0):
                    return self.fail(412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.")
                key = f"{random.getrandbits(64):x}"
                store.sessions[key] = {
                    "bucket": bucket, "name": name, "fields": fields, "match": match, "data": bytearray(), "size": 0,
                    "checksum": 0, "done": None,
                }
            host = self.headers["Host"]
            location = f"http://{host}/upload/storage/v1/b/{bucket}/o?uploadType=resumable&upload_id={key}"
            return self.answer(200, b"", [("Location", location)])
        if kind == "multipart":
            match = re.fullmatch(r"multipart/related; boundary=(\S+)", self.headers.get("Content-Type", ""))
            if not match:
                return self.violation("multipart without a boundary")
            parts = data.split(b"--" + match[1].encode())
            if len(parts) != 4 or parts[3] != b"--\r\n":
                return self.violation("multipart has other than two parts")
            fields = json.loads(parts[1].split(b"\r\n\r\n", 1)[1])
            content = parts[2].split(b"\r\n\r\n", 1)[1][:-2]
            checksum = crc32c(content)
            if "crc32c" in fields and fields["crc32c"] != encoded(checksum):
                return self.violation("the checksum of the metadata is wrong")
            with store.lock:
                thing = store.put(bucket, fields["name"], content, len(content), checksum, fields, query.get("ifGenerationMatch"))
            if not thing:
                return self.fail(412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.")
            return self.answer(200, resource(thing))
        self.violation(f"uploadType {kind}")

    def piece(self, bucket, query, data):
        store = self.store
        with store.lock:
            session = store.sessions.get(query.get("upload_id"))
            if not session:
                return self.fail(404, "notFound", "no such session")
            if self.command == "DELETE":
                del store.sessions[query["upload_id"]]
                return self.answer(499)
            if session["done"]:
                return self.answer(200, resource(session["done"]))
            content_range = self.headers.get("Content-Range", "")
            match = re.fullmatch(r"bytes (?:(\d+)-(\d+)|\*)/(\d+|\*)", content_range)
            if not match:
                return self.violation(f"Content-Range '{content_range}'")
            total = None if match[3] == "*" else int(match[3])
            if match[1] is not None:
                start, end = int(match[1]), int(match[2]) + 1
                if end - start != len(data):
                    return self.violation("Content-Range and body differ")
                if total is None and len(data) % QUANTUM:
                    return self.violation("a piece that is not the last is no multiple of 256 KiB")
                if start > session["size"]:
                    return self.violation("a piece leaves a gap")
                fresh = data[session["size"] - start :]
                # The service may take less than was sent.
                if store.random and total is None and store.random.random() < 0.2:
                    fresh = fresh[: len(fresh) // 2 // QUANTUM * QUANTUM]
                session["size"] += len(fresh)
                session["checksum"] = crc32c(bytes(fresh), session["checksum"])
                if not Store.isSink(bucket, session["name"]):
                    session["data"] += fresh
            elif data:
                return self.violation("a question has a body")
            if total is not None and session["size"] == total:
                claimed = re.search(r"crc32c=([^,]+)", self.headers.get("X-Goog-Hash", ""))
                if not claimed:
                    return self.violation("the last piece names no checksum")
                if claimed[1] != encoded(session["checksum"]):
                    return self.violation("the checksum of the last piece is wrong")
                done = store.put(
                    bucket, session["name"], bytes(session["data"]), session["size"], session["checksum"],
                    session["fields"], session["match"],
                )
                if not done:
                    return self.fail(412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.")
                session["done"] = done
                session["data"] = None
                return self.answer(200, resource(done))
            headers = [("Range", f"bytes=0-{session['size'] - 1}")] if session["size"] else []
        self.answer(308, b"", headers)

    # Objects

    def object(self, bucket, name, query):
        store = self.store
        with store.lock:
            thing = store.objects.get((bucket, name)) or store.made(bucket, name)
            if self.command == "DELETE":
                match = query.get("ifGenerationMatch")
                if thing and match is not None and int(match) != thing["generation"]:
                    return self.fail(412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.")
                if not thing:
                    return self.fail(404, "notFound", f"No such object: {bucket}/{name}")
                del store.objects[(bucket, name)]
                return self.answer(204)
        if not thing or ("generation" in query and int(query["generation"]) != thing["generation"]):
            return self.fail(404, "notFound", f"No such object: {bucket}/{name}")
        if query.get("alt") != "media":
            return self.answer(200, resource(thing))
        match = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if not match or "generation" not in query:
            return self.violation("a download without a range or a generation")
        start, end = int(match[1]), min(int(match[2]) + 1, thing["size"])
        if start >= end:
            return self.fail(416, "requestedRangeNotSatisfiable", "out of range")
        data = source(start, end - start) if thing["data"] is None else thing["data"][start:end]
        if store.random and store.random.random() < 0.1:
            # The connection is cut in the middle of a body.
            self.send_response(206)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2])
            self.wfile.flush()
            return self.cut()
        self.answer(206, data, [("Content-Range", f"bytes {start}-{end - 1}/{thing['size']}")])

    def list(self, bucket, query):
        if bucket == "missing-bucket":
            return self.fail(404, "notFound", "The specified bucket does not exist.")
        if bucket == "forbidden-bucket":
            return self.fail(403, "forbidden", "The caller does not have storage.objects.list access.")
        prefix, delimiter, token = query.get("prefix", ""), query.get("delimiter"), query.get("pageToken", "")
        size = min(int(query.get("maxResults", 1000)), 7)
        with self.store.lock:
            things = sorted(
                (thing for (place, name), thing in self.store.objects.items() if place == bucket and name.startswith(prefix)),
                key=lambda thing: thing["name"].encode(),
            )
        entries = []
        for thing in things:
            rest = thing["name"][len(prefix) :]
            if delimiter and delimiter in rest:
                folder = prefix + rest.split(delimiter)[0] + delimiter
                if not entries or entries[-1][0] != folder:
                    entries.append((folder, None))
            else:
                entries.append((thing["name"], thing))
        start = int(token) if token else 0
        page = entries[start : start + size]
        answer = {"kind": "storage#objects"}
        if items := [resource(thing) for _, thing in page if thing]:
            answer["items"] = items
        if prefixes := [name for name, thing in page if not thing]:
            answer["prefixes"] = prefixes
        if start + size < len(entries):
            answer["nextPageToken"] = str(start + size)
        self.answer(200, answer)


class QuietServer(judging.Server):
    def handle_error(self, request, client_address):
        """Connections of those who were killed, and those that are cut here, end in errors."""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--faults", type=int, metavar="SEED")
    options = parser.parse_args()
    if google_crc32c is None:
        sys.exit("storage_service.py: install google-crc32c (Tests/Judges/requirements.txt)")
    Handler.store = Store(options.faults)
    print(QuietServer(Handler).endpoint, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()

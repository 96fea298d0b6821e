#!/usr/bin/env python3
"""A service that takes every commit, answers after a while, and remembers how many writes came when.

    commit-sink.py DELAY-MS REPORT

Prints its port, and on TERM writes REPORT: a JSON array of [seconds since the first commit, writes].
"""
import json
import signal
import socketserver
import sys
import threading
import time

delay = float(sys.argv[1]) / 1000
commits = []
lock = threading.Lock()
TIME = "2026-01-02T03:04:05.000001Z"


class Handler(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def handle(self):
        while line := self.rfile.readline():
            target = line.split(b" ")[1]
            length = 0
            while (header := self.rfile.readline()) not in (b"\r\n", b""):
                name, _, value = header.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            body = self.rfile.read(length)
            arrived = time.monotonic()
            if b":commit" in target:
                writes = body.count(b'"update":{')
                # What the run notes about itself is no document of the import.
                if b"/documents/_gymmigrate" not in body:
                    with lock:
                        commits.append((arrived, writes))
                result = '{"updateTime":"%s"}' % TIME
                answer = '{"writeResults":[%s],"commitTime":"%s"}' % (",".join([result] * writes), TIME)
            else:
                names = json.loads(body).get("documents", [])
                found = [{"missing": name, "readTime": TIME} for name in names]
                answer = json.dumps(found)
            time.sleep(max(0, arrived + delay - time.monotonic()))
            data = answer.encode()
            head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(data)
            self.wfile.write(head.encode() + data)


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128


def finish(*_):
    with lock:
        first = commits[0][0] if commits else 0
        report = [[arrived - first, writes] for arrived, writes in sorted(commits)]
    with open(sys.argv[2], "w") as file:
        json.dump(report, file)
    sys.exit(0)


signal.signal(signal.SIGTERM, finish)
server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
while True:
    signal.pause()

#!/usr/bin/env python3
"""A service that holds as many documents as one likes, without holding them: each is made when its page is asked for.

    page-server.py DOCUMENTS             prints its port and serves until it is ended
    page-server.py DOCUMENTS --lines     prints the documents of the database `left` as JSON Lines instead

The collection `users` of any database has so many documents, in the order of their names. In the database `right`, every
thousandth differs and every ten-thousandth is missing. Lists, queries that start behind a name, and counts are answered;
a document that is asked for by its name is missing.
"""
import contextlib
import json
import re
import sys
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOTAL = int(sys.argv[1])
TIME = "2026-01-02T03:04:05.678901Z"
TIMES = f'"createTime":"{TIME}","updateTime":"{TIME}"'
CURSOR = re.compile(rb'"startAt":\{[^]]*?"referenceValue":"[^"]*/users/u(\d+)"')
LIMIT = re.compile(rb'"limit":\{?(?:"value":)?(\d+)')


def is_missing(number, database):
    return database == "right" and number % 10_000 == 5_000


def fields(number, database):
    visits = number + (1 if database == "right" and number % 1_000 == 7 else 0)
    day = 1 + number % 28
    return (
        f'{{"createdAt":{{"timestampValue":"2025-03-{day:02}T17:30:00Z"}},'
        f'"email":{{"stringValue":"u{number}@example.com"}},"firstName":{{"stringValue":"Íñigo {number % 977}"}},'
        f'"isActive":{{"booleanValue":{"true" if number % 3 else "false"}}},'
        f'"notes":{{"stringValue":"Línea de {number % 8191}, y \\"más\\""}},'
        f'"paternalLastName":{{"stringValue":"Solís"}},"phone":{{"stringValue":"0{5_500_000_000 + number}"}},'
        f'"ratio":{{"doubleValue":{number}.5}},"visits":{{"integerValue":"{visits}"}}}}'
    )


def page(first, size, database):
    """The numbers of the next documents, from one on."""
    found = []
    while len(found) < size and first < TOTAL:
        if not is_missing(first, database):
            found.append(first)
        first += 1
    return found


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query)
        base, _, collection = url.path.partition("/documents/")
        if collection != "users":
            return self.answer("{}")
        database = base.rsplit("/", 1)[1]
        name = f"{base.removeprefix('/v1/')}/documents/users/u"
        found = page(int(query.get("pageToken", ["0"])[0]), int(query.get("pageSize", ["300"])[0]), database)
        documents = ",".join(
            f'{{"name":"{name}{number:08}","fields":{fields(number, database)},{TIMES}}}' for number in found
        )
        more = f',"nextPageToken":"{found[-1] + 1}"' if found and found[-1] + 1 < TOTAL else ""
        self.answer(f'{{"documents":[{documents}]{more}}}')

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        base = path.partition("/documents")[0]
        database = base.rsplit("/", 1)[1]
        if path.endswith(":runAggregationQuery"):
            alias = re.search(rb'"alias":"([^"]*)"', body)
            key = alias.group(1).decode() if alias else "n"
            count = len(range(5_000, TOTAL, 10_000)) if database == "right" else 0
            number = f'{{"{key}":{{"integerValue":"{TOTAL - count}"}}}}'
            return self.answer(f'[{{"result":{{"aggregateFields":{number}}},"readTime":"{TIME}"}}]')
        if path.endswith(":batchGet"):
            missing = [f'{{"missing":{json.dumps(name)},"readTime":"{TIME}"}}' for name in json.loads(body)["documents"]]
            return self.answer("[" + ",".join(missing) + "]")
        if not path.endswith(":runQuery"):
            return self.answer("{}")
        cursor = CURSOR.search(body)
        limit = LIMIT.search(body)
        found = page(int(cursor.group(1)) + 1 if cursor else 0, int(limit.group(1)) if limit else 300, database)
        name = f"{base.removeprefix('/v1/')}/documents/users/u"
        elements = [
            f'{{"document":{{"name":"{name}{number:08}","fields":{fields(number, database)},{TIMES}}},"readTime":"{TIME}"}}'
            for number in found
        ]
        self.answer("[" + ",".join(elements or [f'{{"readTime":"{TIME}"}}']) + "]")

    def answer(self, text):
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        # A client that has what it wanted does not wait for the page that it asked for ahead.
        with contextlib.suppress(ConnectionError):
            self.wfile.write(data)

    def log_message(self, *_):
        pass


if "--lines" in sys.argv:
    for number in range(TOTAL):
        text = f'{{"fields":{fields(number, "left")},"name":"users/u{number:08}"}}'
        json.loads(text) if number == 0 else None
        sys.stdout.write(text + "\n")
else:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()

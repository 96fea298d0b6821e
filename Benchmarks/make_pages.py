#!/usr/bin/env python3
"""Pages of documents.list, compressed, for a web server to send as they are.

    make_pages.py FILE.jsonl DIR DOCUMENTS

Documents of FILE are repeated until there are enough, each time with names that follow those before, 300 a page; the first page is
first.json.gz, the others are named by their tokens.
"""

import itertools
import json
import sys
import zlib
from pathlib import Path

DATABASE = "projects/bench-project/databases/bench/documents/"
TIMES = {"createTime": "2024-11-12T01:44:43.123456Z", "updateTime": "2025-02-03T04:05:06.789012Z"}
SIZE = 300


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def names(lines):
    """Documents in the order of their names, again and again, and with names that rise all the same."""
    ordered = sorted(lines, key=lambda line: line["name"].encode())
    for round in itertools.count():
        for line in ordered:
            collection, name = line["name"].split("/")
            name = f"{round:05d}-{name}"
            fields = line["fields"]
            if "id" in fields:
                fields = {**fields, "id": {"stringValue": name}}
            yield f"{collection}/{name}", fields


def main(source, folder, count):
    documents = names([json.loads(line) for line in open(source, encoding="utf-8")])
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for start in range(0, count, SIZE):
        page = [
            compact({"name": DATABASE + name, "fields": fields, **TIMES})
            for name, fields in itertools.islice(documents, min(SIZE, count - start))
        ]
        token = f"p{start + SIZE}" if start + SIZE < count else None
        tail = f',"nextPageToken":"{token}"}}' if token else "}"
        name = "first" if start == 0 else f"p{start}"
        text = f'{{"documents":[{",".join(page)}]{tail}'
        packer = zlib.compressobj(6, zlib.DEFLATED, 31)
        (folder / f"{name}.json.gz").write_bytes(packer.compress(text.encode()) + packer.flush())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))

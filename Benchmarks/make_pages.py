#!/usr/bin/env python3
"""Pages of documents.list, compressed, for a web server to send as they are.

    make_pages.py FILE.jsonl DIR DOCUMENTS

Documents of FILE are repeated until there are enough, 300 a page; the first page is first.json.gz, the others are named
by their tokens. What the pages share is compressed once.
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


def main(source, folder, count):
    lines = [json.loads(line) for line in open(source, encoding="utf-8")]
    documents = [
        compact({"name": DATABASE + line["name"], "fields": line["fields"], **TIMES}) for line in lines
    ]
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    shared = {}
    for start in range(0, count, SIZE):
        size = min(SIZE, count - start)
        key = (start % len(documents), size)
        if key not in shared:
            taken = itertools.islice(itertools.cycle(documents), key[0], key[0] + size)
            packer = zlib.compressobj(6, zlib.DEFLATED, 31)
            shared[key] = (packer, packer.compress(f'{{"documents":[{",".join(taken)}]'.encode()))
        packer, head = shared[key]
        packer = packer.copy()
        token = f"p{start + SIZE}" if start + SIZE < count else None
        tail = f',"nextPageToken":"{token}"}}' if token else "}"
        name = "first" if start == 0 else f"p{start}"
        (folder / f"{name}.json.gz").write_bytes(head + packer.compress(tail.encode()) + packer.flush())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))

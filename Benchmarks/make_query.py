#!/usr/bin/env python3
"""The answer to a query for all documents of a collection, compressed, for a web server to send as it is.

    make_query.py FILE.jsonl OUT.json.gz DOCUMENTS

Documents of FILE are repeated until there are enough.
"""

import gzip
import itertools
import json
import sys

from make_pages import DATABASE, TIMES, compact

READ_TIME = "2026-01-02T03:04:05.000001Z"


def main(source, target, count):
    lines = [json.loads(line) for line in open(source, encoding="utf-8")]
    answers = [
        compact({"document": {"name": DATABASE + line["name"], "fields": line["fields"], **TIMES}, "readTime": READ_TIME})
        for line in lines
    ]
    with gzip.open(target, "wt", encoding="utf-8") as out:
        out.write("[" + ",".join(itertools.islice(itertools.cycle(answers), count)) + "]")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))

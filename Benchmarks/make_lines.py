#!/usr/bin/env python3
"""JSON Lines of many documents with names of their own, for an import.

    make_lines.py FILE.jsonl DOCUMENTS >OUT.jsonl

Documents of FILE are repeated until there are enough; the last digits of an ID, wherever it occurs in the line, are those
of the document's number.
"""

import itertools
import json
import sys


def main(source, count):
    lines = [line.rstrip("\n") for line in open(source, encoding="utf-8")]
    ids = [json.loads(line)["name"].rsplit("/", 1)[1] for line in lines]
    for number, (line, id) in enumerate(itertools.islice(itertools.cycle(zip(lines, ids)), count)):
        digits = f"{number:012X}"
        sys.stdout.write(line.replace(id, id[: -len(digits)] + digits) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

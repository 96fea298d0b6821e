"""Reads CSV from the named file as Python's csv module does; prints its rows as JSON.

Usage: read_csv.py FILE DELIMITER
"""
import csv
import json
import sys

csv.field_size_limit(1 << 30)
with open(sys.argv[1], encoding="utf-8", newline="") as file:
    print(json.dumps(list(csv.reader(file, delimiter=sys.argv[2], strict=True))))

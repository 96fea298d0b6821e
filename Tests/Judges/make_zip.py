"""Makes a ZIP file as it is told, be it a workbook or not.

Usage: make_zip.py FILE   (standard input: a JSON list of {"name": ..., "text": ..., "repeat": times (1), "head": ...})
"""
import json
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
    for entry in json.load(sys.stdin):
        with archive.open(entry["name"], "w") as file:
            file.write(entry.get("head", "").encode())
            text = entry["text"].encode()
            for _ in range(entry.get("repeat", 1)):
                file.write(text)

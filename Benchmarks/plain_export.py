#!/usr/bin/env python3
"""What one writes instead of a tool: http.client, json and csv, one page after the other.

    plain_export.py HOST:PORT COLLECTION FILE.csv [DOCUMENTS]
"""

import csv
import gzip
import http.client
import json
import sys

BASE = "/v1/projects/bench-project/databases/bench/documents/"


def plain(value):
    kind, content = next(iter(value.items()))
    if kind == "mapValue":
        return json.dumps({key: plain(each) for key, each in content.get("fields", {}).items()})
    if kind == "arrayValue":
        return json.dumps([plain(each) for each in content.get("values", [])])
    return int(content) if kind == "integerValue" else content


def main(host, collection, path, limit):
    connection = http.client.HTTPConnection(host)
    token, rows, names = None, [], {}
    while True:
        url = f"{BASE}{collection}?pageSize=300&prettyPrint=false" + (f"&pageToken={token}" if token else "")
        connection.request("GET", url, headers={"Accept-Encoding": "gzip"})
        page = json.loads(gzip.decompress(connection.getresponse().read()))
        for document in page.get("documents", []):
            row = {key: plain(value) for key, value in document["fields"].items()}
            row["__name__"] = document["name"].rsplit("/", 1)[1]
            names.update(dict.fromkeys(row))
            rows.append(row)
        token = page.get("nextPageToken")
        if not token or len(rows) >= limit:
            break
    with open(path, "w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, list(names))
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main(*sys.argv[1:4], int(sys.argv[4]) if len(sys.argv) > 4 else sys.maxsize)

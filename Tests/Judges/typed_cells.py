"""Checks every cell of our workbook, as openpyxl reads it, against the documents that it was made of.

    typed_cells.py BOOK.xlsx DOCUMENTS.jsonl ZONE

Texts are to be texts, numbers numbers (of 16 digits), truth values truth values and moments dates in the zone, each with
its value and whatever the type of the column; anything else is to be the text that a person expects, never one with types.
Prints each cell that is not so, then how many cells there were of each type; ends in 1 where any is wrong.
"""
import collections
import datetime
import json
import re
import sys
import zoneinfo

import openpyxl

from shown_cells import shows

ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
SEGMENT = re.compile(r"`((?:[^`\\]|\\.)*)`|([^.`]+)")
MISSING = object()


def segments(path):
    return [
        re.sub(r"\\(.)", r"\1", quoted) if quoted or not plain else plain for quoted, plain in SEGMENT.findall(path)
    ]


def lookup(fields, path):
    """The value at a path; missing where it is a map that has columns of its own."""
    for index, name in enumerate(path):
        if name not in fields:
            return MISSING
        value = fields[name]
        if index == len(path) - 1:
            return MISSING if value.get("mapValue", {}).get("fields") else value
        if "mapValue" not in value:
            return MISSING
        fields = value["mapValue"].get("fields", {})
    return MISSING


def plain(text):
    return ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)


def wrong(cell, value, zone):
    """What is wrong with a cell, and the type that it has."""
    if value is MISSING:
        return (None if cell.value is None and cell.number_format != "@" else "it should be empty"), "empty"
    ((kind, content),) = value.items()
    told = cell.value
    if kind in ("stringValue", "bytesValue") and content == "":
        return (None if told is None and cell.number_format == "@" else "no empty text"), "text"
    if isinstance(told, str):
        text = plain(told)
        if kind == "stringValue" and (text == content or text.startswith('{"longText":')):
            return None, "text"
        if kind in ("arrayValue", "mapValue"):
            return (None if shows(text, value, zone) else "another value"), "JSON"
        if kind in ("bytesValue", "referenceValue", "geoPointValue"):
            return (None if shows(text, value, zone) else "another text"), "text"
        if kind == "nullValue":
            return (None if text == "null" else "no null"), "text"
        if kind == "integerValue":
            # The digits of identifiers are texts, too, which keep their leading zeros when somebody edits them.
            return (None if text == content and (abs(int(content)) > 2**53 or cell.number_format == "@") else "a text"), "text"
        if kind == "doubleValue":
            return (None if text == content in ("NaN", "Infinity", "-Infinity") else "a text"), "text"
        if kind == "timestampValue":
            odd = not "1900-03-01" <= content <= "9999" or len(content) > len("2026-01-01T00:00:00.000Z")
            return (None if odd and text[:4].isdigit() else "a text"), "text"
        return "a text", "text"
    if isinstance(told, bool):
        return (None if kind == "booleanValue" and told == content else "a truth value"), "truth value"
    if isinstance(told, (int, float)):
        if kind not in ("integerValue", "doubleValue"):
            return "a number", "number"
        return (None if float(told) == float(f"{float(content):.16g}") else "another number"), "number"
    if isinstance(told, datetime.datetime) and kind == "timestampValue":
        moment = datetime.datetime.fromisoformat(content[:19] + "+00:00").astimezone(zone).replace(tzinfo=None)
        moment += datetime.timedelta(seconds=float("0" + (content[19:-1] or ".0")))
        # openpyxl reads dates to the millisecond.
        return (None if abs(moment - told) <= datetime.timedelta(milliseconds=1) else "another date"), "date"
    return f"a {type(told).__name__}", "?"


def main(book, documents, zone):
    zone = zoneinfo.ZoneInfo(zone)
    known = {}
    for line in open(documents, encoding="utf-8"):
        document = json.loads(line)
        # What is below the documents of a collection is in a workbook of its own.
        if document["name"].count("/") > 1:
            continue
        known[document["name"].rpartition("/")[2]] = document.get("fields", {})
    sheet = openpyxl.load_workbook(book).worksheets[0]
    rows = sheet.iter_rows()
    headings = [segments(plain(cell.value)) for cell in next(rows)]
    count = collections.Counter()
    failed = 0
    for row in rows:
        fields = known.pop(plain(row[0].value))
        if row[0].data_type != "s" or row[0].number_format != "@":
            failed += 1
            print(f"{book}: {row[0].coordinate}: the id is no text")
        for cell, heading in zip(row[1:], headings[1:]):
            defect, kind = wrong(cell, lookup(fields, heading), zone)
            count[kind] += 1
            if defect:
                failed += 1
                print(f"{book}: {cell.coordinate} ({heading}): {defect}: {cell.value!r}")
    print(json.dumps({"missing": len(known), "wrong": failed, **count}))
    return 1 if failed or known else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

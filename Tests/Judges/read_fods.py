"""Compares a workbook as LibreOffice reads it with our CSV of the same collection, cell by cell.

    read_fods.py BOOK.fods TABLE.csv ZONE

BOOK.fods is what LibreOffice made of our workbook (flat XML, where each cell has its type and its value); TABLE.csv is our
export with the same time zone. A value of another type than its column's is JSON there, and what people expect to see in
the workbook. Prints each cell that differs, then the number of cells; ends in 1 where any differs.
"""
import csv
import datetime
import json
import re
import sys
import xml.etree.ElementTree as xml
import zoneinfo

from shown_cells import plain, shows

csv.field_size_limit(1 << 30)
OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
MOMENT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d(?::\d\d)?)?")


def words(element):
    """The text of a paragraph, its runs of blanks, tabs and line breaks spelled out."""
    text = element.text or ""
    for child in element:
        if child.tag == TEXT + "s":
            text += " " * int(child.get(TEXT + "c", "1"))
        elif child.tag == TEXT + "tab":
            text += "\t"
        elif child.tag == TEXT + "line-break":
            text += "\n"
        else:
            text += words(child)
        text += child.tail or ""
    return text


def value(cell):
    kind = cell.get(OFFICE + "value-type")
    if kind is None:
        return None
    if kind == "string":
        return "string", "\n".join(words(part) for part in cell.iter(TEXT + "p"))
    if kind == "boolean":
        return kind, cell.get(OFFICE + "boolean-value")
    # LibreOffice makes these formulas of the truth values of a workbook, and numbers of their results.
    truth = {"of:=TRUE()": "true", "of:=FALSE()": "false"}.get(cell.get(TABLE + "formula"))
    if truth:
        return "boolean", truth
    if kind in ("date", "time"):
        return kind, cell.get(f"{OFFICE}{kind}-value")
    return "number", cell.get(OFFICE + "value")


def rows(table):
    """The rows of a sheet up to the last that holds something, each up to its last cell that does."""
    found = []
    for row in table.iter(TABLE + "table-row"):
        cells = []
        for cell in row:
            if cell.tag in (TABLE + "table-cell", TABLE + "covered-table-cell"):
                count = int(cell.get(TABLE + "number-columns-repeated", "1"))
                it = value(cell)
                cells += [it] * (count if it else min(count, 20_000))
        while cells and cells[-1] is None:
            cells.pop()
        count = int(row.get(TABLE + "number-rows-repeated", "1"))
        found += [cells] * (count if cells else min(count, 5))
    while found and not found[-1]:
        found.pop()
    return found


def whole(moment):
    """A moment without its zone, and its fraction in microseconds."""
    base = datetime.datetime.fromisoformat(moment[1])
    return base + datetime.timedelta(microseconds=round(float("0" + (moment[2] or ".0")) * 1_000_000))


def elements(text):
    """The elements of an array in our CSV, where those that JSON does not distinguish have their types."""
    return [it if isinstance(it, dict) else {"literal": it} for it in json.loads(text)]


def agrees(ours, theirs, zone):
    """Whether a cell of our CSV is what LibreOffice sees in the workbook."""
    if theirs is None:
        return ours in ("", '{"stringValue":""}', '{"bytesValue":""}')
    kind, text = theirs
    typed = json.loads(ours) if ours.startswith("{") and ours != "{}" else None
    if kind == "string":
        # A line break is a line feed to LibreOffice.
        if ours.replace("\r\n", "\n") == text:
            return True
        if typed:
            return shows(text, typed, zone) or typed.get("stringValue", "").replace("\r\n", "\n") == text
        if ours.startswith("["):
            told = [it["literal"] if "literal" in it else plain(it, zone) for it in elements(ours)]
            return json.loads(text) == told
        # A moment that a workbook cannot hold is a text, in UTC.
        a, b = MOMENT.fullmatch(ours), MOMENT.fullmatch(text)
        return bool(a and b) and a[2] == b[2]
    if typed:
        ours = str(next(iter(typed.values())))
    if kind == "boolean":
        return ours.lower() == text
    if kind == "number":
        return float(f"{float(ours):.15g}") == float(f"{float(text):.15g}")
    if kind == "date":
        a, b = MOMENT.fullmatch(ours), MOMENT.fullmatch(text if "T" in text else text + "T00:00:00")
        # Flat XML has hundredths of a second, rounded or cut.
        return bool(a and b) and abs(whole(a) - whole(b)) <= datetime.timedelta(microseconds=10_100)
    return False


def main(book, table, zone):
    zone = zoneinfo.ZoneInfo(zone)
    sheets = [(sheet.get(TABLE + "name"), rows(sheet)) for sheet in xml.parse(book).iter(TABLE + "table")]
    theirs = [line for name, found in sheets if name not in ("long texts", "_exact") for line in found]
    ours = list(csv.reader(open(table, newline="", encoding="utf-8")))
    wrong = 0
    cells = 0
    for number, row in enumerate(ours):
        other = theirs[number] if number < len(theirs) else []
        other = other + [None] * (len(row) - len(other))
        for column, cell in enumerate(row):
            cells += 1
            it = other[column]
            if it and it[0] == "string" and it[1].startswith('{"longText":'):
                continue
            if not agrees(cell, it, zone):
                wrong += 1
                print(f"{table}: row {number + 1}, column {column + 1} ({ours[0][column]}): {cell[:80]!r} and {it}")
        if len(other) > len(row):
            wrong += 1
            print(f"{table}: row {number + 1} has {len(other)} cells and not {len(row)}")
    if len(theirs) != len(ours):
        wrong += 1
        print(f"{table}: {len(ours)} rows and {len(theirs)}")
    print(f"{table}: {len(ours)} rows, {cells} cells, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

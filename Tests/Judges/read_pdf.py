"""Counts the bars of the charts in the PDF that LibreOffice made of a report's workbook, beside the report's JSON.

    read_pdf.py REPORT.pdf REPORT.json

A chart is drawn in one colour, that of a first series, and each bar is a filled path. Every number above zero has to have one.
"""
import json
import re
import sys
import zlib

# The colour of the first series in a workbook without a theme of its own, 4F81BD.
SERIES = re.compile(rb"0\.3098\d* 0\.5058\d* 0\.7411\d* rg")


def drawing(path):
    text = b""
    data = open(path, "rb").read()
    for stream in re.finditer(rb"stream\r?\n(.*?)\r?\nendstream", data, re.S):
        try:
            # The line break before the end may be the stream's own last byte.
            text += zlib.decompressobj().decompress(stream[1]) + b"\n"
        except zlib.error:
            continue
    return len(re.findall(rb"/Type\s*/Page\b", data)), text


def main(pdf, report):
    pages, text = drawing(pdf)
    numbers = json.load(open(report, encoding="utf-8"))
    income, visits = numbers["income"], numbers["checkIns"]
    charts = [[row["totalCents"] for row in rows] for rows in (income["byType"], income["byMethod"])]
    charts += [[row["count"] for row in rows] for rows in (visits["byDay"], numbers["members"]["byStatus"], visits["topMembers"])]
    charts.append(visits["byHour"])
    if "expenses" in numbers:
        charts.append([row["totalCents"] for row in numbers["expenses"]["byCategory"]])
    if len(income["byMonth"]) > 1:
        charts.append([row["totalCents"] for row in income["byMonth"]])
    charts = [chart for chart in charts if any(number > 0 for number in chart)]
    most = sum(map(len, charts))
    least = sum(number > 0 for chart in charts for number in chart)
    drawn = 0
    pieces = SERIES.split(text)
    for piece in pieces[1:]:
        # Until the next colour.
        piece = re.split(rb"\d (?:rg|RG|g|G)\b", piece)[0]
        drawn += len(re.findall(rb"\bf\*?(?=\s)", piece))
    print(f"{pdf}: {pages} pages, {len(charts)} charts of {least} bars above zero; drawn {len(pieces) - 1} with {drawn}")
    return 0 if pages > 0 and len(pieces) - 1 == len(charts) > 0 and least <= drawn <= most else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))

"""Reads a workbook as openpyxl does; prints its sheets as JSON.

Usage: read_xlsx.py FILE

Each sheet: name, freeze (the cell below the frozen rows), filter (the range of the autofilter), bold (whether all
headings are), widths (by column letter), rows: lists of [type, value, number format] or null for no cell; dates in ISO.
"""
import datetime
import json
import sys

import openpyxl


def cell(it):
    if it.value is None and it.number_format == "General":
        return None
    value = it.value
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        value = value.isoformat()
    return [it.data_type, value, it.number_format]


book = openpyxl.load_workbook(sys.argv[1])
print(
    json.dumps(
        [
            {
                "name": sheet.title,
                "freeze": sheet.freeze_panes,
                "filter": sheet.auto_filter.ref,
                "bold": all(it.font.bold for it in sheet[1]),
                "widths": {key: it.width for key, it in sheet.column_dimensions.items()},
                "rows": [[cell(it) for it in row] for row in sheet.iter_rows()],
            }
            for sheet in book.worksheets
        ]
    )
)

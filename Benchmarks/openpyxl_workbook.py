#!/usr/bin/env python3
"""Writes the cells of workbook_cells.py with openpyxl in its write-only mode.

    openpyxl_workbook.py IN.cells OUT.xlsx [ROWS]
"""

import struct
import sys

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Font


def main(source, target, limit):
    data = open(source, "rb").read()
    (count,) = struct.unpack_from("=I", data)
    at = 4
    formats = []
    for _ in range(count):
        length, bold = struct.unpack_from("=IB", data, at)
        formats.append((bold, data[at + 5 : at + 5 + length].decode()))
        at += 5 + length
    book = Workbook(write_only=True)
    sheet = book.create_sheet()
    header = Font(bold=True)
    row, rows = [], 0
    while at < len(data) and rows < limit:
        kind, column, style = struct.unpack_from("=BHH", data, at)
        at += 5
        value = None
        if kind == 0:
            sheet.append(row)
            row = []
            rows += 1
            continue
        if kind == 1:
            (value,) = struct.unpack_from("=d", data, at)
            at += 8
        elif kind == 2:
            (length,) = struct.unpack_from("=I", data, at)
            value = data[at + 4 : at + 4 + length].decode()
            at += length + 5
        elif kind == 3:
            value = data[at] != 0
            at += 1
        row.extend([None] * (column - len(row)))
        bold, code = formats[style]
        if style:
            cell = WriteOnlyCell(sheet, value)
            if code:
                cell.number_format = code
            if bold:
                cell.font = header
            row.append(cell)
        else:
            row.append(value)
    book.save(target)


if __name__ == "__main__":
    main(*sys.argv[1:3], int(sys.argv[3]) if len(sys.argv) > 3 else sys.maxsize)

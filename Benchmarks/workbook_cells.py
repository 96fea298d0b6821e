"""The cells of a workbook's first sheet in a flat form, so that rivals write the very same ones.

    workbook_cells.py FILE.xlsx OUT.cells

OUT begins with the formats: their number (4 bytes), and each as its length (4 bytes), a flag for bold (1 byte) and its code.
Then come cells: a kind (1 byte: 0 end of row, 1 number, 2 text, 3 boolean, 4 blank), a column (2 bytes), a format (2 bytes; 0
for none) and a number (8 bytes), a length (4 bytes) with a text and a NUL, a boolean (1 byte), or nothing. All are of this
machine's order.
"""

import html
import re
import struct
import sys
import zipfile
from xml.etree import ElementTree

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
ROW = re.compile(rb"<row [^>]*?(?:/>|>(.*?)</row>)", re.S)
CELL = re.compile(
    rb'<c r="([A-Z]+)\d+"(?: s="(\d+)")?(?: t="(\w+)")?(?:/>|>(?:<v>([^<]*)</v>|<is><t[^>]*>([^<]*)</t></is>)</c>)'
)


def formats(package):
    """The formats of cells by their index: bold or not, and the code of numbers."""
    root = ElementTree.fromstring(package.read("xl/styles.xml"))
    codes = {int(n.get("numFmtId")): n.get("formatCode") for n in root.iter(f"{MAIN}numFmt")}
    codes |= {0: "", 49: "@", 14: "m/d/yyyy", 22: "m/d/yy h:mm", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00"}
    bold = [font.find(f"{MAIN}b") is not None for font in root.find(f"{MAIN}fonts")]
    return [
        (bold[int(xf.get("fontId"))], codes[int(xf.get("numFmtId"))]) for xf in root.find(f"{MAIN}cellXfs")
    ]


def rows(package):
    """The rows of the first sheet: bytes of their cells."""
    with package.open("xl/worksheets/sheet1.xml") as sheet:
        rest = b""
        while piece := sheet.read(1 << 20):
            rest += piece
            end = 0
            for match in ROW.finditer(rest):
                yield match[1] or b""
                end = match.end()
            rest = rest[end:]


def column(letters):
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number - 1


def main(source, target):
    columns = {}
    with zipfile.ZipFile(source) as package, open(target, "wb") as out:
        known = formats(package)
        out.write(struct.pack("=I", len(known)))
        for bold, code in known:
            text = code.encode()
            out.write(struct.pack("=IB", len(text), bold) + text)
        for row in rows(package):
            cells = bytearray()
            for letters, style, kind, value, text in CELL.findall(row):
                if letters not in columns:
                    columns[letters] = column(letters)
                place = columns[letters], int(style or 0)
                if kind == b"inlineStr":
                    if b"&" in text:
                        text = html.unescape(text.decode()).encode()
                    cells += struct.pack("=BHHI", 2, *place, len(text)) + text + b"\0"
                elif kind == b"b":
                    cells += struct.pack("=BHHB", 3, *place, value == b"1")
                elif value:
                    cells += struct.pack("=BHHd", 1, *place, float(value))
                else:
                    cells += struct.pack("=BHH", 4, *place)
            out.write(cells + struct.pack("=BHH", 0, 0, 0))


if __name__ == "__main__":
    main(*sys.argv[1:3])

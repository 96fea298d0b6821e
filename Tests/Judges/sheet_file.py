"""The files of workbooks: by openpyxl, or by hand, with what openpyxl does not write. `sheet_writer.py` says what is in them."""

import datetime
import io
import re
import zipfile
from xml.sax.saxutils import escape, quoteattr

import openpyxl

# The formats of cells: of numbers, days, moments, and others.
NUMBERS_AS = [
    "General", "0.00", "#,##0", "0%", "0.00E+00", '"$"#,##0.00', "[Red]0.00", "[$€-407] #,##0.00", '#,##0" days"', "\\d0",
    "_-* #,##0.00_-;-* #,##0.00_-", "# ?/?",
    '0" h";[Red]-0" m"', "[>100]0.0;0", "[Blue]General",
]
DAYS_AS = [
    "yyyy-mm-dd", "mm-dd-yy", "d-mmm-yy", "[$-409]d-mmm-yy;@", "dddd, mmmm d, yyyy", 'yyyy"年"m"月"d"日"', "mmm-yy", "[Red]dd/mm/yyyy", "m/d/yy",
    "dd\\-mm\\-yyyy",
]
MOMENTS_AS = ["m/d/yy h:mm", "dd/mm/yyyy hh:mm", "yyyy-mm-dd\\ hh:mm:ss", "m/d/yy h:mm AM/PM", "[$-F800]dddd, mmmm dd, yyyy h:mm"]
FORMATS = [*NUMBERS_AS, *DAYS_AS, *MOMENTS_AS, "00000", "000-000", '"2026-"000', "[>=0]00000", "hh:mm", "h:mm", "h:mm AM/PM", "[h]:mm:ss", "[mm]", "[hh]:mm", "@"]

class Sheet:
    """The file of a workbook."""

    def __init__(self, maker, rows, late, merged, hidden):
        self.maker, self.rows, self.late, self.merged, self.hidden = maker, rows, late, merged, hidden
        self.name = maker.pick(["things", "things", "Hoja 1", "A & B"])
        # Whether the command names the sheet, so that it leaves out others.
        self.named = False
        self.strings = []

    def serial(self, day):
        """The number of a day, and of the time of day behind it."""
        begin = datetime.datetime(1904, 1, 1) if self.late else datetime.datetime(1899, 12, 30)
        if not self.late and day < datetime.datetime(1900, 3, 1):
            begin += datetime.timedelta(days=1)
        past = day - begin
        return past / datetime.timedelta(days=1)

    def plain(self, cell):
        """The number and the format of a cell that is neither text nor truth value."""
        if cell.kind == "date":
            if cell.value is None:
                late = {"60": "-3", "2958466": "2957004"} if self.late else {}
                return late.get(cell.shown, cell.shown), "yyyy-mm-dd"
            return repr(self.serial(cell.value)), cell.hint
        if cell.kind in ("time", "duration"):
            return repr(cell.value / 86400), cell.hint
        return (repr(cell.value) if cell.kind == "number" else str(cell.value)), cell.hint or cell.shown or "General"

    # By openpyxl.

    def by_openpyxl(self):
        book = openpyxl.Workbook()
        if self.late:
            book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
        sheet = book.active
        sheet.title = self.name
        for number, row in enumerate(self.rows, 1):
            for column, cell in enumerate(row.cells, 1):
                self.put(sheet.cell(number, column), cell)
        if self.hidden is not None:
            sheet.column_dimensions[openpyxl.utils.get_column_letter(self.hidden + 1)].hidden = True
        if self.merged:
            sheet.merge_cells(start_row=2, start_column=1, end_row=2, end_column=2)
        if self.maker.table.more:
            other = book.create_sheet("others")
            other.append(["__name__", "remark"])
            for path, columns in self.maker.table.more:
                other.append([path.partition("/")[2], columns[("remark",)][0]["stringValue"]])
        if self.maker.chance(0.3):
            other = book.create_sheet("no table")
            other.append(["no", "table"])
            other.sheet_state = "visible" if self.named else "hidden"
        out = io.BytesIO()
        book.save(out)
        return out.getvalue()

    def put(self, place, cell):
        if cell.kind == "text":
            if cell.value:
                place.value = cell.value
                place.data_type = "s"
            elif cell.quoted:
                place.number_format = "@"
        elif cell.kind == "boolean":
            place.value = cell.value
        elif cell.kind == "error":
            place.value, place.data_type = cell.value, "e"
        elif cell.kind == "nothing":
            place.value = "=1+1"
        else:
            number, form = self.plain(cell)
            place.value = float(number) if set(number) & set(".e") else int(number)
            place.number_format = form

    # By hand.

    def by_hand(self):
        rows = "".join(self.row(number, row) for number, row in enumerate(self.rows, 1) if row.cells)
        at = None if self.hidden is None else self.hidden + 1
        columns = f'<cols><col min="{at}" max="{at}" width="9" hidden="1"/></cols>' if at else ""
        merged = '<mergeCells count="1"><mergeCell ref="A2:B2"/></mergeCells>' if self.merged else ""
        sheet = f"<worksheet {MAIN}>{columns}<sheetData>{rows}</sheetData>{merged}</worksheet>"
        strings = f"{HEAD}<sst {MAIN}>{''.join(self.strings)}</sst>"
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
            parts = PARTS | {"xl/workbook.xml": self.book(), "xl/worksheets/sheet1.xml": self.dialect(sheet)}
            parts |= {"xl/sharedStrings.xml": strings, "xl/styles.xml": styles()}
            sign = self.maker.pick(["/", "/", "/", "\\"])
            for name, content in parts.items():
                place = zipfile.ZipInfo("x")
                place.filename = name.replace("/", sign) if name.startswith("xl") else name
                file.writestr(place, content, self.maker.pick([zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED]))
        return out.getvalue()

    def dialect(self, sheet):
        """The same part with a prefix before its names, or in another encoding."""
        if self.maker.chance(0.2):
            sheet = re.sub(r"<(/?)(\w)", r"<\1x:\2", sheet).replace(" xmlns=", " xmlns:x=", 1)
        if self.maker.chance(0.1):
            return (HEAD.replace("UTF-8", "UTF-16") + sheet).encode("utf-16")
        return (HEAD + sheet).encode()

    def spelled(self, number):
        """A number as some program may write it."""
        others = [f" {number} ", f"{number}.0" if number.isdigit() else number, number if "e" in number else f"{number}E0"]
        return self.maker.pick([number] * 6 + others)

    def escaped(self, text):
        """A text in XML, some characters of it by their numbers, or all of it as it is."""
        if self.maker.chance(0.1) and "]]>" not in text:
            return f"<![CDATA[{text}]]>"
        share = self.maker.pick([0, 0, 0.5])
        return "".join(f"&#x{ord(letter):x};" if self.maker.chance(share) else escape(letter) for letter in text)

    def formula(self):
        """A formula beside a stored result, or none."""
        if self.maker.chance(0.9):
            return ""
        shared = ['<f t="shared" si="0"/>', '<f t="shared" ref="A1:A9" si="0">A1&amp;"x"</f>']
        return self.maker.pick(["<f>A1</f>", "<f/>", *shared, '<f ca="1">NOW()</f>'])

    def book(self):
        late = '<workbookPr date1904="1"/>' if self.late else ""
        sheet = f'<sheet name={quoteattr(self.name)} sheetId="1" r:id="rId1"/>'
        return f"{HEAD}<workbook {MAIN} {RELATED}>{late}<sheets>{sheet}</sheets></workbook>"

    def row(self, number, row):
        """A row with references or without; without, no cell may be left out."""
        named = self.maker.chance(0.8)
        cells = []
        for column, cell in enumerate(row.cells):
            if named and cell.kind == "text" and not cell.value and not cell.quoted:
                continue
            place = f' r="{openpyxl.utils.get_column_letter(column + 1)}{number}"' if named else ""
            cells.append(self.xml(cell, place))
        bare = not named and self.dense(number) and self.maker.chance(0.5)
        return f"<row{'' if bare else f' r={quoteattr(str(number))}'}>{''.join(cells)}</row>"

    def dense(self, number):
        """Whether a row without a number is the one that follows the row above."""
        return all(row.cells for row in self.rows[: number - 1])

    def xml(self, cell, place):
        formula = self.formula()
        if cell.kind == "text":
            form = f' s="{FORMATS.index("@")}"' if cell.quoted else ""
            if not cell.value and formula and not cell.quoted:
                # An empty text as a result is an empty cell.
                return f'<c{place} t="str">{formula}<v></v></c>'
            return self.text_xml(str(cell.value), place, formula) if cell.value else f"<c{place}{form}/>"
        if cell.kind == "boolean":
            return f'<c{place} t="b">{formula}<v>{int(cell.value)}</v></c>'
        if cell.kind == "error":
            return f'<c{place} t="e">{formula}<v>{cell.value}</v></c>'
        if cell.kind == "nothing":
            return f"<c{place}><f>1+1</f></c>"
        number, form = self.plain(cell)
        return f'<c{place} s="{FORMATS.index(form)}">{formula}<v>{self.spelled(number)}</v></c>'

    def text_xml(self, text, place, formula):
        way = "formula" if formula else self.maker.pick(["inline", "shared", "runs", "both"])
        keep = ' xml:space="preserve"'
        if way == "formula":
            return f'<c{place} t="str">{formula}<v{keep}>{self.escaped(text)}</v></c>'
        if way == "inline":
            return f'<c{place} t="inlineStr"><is><t{keep}>{self.escaped(text)}</t></is></c>'
        if way == "both":
            return f'<c{place} t="inlineStr"><v>0</v><is><t{keep}>{self.escaped(text)}</t></is></c>'
        half = len(text) // 2 if way == "runs" else 0
        parts = "".join(f"<r><rPr><b/></rPr><t{keep}>{self.escaped(part)}</t></r>" for part in (text[:half], text[half:]) if part)
        runs = f'<si>{parts}<rPh sb="0" eb="1"><t>x</t></rPh></si>'
        self.strings.append(runs if way == "runs" else f"<si><t{keep}>{self.escaped(text)}</t></si>")
        return f'<c{place} t="s"><v>{len(self.strings) - 1}</v></c>'


HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
RELATED = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SPREADSHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml"
PARTS = {
    "[Content_Types].xml": f'{HEAD}<Types xmlns="{PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/>'
    f'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{SPREADSHEET}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{SPREADSHEET}.worksheet+xml"/>'
    f'<Override PartName="/xl/sharedStrings.xml" ContentType="{SPREADSHEET}.sharedStrings+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{SPREADSHEET}.styles+xml"/></Types>',
    "_rels/.rels": f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/_rels/workbook.xml.rels": f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{OFFICE}/sharedStrings" Target="sharedStrings.xml"/>'
    f'<Relationship Id="rId3" Type="{OFFICE}/styles" Target="styles.xml"/></Relationships>',
}


def styles():
    formats = "".join(f'<numFmt numFmtId="{164 + at}" formatCode={quoteattr(form)}/>' for at, form in enumerate(FORMATS))
    cells = "".join(f'<xf numFmtId="{164 + at}" fontId="0" fillId="0" borderId="0" applyNumberFormat="1"/>' for at in range(len(FORMATS)))
    return (
        f'{HEAD}<styleSheet {MAIN}><numFmts count="{len(FORMATS)}">{formats}</numFmts><fonts count="1"><font/></fonts>'
        f'<fills count="1"><fill><patternFill patternType="none"/></fill></fills><borders count="1"><border/></borders>'
        f'<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="{len(FORMATS)}">{cells}</cellXfs></styleSheet>'
    )

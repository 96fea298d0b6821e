"""Random workbooks, half of them written by openpyxl and half by hand, with what openpyxl does not write. `random_tables.py` imports them."""

import datetime
import io
import zipfile
from xml.sax.saxutils import escape, quoteattr

import openpyxl

from table_pools import GUESSES, JSON_CELLS, TEXTS
from table_reader import Cell, Row
from table_writer import Maker as TableMaker

# The formats of cells by their place in the styles of a sheet that is written by hand, and whether a date shows its time.
NUMBERS_AS = [
    "General", "0.00", "#,##0", "0%", "0.00E+00", '"$"#,##0.00', "[Red]0.00", "[$€-407] #,##0.00", '#,##0" days"', "\\d0", "_-* #,##0.00_-;-* #,##0.00_-", "# ?/?",
    '0" h";[Red]-0" m"', "[>100]0.0;0", "[Blue]General",
]
DAYS_AS = ["yyyy-mm-dd", "d-mmm-yy", "[$-409]d-mmm-yy;@", "dddd, mmmm d, yyyy", 'yyyy"年"m"月"d"日"', "mmm-yy", "[Red]dd/mm/yyyy", "m/d/yy", "dd\\-mm\\-yyyy"]
MOMENTS_AS = ["dd/mm/yyyy hh:mm", "yyyy-mm-dd\\ hh:mm:ss", "m/d/yy h:mm AM/PM", "[$-F800]dddd, mmmm dd, yyyy h:mm"]
FORMATS = [*NUMBERS_AS, *DAYS_AS, *MOMENTS_AS, "00000", "000-000", "hh:mm", "h:mm AM/PM", "[h]:mm:ss", "[mm]", "[hh]:mm", "@"]
SHEETS_TEXTS = [text for text in TEXTS if not text.startswith(("[", "{")) and "\r" not in text and "\u200b" not in text and "_x" not in text]
NUMBERS = [0, 7, -12, 2026, 100000, 10.5, 0.1, -3.25, 10.199999999999999, 1e-3, 123456789.25, 999999999999, 0.16, 46000, 1.5e-3, 99999.99]
DURATIONS = [918610, 86400, 90061, 36000, 3599999]
TIMES = ["18:30", "00:15", "07:05"]


class Maker(TableMaker):
    """Draws a workbook with one sheet of rows, and others that are hidden."""

    sheet = True

    def make(self):
        self.by_hand = self.chance(0.5)
        self.late = self.chance(0.2)
        self.table.kind, self.table.file = "xlsx", "book.xlsx"
        return super().make()

    def settings(self):
        super().settings()
        self.table.doubt = ""

    # Cells.

    def cell(self, theme, number):
        if theme[0] == "id":
            return self.id_cell(number)
        if self.chance(0.12):
            return Cell("", hint="sheet", quoted=self.chance(0.2))
        if self.messy and self.chance(0.02):
            return self.pick([Cell("#N/A", "error"), Cell("", "nothing"), Cell(None, "date", shown="60"), Cell(None, "date", shown="-1"), Cell(None, "date", shown="2958466")])
        if theme[0] == "typed":
            return self.typed_cell(theme)
        return self.pool_cell(theme[1])

    def id_cell(self, number):
        cell = super().id_cell(number)
        if self.chance(0.05) and cell.value:
            return Cell(number + 1, "number")
        return Cell(cell.value, hint="sheet")

    def text_cell(self, text):
        return Cell(text, hint="sheet")

    def typed_cell(self, theme):
        kind = theme[1]
        if self.chance(0.3) or kind in ("array", "reference", "geopoint", "bytes"):
            value = super().typed(theme)
            return self.text_cell("Ana" if kind in ("text", "any") and value not in SHEETS_TEXTS else value)
        draw = {
            "text": lambda: self.pick([self.number, self.padded, self.time, self.duration]), "integer": lambda: self.pick([self.whole, self.whole, self.padded]),
            "double": lambda: self.pick([self.number, self.number, self.padded]), "boolean": lambda: self.boolean, "timestamp": lambda: self.date,
            "any": lambda: self.pick([self.number, self.boolean, self.date, self.padded]),
        }[kind]()
        return draw()

    def pool_cell(self, pool):
        by_pool = {
            "forms": [self.number, self.boolean, self.date, self.padded], "integers": [self.whole], "numbers": [self.number, self.whole], "exponents": [self.number],
            "booleans": [self.boolean], "days": [self.date], "months": [self.date, self.text_date], "both orders": [self.text_date], "no order": [self.text_date],
            "moments": [self.date], "commas": [self.whole, self.number],
            "texts": [self.text, self.text, self.text, self.number, self.boolean, self.date, self.padded],
        }
        if pool in by_pool:
            return self.pick(by_pool[pool])()
        return self.text() if "__name__" not in self.table.headings or pool != "json" else self.text_cell(self.pick(JSON_CELLS))

    def text(self):
        return self.text_cell(self.pick(SHEETS_TEXTS))

    def text_date(self):
        return self.text_cell(self.pick(GUESSES["both orders"][:4] if self.chance(0.3) else GUESSES["months"]))

    def number(self):
        return Cell(self.pick(NUMBERS), "number", shown=self.pick(NUMBERS_AS))

    def whole(self):
        return Cell(self.pick([0, 7, -12, 2026, 100000, 999999999999]), "number", shown=self.pick(NUMBERS_AS))

    def boolean(self):
        return Cell(self.chance(0.5), "boolean")

    def padded(self):
        number = self.pick([7, 3100, 12345, 0])
        if self.chance(0.3):
            return Cell(number, "padded", shown=f"{number:06d}"[:3] + "-" + f"{number:06d}"[3:], hint="000-000")
        return Cell(number, "padded", shown=f"{number:05d}", hint="00000")

    def date(self):
        day = datetime.datetime(self.pick([1950, 1999, 2024, 2026, 9999]), self.random.randint(1, 12), self.random.randint(1, 28))
        if self.chance(0.1) and not self.late:
            day = datetime.datetime(1900, self.random.randint(1, 2), self.random.randint(1, 28))
        if self.chance(0.5):
            return Cell(day, "date", shown=f"{day:%Y-%m-%d}", hint=self.pick(DAYS_AS))
        day = day.replace(hour=self.random.randint(4, 22), minute=self.random.randrange(60))
        return Cell(day, "date", shown=f"{day:%Y-%m-%d %H:%M:%S}", hint=self.pick(MOMENTS_AS))

    def time(self):
        shown = self.pick(TIMES)
        return Cell(int(shown[:2]) * 3600 + int(shown[3:]) * 60, "time", shown=shown, hint=self.pick(["hh:mm", "h:mm AM/PM"]))

    def duration(self):
        seconds = self.pick(DURATIONS)
        shown = f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        return Cell(seconds, "duration", shown=shown, hint=self.pick(["[h]:mm:ss", "[mm]", "[hh]:mm"]))

    # What is wrong with a table as a whole.

    def lengths(self):
        """In a sheet every row ends with its last value."""
        if self.chance(0.04) and len(self.table.rows) > 1 and len(self.table.headings) > 1:
            self.table.refused = "merged cells"

    # The file.

    def write(self):
        table = self.table
        rows = [Row([Cell(heading, hint="sheet") for heading in table.headings]), *table.rows]
        if self.chance(0.1):
            rows.insert(0, Row([]))
        hidden = self.random.randrange(len(table.headings)) if self.chance(0.1) else None
        book = Sheet(self, rows, self.late, table.refused == "merged cells", hidden)
        table.content = book.by_hand() if self.by_hand else book.by_openpyxl()
        if self.chance(0.5):
            table.arguments += ["--collection", "things"] if self.chance(0.5) else ["--sheet", f"{book.name}=things"]
        elif book.name != "things":
            table.arguments += ["--sheet", f"{book.name}=things"]


class Sheet:
    """The file of a workbook."""

    def __init__(self, maker, rows, late, merged, hidden):
        self.maker, self.rows, self.late, self.merged, self.hidden = maker, rows, late, merged, hidden
        self.name = maker.pick(["things", "things", "Hoja 1", "A & B"])
        self.strings = []

    def serial(self, day):
        """The number of a day, and of the time of day behind it."""
        begin = datetime.datetime(1904, 1, 1) if self.late else datetime.datetime(1899, 12, 30)
        if not self.late and day < datetime.datetime(1900, 3, 1):
            begin += datetime.timedelta(days=1)
        past = day - begin
        return past.days + past.seconds / 86400

    def plain(self, cell):
        """The number and the format of a cell that is neither text nor truth value."""
        if cell.kind == "date":
            if cell.value is None:
                return {"60": "60" if not self.late else "-3", "2958466": "2958466" if not self.late else "2957004"}.get(cell.shown, cell.shown), "yyyy-mm-dd"
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
        if self.maker.chance(0.3):
            other = book.create_sheet("hidden")
            other.append(["no", "table"])
            other.sheet_state = "hidden"
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
        columns = f'<cols><col min="{self.hidden + 1}" max="{self.hidden + 1}" width="9" hidden="1"/></cols>' if self.hidden is not None else ""
        merged = '<mergeCells count="1"><mergeCell ref="A2:B2"/></mergeCells>' if self.merged else ""
        sheet = f"{HEAD}<worksheet {MAIN}>{columns}<sheetData>{rows}</sheetData>{merged}</worksheet>"
        strings = f"{HEAD}<sst {MAIN}>{''.join(self.strings)}</sst>"
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
            parts = PARTS | {"xl/workbook.xml": self.book(), "xl/worksheets/sheet1.xml": sheet, "xl/sharedStrings.xml": strings, "xl/styles.xml": styles()}
            for name, content in parts.items():
                file.writestr(zipfile.ZipInfo(name), content)
        return out.getvalue()

    def book(self):
        late = '<workbookPr date1904="1"/>' if self.late else ""
        return f'{HEAD}<workbook {MAIN} {RELATED}>{late}<sheets><sheet name={quoteattr(self.name)} sheetId="1" r:id="rId1"/></sheets></workbook>'

    def row(self, number, row):
        """A row with references or without; without, no cell may be left out."""
        named = self.maker.chance(0.8)
        cells = []
        for column, cell in enumerate(row.cells):
            if named and cell.kind == "text" and not cell.value and not cell.quoted:
                continue
            place = f' r="{openpyxl.utils.get_column_letter(column + 1)}{number}"' if named else ""
            cells.append(self.xml(cell, place))
        return f'<row r="{number}">{"".join(cells)}</row>' if named or self.maker.chance(0.5) else f"<row>{''.join(cells)}</row>" if self.dense(number) else f'<row r="{number}">{"".join(cells)}</row>'

    def dense(self, number):
        """Whether a row without a number is the one that follows the row above."""
        return all(row.cells for row in self.rows[: number - 1])

    def xml(self, cell, place):
        formula = "<f>A1</f>" if self.maker.chance(0.1) else ""
        if cell.kind == "text":
            form = f' s="{FORMATS.index("@")}"' if cell.quoted else ""
            return self.text_xml(str(cell.value), place, formula) if cell.value else f"<c{place}{form}/>"
        if cell.kind == "boolean":
            return f'<c{place} t="b">{formula}<v>{int(cell.value)}</v></c>'
        if cell.kind == "error":
            return f'<c{place} t="e">{formula}<v>{cell.value}</v></c>'
        if cell.kind == "nothing":
            return f"<c{place}><f>1+1</f></c>"
        number, form = self.plain(cell)
        return f'<c{place} s="{FORMATS.index(form)}">{formula}<v>{number}</v></c>'

    def text_xml(self, text, place, formula):
        way = "formula" if formula else self.maker.pick(["inline", "shared", "runs", "both"])
        keep = ' xml:space="preserve"'
        if way == "formula":
            return f'<c{place} t="str">{formula}<v{keep}>{escape(text)}</v></c>'
        if way == "inline":
            return f'<c{place} t="inlineStr"><is><t{keep}>{escape(text)}</t></is></c>'
        if way == "both":
            return f'<c{place} t="inlineStr"><v>0</v><is><t{keep}>{escape(text)}</t></is></c>'
        half = len(text) // 2 if way == "runs" else 0
        parts = "".join(f"<r><rPr><b/></rPr><t{keep}>{escape(part)}</t></r>" for part in (text[:half], text[half:]) if part)
        self.strings.append(f"<si>{parts}<rPh sb=\"0\" eb=\"1\"><t>x</t></rPh></si>" if way == "runs" else f"<si><t{keep}>{escape(text)}</t></si>")
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
    "_rels/.rels": f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/_rels/workbook.xml.rels": f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{OFFICE}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="rId3" Type="{OFFICE}/styles" Target="styles.xml"/></Relationships>',
}


def styles():
    formats = "".join(f'<numFmt numFmtId="{164 + at}" formatCode={quoteattr(form)}/>' for at, form in enumerate(FORMATS))
    cells = "".join(f'<xf numFmtId="{164 + at}" fontId="0" fillId="0" borderId="0" applyNumberFormat="1"/>' for at in range(len(FORMATS)))
    return (
        f'{HEAD}<styleSheet {MAIN}><numFmts count="{len(FORMATS)}">{formats}</numFmts><fonts count="1"><font/></fonts><fills count="1"><fill><patternFill patternType="none"/></fill></fills>'
        f'<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="{len(FORMATS)}">{cells}</cellXfs></styleSheet>'
    )

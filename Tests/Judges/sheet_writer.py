"""Random workbooks, whose files are those of `sheet_file.py`. `random_tables.py` imports them."""

import datetime

from sheet_file import DAYS_AS, MOMENTS_AS, NUMBERS_AS, Sheet
from table_pools import GUESSES, JSON_CELLS, TEXTS
from table_reader import Cell, Row
from table_writer import Maker as TableMaker

SHEETS_TEXTS = [text for text in TEXTS if text[0] not in "[{" and not any(sign in text for sign in ("\r", "\u200b", "_x"))]
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

    def second(self):
        """In a workbook, the second table is another sheet."""
        self.by_hand = False
        super().second()

    def settings(self):
        super().settings()
        self.table.doubt = ""

    # Cells.

    def cell(self, theme, number):
        if theme[0] == "id":
            return self.id_cell(number)
        if theme[0] == "almost":
            return self.text() if number == 0 else self.pool_cell(theme[1])
        if self.chance(0.12):
            return Cell("", hint="sheet", quoted=self.chance(0.2))
        if self.messy and self.chance(0.02):
            dates = [Cell(None, "date", shown=serial) for serial in ("60", "-1", "2958466")]
            return self.pick([Cell("#N/A", "error"), Cell("", "nothing"), *dates])
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
            "text": lambda: self.pick([self.number, self.padded, self.time, self.duration]),
            "integer": lambda: self.pick([self.whole, self.whole, self.padded]),
            "double": lambda: self.pick([self.number, self.number, self.padded]), "boolean": lambda: self.boolean,
            "timestamp": lambda: self.pick([self.date, self.moment]),
            "any": lambda: self.pick([self.number, self.boolean, self.date, self.padded]),
        }[kind]()
        return draw()

    def pool_cell(self, pool):
        by_pool = {
            "forms": [self.number, self.boolean, self.date, self.padded], "integers": [self.whole], "numbers": [self.number, self.whole],
            "exponents": [self.number],
            "booleans": [self.boolean], "days": [self.date], "months": [self.date, self.text_date], "both orders": [self.text_date],
            "no order": [self.text_date],
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
        if self.chance(0.2):
            return Cell(number, "padded", shown=f"2026-{number:03d}", hint='"2026-"000')
        return Cell(number, "padded", shown=f"{number:05d}", hint=self.pick(["00000", "00000", "[>=0]00000"]))

    def date(self):
        day = datetime.datetime(self.pick([1950, 1999, 2024, 2026, 9999]), self.random.randint(1, 12), self.random.randint(1, 28))
        if self.chance(0.1) and not self.late:
            day = datetime.datetime(1900, self.random.randint(1, 2), self.random.randint(1, 28))
        if self.chance(0.5):
            return Cell(day, "date", shown=f"{day:%Y-%m-%d}", hint=self.pick(DAYS_AS))
        day = day.replace(hour=self.random.randint(4, 22), minute=self.random.randrange(60))
        return Cell(day, "date", shown=f"{day:%Y-%m-%d %H:%M:%S}", hint=self.pick(MOMENTS_AS))

    def moment(self):
        """A time to the millisecond."""
        day = datetime.datetime(2026, self.random.randint(1, 12), 28, 12, self.random.randrange(60), self.random.randrange(60))
        return Cell(day.replace(microsecond=self.pick([1000, 250000, 999000])), "date", hint=self.pick(MOMENTS_AS))

    def time(self):
        shown = self.pick(TIMES)
        return Cell(int(shown[:2]) * 3600 + int(shown[3:]) * 60, "time", shown=shown, hint=self.pick(["hh:mm", "h:mm", "h:mm AM/PM"]))

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
        if table.more:
            book.name = "things"
        elif self.chance(0.25):
            table.arguments += ["--collection", "things"]
        elif book.name != "things" or self.chance(0.3):
            book.named = True
            table.arguments += ["--sheet", f"{book.name}=things"]
        table.content = book.by_hand() if self.by_hand else book.by_openpyxl()

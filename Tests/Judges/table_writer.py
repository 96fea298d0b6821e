"""Random tables, their options and their files of CSV. `random_tables.py` imports them; what they mean is in `table_reader.py`."""

import dataclasses
import gzip
import random

from table_cells import Options
from table_pools import (
    BAD_COMMAS, BAD_IDS, BAD_JSON, COMMAS, DECLARED, GUESSES, IDS, JSON_CELLS, LABELS, NAMES, NOISE, ODD_HEADINGS, TEXTS, TYPE_WORDS, TYPED, WRONG,
    WRONG_HEADINGS, mutated,
)
from table_reader import Cell, Reader, Row, is_ours

@dataclasses.dataclass
class Table:
    """A table, the options of its import, and what the database has before."""

    headings: list
    rows: list
    options: Options
    arguments: list = dataclasses.field(default_factory=list)
    kind: str = "csv"
    file: str = "things.csv"
    collection: str = "things"
    content: bytes = b""
    id_column: str | None = None
    new_ids: str | None = None
    dry: bool = False
    flat: bool = False
    # The paths and columns of a second table, and its file.
    more: list = dataclasses.field(default_factory=list)
    second: bytes = b""
    pad: bool = False
    keep_spaces: bool = False
    parse_errors: str = "stop"
    duplicates: str | None = None
    mode: str = "create"
    types: dict = dataclasses.field(default_factory=dict)
    schema_fields: dict = dataclasses.field(default_factory=dict)
    before: dict = dataclasses.field(default_factory=dict)
    refused: str = ""
    code: int = 65
    doubt: str = ""

    def expected(self):
        return Reader(self).expected()


class Maker:
    """Draws a table of CSV."""

    sheet = False

    def __init__(self, seed, database):
        self.random = random.Random(seed)
        self.messy = self.chance(0.35)
        self.bom = self.chance(0.15)
        self.noisy = self.messy and self.chance(0.5)
        self.table = Table([], [], Options(database=database))
        self.themes = []

    def chance(self, share):
        return self.random.random() < share

    def pick(self, items):
        return self.random.choice(items)

    def make(self):
        self.settings()
        self.columns()
        count = self.pick([1, 2, 3, 5, 10, 11, 11, 21, 30])
        self.ids = self.draw_ids(count)
        self.table.rows = [Row([self.cell(theme, number) for theme in self.themes]) for number in range(count)]
        self.disorder()
        if table_allows_more(self.table) and self.chance(0.2):
            self.second()
        self.settle()
        self.write()
        return self.table

    def second(self):
        """A second table, some of whose ids may be those of the first."""
        table = self.table
        ids = self.random.sample(self.ids, 1) if self.messy or table.duplicates else []
        ids = [id for id in ids if "/" not in id] + [f"more{number}" for number in range(self.random.randint(1, 3))]
        collection = table.collection if "--collection" in table.arguments else "others"
        if collection != "others" and not table.flat:
            table.refused, table.code = "tables of different collections", 64
        table.more = [(f"{collection}/{id}", {("remark",): [{"stringValue": f"second {id}"}]}) for id in ids]

    def settle(self):
        """Where rows are skipped, the pages have to be plain about every cell: the others are emptied."""
        for _ in range(3):
            expected = self.table.expected()
            if self.table.parse_errors == "stop" or not expected.doubtful:
                return
            for cell in expected.doubtful:
                cell.value, cell.kind, cell.quoted = "", "text", False

    # Options.

    def settings(self):
        table, options = self.table, self.table.options
        options.guarded = self.bom and not self.sheet
        if self.chance(0.35):
            table.schema_fields = {heading: (LABELS.get(heading, heading), kind) for heading, kind in DECLARED.items()}
            options.zone = "Europe/Madrid"
            options.strict = self.chance(0.5)
            table.arguments += ["--schema", "schema.yaml"] + ([] if options.strict else ["--validate", "off"])
        else:
            table.arguments += ["--schema", "none"]
        if self.chance(0.3):
            options.zone = self.pick(["America/Mexico_City", "Europe/Madrid", "UTC", "America/New_York", "Asia/Kolkata"])
            table.arguments += ["--time-zone", options.zone]
        if self.chance(0.15):
            options.decimal_comma = True
            table.arguments += ["--decimal-comma"]
        if self.chance(0.15):
            options.date_format = self.pick(["MM/dd/yyyy", "dd/MM/yyyy", "yyyy/MM/dd", "dd-MM-yyyy"])
            table.arguments += ["--date-format", options.date_format]
        if self.chance(0.1):
            options.null = self.pick(["NULL", "-", "n/a"])
            table.arguments += ["--null", options.null]
        if self.chance(0.15):
            table.keep_spaces = True
            table.arguments += ["--keep-spaces"]
        if self.chance(0.5) and self.messy:
            table.parse_errors = self.pick(["skip-row", "skip-field", "stop"])
            table.arguments += ["--parse-errors", table.parse_errors]
        if self.chance(0.2):
            table.duplicates = self.pick(["first", "last"])
            table.arguments += ["--duplicates", table.duplicates]
        if self.chance(0.03):
            table.dry = True
            table.arguments += ["-n"]
        if self.chance(0.1) and not table.schema_fields and not self.sheet:
            table.collection, table.file = self.pick(["teams", "teams/t1/people"]), "members (1).csv"
            table.arguments += ["--collection", table.collection]
            table.flat = self.chance(0.3)
            table.arguments += ["--flatten"] if table.flat else []
        table.mode = self.pick(["create", "create", "upsert", "merge", "replace"])
        if table.mode != "create" or self.chance(0.3):
            table.arguments += ["--mode", table.mode]

    def columns(self):
        table = self.table
        way = self.pick(["name", "name", "column", "column", "new"])
        if way != "new" or self.chance(0.3):
            heading = "__name__" if way == "name" else self.pick(["id", "key", "`the key`", "folio"])
            table.headings.append(heading)
            self.themes.append(("id",))
        if way == "column":
            table.id_column = table.headings[0]
            table.arguments += ["--id-column", table.id_column]
        if way == "new":
            table.new_ids = self.pick(["uuid", "auto"])
            table.arguments += ["--new-ids", table.new_ids]
            if table.headings:
                table.id_column = table.headings[0]
                table.arguments += ["--id-column", table.id_column]
        for name in self.names(self.random.randint(0 if table.headings else 1, 5)):
            self.add_column(name)
        if table.types:
            table.arguments += ["--types", ",".join(f"{name}={kind}" for name, kind in table.types.items())]
        if self.chance(0.3):
            order = self.random.sample(range(len(self.themes)), len(self.themes))
            table.headings = [table.headings[at] for at in order]
            self.themes = [self.themes[at] for at in order]

    def names(self, count):
        names = [name for name in (list(DECLARED) if self.table.schema_fields else []) + NAMES if name not in self.table.headings]
        found, paths = [], set()
        while len(found) < count:
            name = self.pick(names)
            path = LABELS.get(name, name) if self.table.schema_fields else name
            if path not in paths:
                paths.add(path)
                found.append(name)
        return found

    def add_column(self, name):
        table = self.table
        kind = table.schema_fields.get(name, (None, None))[1]
        heading = name
        if kind is None and self.chance(0.45):
            kind = self.pick(list(TYPE_WORDS))
            word = self.pick(TYPE_WORDS[kind])
            if kind == "timestamp" and self.chance(0.4):
                word = self.pick(["MM/dd/yyyy", "dd/MM/yyyy"])
            if self.chance(0.5) and "`" not in name:
                table.types[name] = word
            else:
                heading = f"{name}:{word}"
            theme = ("typed", kind, word)
        elif kind:
            theme = ("typed", kind, "")
        elif "__name__" in table.headings:
            theme = ("pool", self.pick(["forms", "forms", "texts", "references", "points", "arrays", "json"]))
        else:
            theme = (self.pick(["pool"] * 6 + ["almost"]), self.pick([*GUESSES, "texts", "texts", "json"]))
        table.headings.append(heading)
        self.themes.append(theme)

    # Cells.

    def draw_ids(self, count):
        ids = []
        while len(ids) < count:
            id = self.pick(IDS) if self.chance(0.15) else f"{self.pick('dxÑ')}{self.random.randrange(10**6)}"
            if self.table.id_column is None and self.chance(0.05):
                id = f"g{self.random.randrange(9)}/parts/{id.replace('/', '')}"
            if id not in ids or self.messy and self.chance(0.2):
                ids.append(id)
        return ids

    def cell(self, theme, number):
        if theme[0] == "id":
            return self.id_cell(number)
        if theme[0] == "almost":
            return Cell(self.pick(TEXTS if number == 0 else GUESSES.get(theme[1]) or TEXTS))
        if self.chance(0.12):
            return Cell("", quoted=self.messy and self.chance(0.2))
        if self.messy and self.chance(0.04):
            return Cell(self.odd(theme))
        if self.noisy and self.chance(0.6):
            return Cell(self.noise(theme))
        if theme[0] == "typed":
            return Cell(self.typed(theme))
        if theme[1] == "texts" or theme[1] != "forms" and self.chance(0.01):
            return Cell(self.pick(TEXTS))
        return Cell(self.pick(GUESSES.get(theme[1]) or JSON_CELLS))

    def id_cell(self, number):
        if self.table.new_ids and self.chance(0.6):
            return Cell("")
        if self.messy and self.chance(0.03):
            return Cell(self.pick(BAD_IDS))
        return Cell("" if self.messy and self.chance(0.01) else self.ids[number])

    def typed(self, theme):
        _, kind, word = theme
        if kind == "text":
            return self.pick(TEXTS)
        if kind == "any":
            return self.pick(GUESSES["forms"])
        if self.table.options.decimal_comma and kind in COMMAS:
            return self.pick(COMMAS[kind])
        pattern = word if "/" in word else self.table.options.date_format or ""
        if kind == "timestamp" and not self.messy and pattern and not pattern.startswith("dd"):
            months = ["1/2/2026", "12-31-2026 18:30"] if pattern.startswith("MM") else []
            return self.pick(["2026-12-31", "2026-01-31T18:00:00Z", *months])
        if self.table.options.strict and self.chance(0.9):
            return self.pick([value for value in TYPED[kind] if value.strip() != "null" and "{" not in value])
        return self.pick(TYPED[kind])

    def odd(self, theme):
        if theme[0] == "typed" and theme[1] in WRONG and self.chance(0.7):
            return self.pick(BAD_COMMAS if self.table.options.decimal_comma and theme[1] in COMMAS else WRONG[theme[1]])
        return self.pick([*JSON_CELLS, *BAD_JSON, " ", "x", "null", "", "[x", "7", "2026-12-31"])

    def noise(self, theme):
        """A cell that nobody thought of, near to what its column takes."""
        kind = theme[1] if theme[0] == "typed" and theme[1] in NOISE else self.pick(list(NOISE))
        if self.chance(0.3):
            return mutated(self.pick(TYPED[kind]), self.random)
        return NOISE[kind](self.random)

    # What is wrong with a table as a whole.

    def disorder(self):
        table = self.table
        if self.chance(0.1):
            at = self.random.randint(0, len(table.rows))
            table.rows.insert(at, Row([Cell(self.pick([""] if table.keep_spaces else ["", "", " ", "\t"])) for _ in table.headings]))
        if self.chance(0.05):
            at = self.random.randint(0, len(table.headings))
            table.headings.insert(at, self.pick(["", "__reason__", "__raw__"]))
            for row in table.rows:
                row.cells.insert(at, Cell("x" if table.headings[at] else ""))
            if table.headings[at] == "__reason__":
                table.options.guarded = True
        if not self.messy:
            return
        if self.chance(0.05):
            table.types["nowhere"] = "text"
            table.arguments += ["--types", "nowhere=text"]
            table.refused = "a type of no heading"
        self.spoil_headings()
        self.lengths()

    def spoil_headings(self):
        table = self.table
        last = table.headings[-1]
        kept = {table.id_column, "__name__", "", "__reason__", "__raw__"}
        if len(table.headings) < 2 or last in kept or last.split(":")[0] in table.types:
            return
        if self.chance(0.04):
            table.headings[-1] = table.headings[0]
            table.refused = "a heading twice"
        elif self.chance(0.04):
            table.headings[-1] = self.pick(WRONG_HEADINGS)
            if is_ours(table.headings) and ("`" in table.headings[-1] or table.headings[-1] in ("a:", "a:nothing")):
                table.refused = "a heading that is no path"
        elif self.chance(0.05):
            table.headings[-1] = self.pick(ODD_HEADINGS)
        elif self.chance(0.2) and any(heading.startswith("m.") for heading in table.headings[:-1]):
            table.headings[-1] = "m"

    def lengths(self):
        table = self.table
        if self.chance(0.2):
            table.pad = True
            table.arguments += ["--short-rows", "pad"]
        for row in table.rows:
            if len(row.cells) > 1 and not row.blank and self.chance(0.05):
                del row.cells[self.random.randint(1, len(row.cells) - 1) :]
            elif self.chance(0.01):
                row.cells.append(Cell("more"))

    # The files.

    def write_second(self):
        """The second table is read with the same delimiter, where one is named."""
        arguments = self.table.arguments
        named = arguments[arguments.index("--delimiter") + 1] if "--delimiter" in arguments else "comma"
        delimiter = {"comma": ",", "semicolon": ";", "tab": "\t"}[named]
        rows = [["__name__", "remark:text"]]
        rows += [[path.rsplit("/", 1)[1], columns[("remark",)][0]["stringValue"]] for path, columns in self.table.more]
        lines = (delimiter.join(quote(cell, delimiter) for cell in row) for row in rows)
        self.table.second = "".join(f"{line}\n" for line in lines).encode()

    def write(self):
        table = self.table
        delimiter = self.pick([",", ",", ",", ";", "\t", "|"])
        end = self.pick(["\r\n", "\n", "\n", "\r"])
        lines = [self.line(row, delimiter) for row in table.rows]
        head = delimiter.join(quote(heading, delimiter) for heading in table.headings)
        self.name_delimiter(delimiter, head)
        begin = "\ufeff" if self.bom else ""
        if self.chance(0.08) and delimiter != "|" and "--delimiter" not in table.arguments:
            begin += f"sep={delimiter}{end}"
        if self.chance(0.05):
            begin += end * self.random.randint(1, 2)
        if self.chance(0.1):
            lines.insert(self.random.randint(0, len(lines)), "")
        content = begin + end.join([head, *lines]) + (end if self.chance(0.9) else "")
        table.content = self.encode(content)
        if table.more:
            self.write_second()
        if self.chance(0.1):
            table.file += ".gz"
            table.content = gzip.compress(table.content, mtime=0)

    def name_delimiter(self, delimiter, head):
        table = self.table
        names = {",": "comma", ";": "semicolon", "\t": "tab"}
        if delimiter == "\t" and self.chance(0.5) and table.file == "things.csv":
            table.file = "things.tsv"
        elif delimiter in names and (self.chance(0.2) or len(table.headings) == 1):
            table.arguments += ["--delimiter", names[delimiter]]
        elif len(table.headings) == 1 or head.count(delimiter) <= max(head.count(other) for other in ",;\t|" if other != delimiter):
            table.doubt = table.doubt or "the delimiter"

    def encode(self, content):
        table = self.table
        if self.messy and self.chance(0.05) and table.parse_errors == "stop":
            encoding = "cp1252" if self.bom else self.pick(["utf-16", "cp1252"])
            if encoding == "utf-16":
                # The mark says what it is.
                table.options.guarded = True
                return content.encode(encoding)
            encoded = content.encode(encoding, "replace")
            if any(byte > 127 for byte in encoded):
                table.refused = "it is not UTF-8"
            return encoded
        return content.encode()

    def line(self, row, delimiter):
        if self.messy and not row.blank and self.chance(0.01):
            row.raw = self.pick(['"a"b', 'a"b', '"x" ']) + delimiter * (len(self.table.headings) - 1)
            return row.raw
        always = self.chance(0.1)
        for cell in row.cells:
            cell.quoted = cell.quoted or always and cell.value != ""
        if row.blank and not any(cell.value or cell.quoted for cell in row.cells) and self.chance(0.3):
            return ""
        return delimiter.join(quote(cell.value, delimiter, cell.quoted) for cell in row.cells)


def table_allows_more(table):
    """Whether the options of a table are those of a second one, too, whose ids are in `__name__`."""
    return "__name__" in table.headings and not table.id_column and not table.new_ids and not table.refused


def quote(cell, delimiter, always=False):
    if always or any(sign in cell for sign in (delimiter, '"', "\n", "\r")):
        return '"' + cell.replace('"', '""') + '"'
    return cell

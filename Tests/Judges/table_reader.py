"""What the documents of a table have to be, by docs/importing.md and docs/formats.md alone. `random_tables.py` asks."""

import collections
import dataclasses
import re
import unicodedata

from sheet_cells import digits, read_cell
from table_cells import BAD, KINDS, MISSING, NULL, Read, by_form, good, guarded, read_typed, text, unsure
from table_guesses import guess, is_error, is_identifier, said_by_json
from table_times import order_of

TYPES = {"string": "text", "int": "integer", "number": "double", "bool": "boolean", "date": "timestamp", "point": "geopoint"}
TYPES |= {kind: kind for kind in KINDS}


@dataclasses.dataclass
class Cell:
    """A cell as a person sees it: of CSV always a text, of a sheet also a number, a truth value, a date and so on."""

    value: object = ""
    kind: str = "text"
    quoted: bool = False
    shown: str = ""
    hint: str = ""

    @property
    def empty(self):
        return self.kind == "text" and not str(self.value).strip(" \t\u00a0\r\n\u200b")


@dataclasses.dataclass
class Row:
    cells: list
    # A row that cannot be read, as it stands in the file.
    raw: str | None = None

    @property
    def blank(self):
        return self.raw is None and all(cell.empty for cell in self.cells)


@dataclasses.dataclass
class Expected:
    """The documents that have to be there, or that the import is refused."""

    documents: dict = dataclasses.field(default_factory=dict)
    # Fields of documents whose ids nobody knows.
    anonymous: list = dataclasses.field(default_factory=list)
    refused: str = ""
    rejected: int = 0
    sure: bool = True
    why: str = ""
    # The cells about which the pages are not plain.
    doubtful: list = dataclasses.field(default_factory=list)
    # The pages do not say enough for any judgement.
    unknown: bool = False

    def doubt(self, why):
        self.sure, self.why = False, self.why or why
        return self


# Documents.


def is_ours(headings):
    """Whether headings are paths, as export writes them, and not names."""
    return "__name__" in headings or "__reason__" in headings


def field_of(heading, ours):
    """The names of the field of a heading."""
    path = path_of(heading)
    plain = path is not None and plain_heading(heading)
    return path if plain and (ours or "`" in heading) else (heading,)


def split_type(heading):
    """A heading and the type behind it, or nothing."""
    name, sign, written = heading.rpartition(":")
    if sign and (written in TYPES or re.fullmatch(r"[dMy]+([/.-])[dMy]+\1[dMy]+", written)):
        return name.strip(), written
    return heading, ""


def path_of(heading):
    """The names of a field path; None where the page does not say what it is."""
    names = re.findall(r"`[^`]*`|[^.`]+", heading)
    if ".".join(names) != heading:
        return None
    return tuple(name.strip("`") for name in names)


def plain_heading(heading):
    return all(name.startswith("`") or re.fullmatch(r"(?a)[A-Za-z0-9_]+", name) for name in re.findall(r"`[^`]*`|[^.`]+", heading))


def odd_id(id):
    """Whether white space or an invisible character is around an id."""
    return id != id.strip() or unicodedata.category(id[0])[0] in "CZ" or unicodedata.category(id[-1])[0] in "CZ"


def read_id(cell, options, keep_spaces, below):
    """The path of a row's document below its collection, as a reading."""
    if cell.kind in ("error", "nothing"):
        return BAD
    if cell.kind not in ("text", "number", "padded"):
        return unsure()
    id = cell.shown or digits(cell.value) if cell.kind != "text" else str(cell.value)
    if (inner := guarded(id, options)) is not None:
        id = inner
    segments = id.split("/")
    if not id:
        return BAD
    if not id.strip() or not below and len(segments) > 1:
        return unsure()
    if len(segments) % 2 == 0 or not all(segments):
        return BAD
    if any(odd_id(segment) for segment in segments):
        return good(id) if keep_spaces else BAD
    wrong = any(segment in (".", "..") or re.fullmatch(r"__.*__", segment, re.S) or len(segment.encode()) > 1500 for segment in segments)
    return BAD if wrong else good(id)


def rounded(cell):
    """Whether a cell has an identifier of which a spreadsheet has dropped digits."""
    return cell.kind == "text" and re.fullmatch(r"(?a)[1-9]([.,]\d*)?E\+\d\d", str(cell.value))


class Reader:
    """One table and the options of its import."""

    def __init__(self, table):
        self.table, self.options = table, table.options
        self.head = [heading for heading in table.headings]
        self.id = self.id_column()
        self.rows = [row for row in table.rows if not row.blank]

    def id_column(self):
        wanted = self.table.id_column or "__name__"
        return self.head.index(wanted) if wanted in self.head else None

    def usable(self, row):
        """A row that has cells of its own."""
        missing = self.head[len(row.cells) :]
        return row.raw is None and len(row.cells) <= len(self.head) and (self.table.pad or not any(missing))

    def expected(self):
        table = self.table
        expected = Expected()
        if table.refused:
            return Expected(refused=table.refused, doubtful=[])
        if table.doubt:
            expected.doubt(table.doubt)
        if any(row.blank and any("\u200b" in str(cell.value) for cell in row.cells) for row in table.rows):
            expected.doubt("whether a row of invisible characters is a row").unknown = True
        if table.keep_spaces and any(row.blank and any(cell.value for cell in row.cells) for row in table.rows):
            expected.doubt("whether a row of white space is a row with --keep-spaces").unknown = True
        self.columns = [self.column(number, expected) for number in range(len(self.head))]
        if expected.refused:
            return expected
        self.odd, firm = "", expected.sure
        found = [self.document(row, expected) for row in self.rows]
        if self.odd:
            expected.doubt(self.odd)
        if any(item is None for item in found) and table.parse_errors == "stop":
            firm = firm and not self.odd
            return Expected(refused="a row or a cell that cannot be read", sure=firm, why=expected.why, doubtful=expected.doubtful)
        expected.rejected += sum(item is None for item in found)
        return self.together([item for item in found if item], expected)

    def column(self, number, expected):
        """The path, the type and the order of the dates of a column; None for one that is no field."""
        heading = self.head[number]
        cells = [row.cells[number] for row in self.rows if self.usable(row) and number < len(row.cells)]
        if heading in ("", "__name__", "__reason__", "__raw__"):
            return None
        name, written = split_type(heading)
        field, schema_kind = self.table.schema_fields.get(name, (name, None))
        if number == self.id and self.table.schema_fields and not schema_kind:
            return None
        if not plain_heading(field):
            expected.doubt(f"the heading {heading}").unknown |= field != field.strip()
        kind, order, declared = self.type_of(number, name, written, field, schema_kind, cells, expected)
        return path_of(field) if schema_kind else field_of(field, is_ours(self.head)), kind, order, declared

    def type_of(self, number, name, written, field, schema_kind, cells, expected):
        heading = self.head[number]
        asked = self.table.types.get(heading) or self.table.types.get(name) or written
        order = order_of(self.options.date_format) if self.options.date_format else "day"
        if asked:
            return TYPES.get(asked, "timestamp"), order if asked in TYPES else order_of(asked), "user"
        if schema_kind:
            return schema_kind, order, "schema"
        if "__name__" in self.head:
            return "any", order, ""
        if is_identifier(field_of(field, is_ours(self.head))[-1]):
            return "text", order, "name"
        kind, order, sure = guess(cells, self.options)
        others = [row.cells[number] for row in self.rows if row.raw is None and not self.usable(row) and number < len(row.cells)]
        if others and guess(cells + others, self.options)[:2] != (kind, order):
            # Cells of rows that are rejected.
            sure = False
        if not sure:
            expected.doubt(f"the guess of {heading}")
        if kind == "stop" and number == self.id:
            expected.doubt(f"the field of the ids, {heading}").unknown = True
        elif kind == "stop":
            expected.refused = f"more than nine tenths of {heading} say one type"
        return kind, order, ""

    def says_nothing(self, row):
        """A row with nothing but what was wrong with it."""
        return all(cell.empty or heading in ("__reason__", "__raw__") for heading, cell in zip(self.head, row.cells))

    def document(self, row, expected):
        """The id and the fields of a row, or None where it has to be rejected."""
        if not self.usable(row) or self.says_nothing(row):
            return None
        id, fields, wrong = self.id_of(row, expected), {}, False
        for number, column in enumerate(self.columns):
            if column is None:
                wrong |= not self.head[number] and number < len(row.cells) and not row.cells[number].empty
                continue
            path, kind, order, declared = column
            cell = row.cells[number] if number < len(row.cells) else Cell()
            read = self.field(path, kind, cell, order, declared)
            if declared != "user" and (is_identifier(path[-1]) or number == self.id) and rounded(cell):
                read = BAD
            if is_error(cell) and (declared, kind) != ("user", "text"):
                read = BAD
            if cell.hint == "sheet" and cell.quoted and not cell.value:
                # Whatever its format.
                read = good(MISSING)
            elif cell.quoted and "__name__" not in self.head and kind == "any" and not declared and not cell.value:
                # The pages do not say what an empty text in a column without a type is.
                read = Read([*read.values, MISSING], read.sure)
            if not read.sure:
                expected.doubt(f"{'.'.join(path)}: {cell}").doubtful.append(cell)
            if number == self.id and declared in ("", "name") and id:
                # The pages do not say whether the field of the ids is guessed.
                read = Read([*read.values, text(id)], read.sure and bool(read.values))
            if read.bad and read.sure:
                wrong = True
                read = good(MISSING)
            fields[path] = read.values
        if id is None or wrong and self.table.parse_errors != "skip-field" or self.clashes(fields):
            return None
        expected.rejected += wrong
        return id, fields

    def field(self, path, kind, cell, order, declared):
        mixed = kind == "any" and cell.kind == "text" and self.beside(path)
        if mixed:
            other = read_typed(mixed, str(cell.value), cell.quoted, self.options)
            first = by_form(str(cell.value), cell.quoted, self.options)
            if first.sure and first.values == [text(cell.value)] and other.values:
                return other if " " not in str(cell.value) or mixed == "geopoint" else first
        if self.options.strict and declared == "schema" and cell.kind == "text" and str(cell.value).strip() == self.options.null:
            return unsure(NULL)
        return read_cell(kind, cell, self.options, order, declared)

    def beside(self, path):
        """The type of the references or geo points that stand alone in a column without a type; the rest of it is plain."""
        number = [column and column[0] for column in self.columns].index(path)
        cells = [row.cells[number] for row in self.rows if self.usable(row) and number < len(row.cells)]
        found = {said_by_json(str(cell.value)) for cell in cells if cell.kind == "text" and str(cell.value).startswith("{")}
        if "odd" in found and found & {"reference", "geopoint"}:
            self.odd = "a cell that is malformed beside references or geo points"
        return next(iter(found)) if found in ({"reference"}, {"geopoint"}) else None

    def clashes(self, fields):
        filled = [path for path, values in fields.items() if values != [MISSING]]
        return any(one != other and other[: len(one)] == one for one in filled for other in filled)

    def id_of(self, row, expected):
        table = self.table
        cell = row.cells[self.id] if self.id is not None and self.id < len(row.cells) else Cell()
        if cell.kind == "text" and cell.value == "" and table.new_ids:
            return ""
        read = read_id(cell, self.options, table.keep_spaces, table.id_column is None) if self.id is not None else BAD
        if not read.sure:
            expected.doubt(f"the id {cell}").unknown = True
        return read.values[0] if read.values else ("?" if not read.sure else None)

    def place(self, id):
        table = self.table
        return f"{table.collection}/{id.rsplit('/', 1)[-1] if table.flat else id}" if id else None

    def together(self, found, expected):
        """Puts the documents together, also those of a second table; some may have the same path."""
        table = self.table
        found = [(self.place(id), fields) for id, fields in found] + table.more
        paths = collections.Counter(path for path, _ in found if path)
        if max(paths.values(), default=0) > 1 and not table.duplicates:
            firm = expected.sure and not expected.unknown
            return Expected(refused="one document twice", sure=firm, why=expected.why, doubtful=expected.doubtful)
        expected.anonymous = [fields for path, fields in found if not path]
        for path, fields in found[::-1] if table.duplicates == "first" else found:
            if path:
                expected.documents[path] = fields
        return expected

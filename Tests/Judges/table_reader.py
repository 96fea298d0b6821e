"""What the documents of a table have to be, by docs/importing.md and docs/formats.md alone. `random_tables.py` asks."""

import collections
import dataclasses
import math
import re
import unicodedata

from table_cells import (
    BAD, DECIMAL, GROUPED, KINDS, MISSING, NULL, SHORT_EXPONENT, UTC, WHOLE, Read, Twice, array, by_form, double, good, guarded, in_zone, integer,
    moment, order_of, POINT, read_typed, rest, split_date, stamp, text, unsure,
)

TYPES = {"string": "text", "int": "integer", "number": "double", "bool": "boolean", "date": "timestamp", "point": "geopoint"}
TYPES |= {kind: kind for kind in KINDS}
NUMBERS = {"integer", "double"}


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
        return self.kind == "text" and not str(self.value).strip(" \t\u00a0\r\n")


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


# Names of identifiers.

ALWAYS = set(
    "id uid uuid guid clave code codigo folio sku isbn ean upc gtin barcode matricula expediente poliza placa placas vin imei serial pin cp zip zipcode"
    " postcode postalcode codigopostal nss ssn curp rfc ine dni nif nie cif cedula passport pasaporte clabe iban phonenumber userid memberid customerid"
    " clientid orderid idsocio idcliente idusuario".split()
)
MOSTLY = set(
    "phone phones telephone mobile whatsapp fax telefono telefonos tel cel celular celulares movil tarjeta card cuenta account".split()
)
QUANTITIES = set(
    "count conteo total totales cantidad quantity qty suma sum saldo balance monto importe amount precio price costo coste cost comision fee cargo"
    " cargos pago pagos payment payments ingreso ingresos income porcentaje percent promedio average limite limit".split()
)
NUMERALS = {"numero", "num", "nro", "number"}


def words_of(name):
    """The words of a name without case and accents; single letters in a row are one word."""
    name = "".join(part for part in unicodedata.normalize("NFD", name) if not unicodedata.combining(part))
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    words, letters = [], ""
    for part in [*parts, "--"]:
        if len(part) == 1:
            letters += part
            continue
        words += [letters] if letters else []
        letters = ""
        words.append(part)
    return [word.lower() for word in words[:-1]]


def is_identifier(name):
    words = words_of(name)
    if any(word in ALWAYS for word in words):
        return True
    if any(word in MOSTLY for word in words) and not any(word in QUANTITIES for word in words):
        return True
    return any(word in NUMERALS for word in words) and len(words) > 1 and not any(word.endswith("s") for word in words)


# Guesses.


def said(cell, options, order, exponents, kinds):
    """What a cell says of the type of its column; None for one that says nothing."""
    if cell.kind != "text":
        if cell.kind == "number":
            return ("integer" if float(cell.value).is_integer() else "double") if abs(cell.value) <= 2**53 else "odd"
        if cell.kind in ("error", "nothing") or cell.kind == "date" and cell.value is None:
            return "odd"
        return {"boolean": "boolean", "date": "timestamp"}.get(cell.kind, "text")
    bare = str(cell.value).strip(" \t")
    if not bare or bare == options.null:
        return None
    if guarded(cell.value, options) is not None:
        return "text"
    if bare[0] == "{":
        return said_by_json(bare)
    date = said_by_date(bare, options, order)
    if date or cell.hint == "sheet":
        return date or "text"
    return said_by_number(bare, options, exponents) or said_by_form(bare, kinds)


def said_by_json(bare):
    try:
        value = rest(bare)
    except Twice:
        return "odd"
    names = {"referenceValue": "reference", "geoPointValue": "geopoint", "bytesValue": "bytes"}
    return "text" if value is None else names.get(next(iter(value)))


def said_by_date(bare, options, order):
    if moment(bare, order, options):
        return "timestamp"
    return None


def said_by_number(bare, options, exponents):
    if bare in ("NaN", "Infinity", "-Infinity"):
        return "double"
    if SHORT_EXPONENT.fullmatch(bare):
        return "double" if exponents else "text"
    if options.decimal_comma:
        if "." in bare and not GROUPED.fullmatch(bare):
            return None
        bare = bare.replace(".", "").replace(",", ".")
    if WHOLE.fullmatch(bare):
        return "integer" if bare != "-0" and abs(int(bare)) <= 2**53 else "text"
    if DECIMAL.fullmatch(bare):
        return "odd" if math.isinf(float(bare)) else "double"
    return None


def said_by_form(bare, kinds):
    if bare in ("true", "TRUE", "false", "FALSE"):
        return "boolean"
    if bare[0] == "[":
        try:
            return "array" if array(bare) else "text"
        except Twice:
            return "odd"
    if "reference" in kinds and re.fullmatch(r"/?[^/\s]+/[^/\s]+(/[^/\s]+/[^/\s]+)*", bare):
        return "reference"
    return "geopoint" if "geopoint" in kinds and POINT.fullmatch(bare) else "text"


def order_shown(cells, options):
    """The order that the dates of a column show whose year is last; None where they show none."""
    if options.date_format:
        return order_of(options.date_format)
    shown = collections.Counter()
    for cell in cells:
        found = cell.kind == "text" and split_date(str(cell.value).strip(" \t"))
        if found and found[1]:
            _, second, first = found[0]
            if (first > 12) != (second > 12):
                shown["day" if first > 12 else "month"] += 1
    return max(shown, key=lambda order: (shown[order], order == "day"), default=None)


def guess(cells, options):
    """The type of a column that nothing declares, the order of its dates, and whether the page is plain about it; `stop` for a refusal."""
    order = order_shown(cells, options)
    bare = [str(cell.value).strip(" \t") for cell in cells if cell.kind == "text" and said(cell, options, order, True, set())]
    exponents = all(re.search(r"\d[eE]", cell) and said_by_number(cell, options, True) for cell in bare)
    kinds = {said(cell, options, order, True, set()) for cell in cells}
    says = collections.Counter(said(cell, options, order, exponents, kinds) for cell in cells)
    del says[None]
    sure = not says["odd"]
    number = "double" if says["double"] else "integer"
    if says["integer"] + says["double"]:
        says[number] = says.pop("integer", 0) + says.pop("double", 0)
    says = +says
    if not says:
        return "any", order, sure
    if len(says) == 1:
        kind = next(iter(says))
        return ("text" if kind == "odd" else kind), order, sure
    most = max(count for kind, count in says.items() if kind != "text") if set(says) != {"text"} else 0
    return ("stop" if most * 10 > 9 * says.total() else "text"), order, sure


# Cells of sheets.


def digits(number):
    return str(int(number)) if float(number).is_integer() else repr(float(number))


def read_cell(kind, cell, options, order, declared):
    """A cell under the type of its column. `declared` says who gave the type: `schema`, `user`, `name` of the field, or nobody."""
    if cell.kind in ("error", "nothing"):
        return BAD
    if cell.kind == "text":
        found = read_typed(kind, str(cell.value), cell.quoted, options, order)
        doubtful = cell.hint == "sheet" and kind == "any" and found.values != [text(cell.value)] and not str(cell.value).startswith("{")
        return Read(found.values + [text(cell.value)], False) if doubtful and cell.value not in ("", options.null) else found
    return {"number": of_number, "padded": of_padded, "boolean": of_boolean, "date": of_date}.get(cell.kind, of_time)(kind, cell, options, declared)


def of_number(kind, cell, options, declared):
    number, whole = cell.value, float(cell.value).is_integer()
    exact = abs(number) < 1e15 and (number == 0 or abs(number) >= 1e-4)
    if kind == "text":
        return good(text(digits(number))) if exact else unsure(text(digits(number)))
    if kind == "double" or kind == "any" and not whole:
        return good(double(float(number)))
    if kind in ("integer", "any"):
        return BAD if not whole else Read([integer(int(number))], exact)
    if kind == "boolean":
        return good({"booleanValue": number == 1}) if number in (0, 1) else BAD
    return unsure()


def of_padded(kind, cell, options, declared):
    if kind in ("text", "any"):
        return good(text(cell.shown))
    return of_number(kind, cell, options, declared)


def of_boolean(kind, cell, options, declared):
    if kind in ("boolean", "any"):
        return good({"booleanValue": cell.value})
    return as_text(kind, "true" if cell.value else "false", declared)


def as_text(kind, shown, declared):
    """What is no text, in a column of text."""
    if kind != "text":
        return unsure()
    return {"schema": BAD, "": good(text(shown))}.get(declared) or unsure(text(shown))


def of_date(kind, cell, options, declared):
    if cell.value is None:
        return BAD
    if kind in ("timestamp", "any"):
        found = in_zone(cell.value, options.zone)
        return good(stamp(found)) if found else BAD
    return as_text(kind, cell.shown, declared)


def of_time(kind, cell, options, declared):
    """A time of day or a duration; `value` is its seconds."""
    if kind == "text":
        return good(text(cell.shown))
    if kind == "timestamp":
        return BAD if cell.kind == "duration" else unsure()
    if kind in NUMBERS and cell.kind == "duration":
        return good(integer(cell.value) if kind == "integer" else double(float(cell.value)))
    return unsure(text(cell.shown)) if kind == "any" else unsure()


# Documents.


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
            return Expected(refused="a row or a cell that cannot be read", sure=firm and not self.odd, why=expected.why, doubtful=expected.doubtful)
        expected.rejected += sum(item is None for item in found)
        return self.together([item for item in found if item], expected)

    def column(self, number, expected):
        """The path, the type and the order of the dates of a column; None for one that is no field."""
        heading = self.head[number]
        cells = [row.cells[number] for row in self.rows if self.usable(row) and number < len(row.cells)]
        if heading in ("", "__name__", "__reason__", "__raw__"):
            return None
        name, _, written = heading.partition(":")
        field, schema_kind = self.table.schema_fields.get(name, (name, None))
        if number == self.id and self.table.schema_fields and not schema_kind:
            return None
        if not plain_heading(field):
            expected.doubt(f"the heading {heading}").unknown |= field != field.strip()
        kind, order, declared = self.type_of(number, name, written, field, schema_kind, cells, expected)
        return path_of(field), kind, order, declared

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
        if is_identifier(path_of(field)[-1]):
            return "text", order, "name"
        kind, order, sure = guess(cells, self.options)
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
            if cell.hint == "sheet" and cell.quoted and "__name__" not in self.head:
                # The pages say of exported workbooks alone what an empty cell in text format is.
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

    def together(self, found, expected):
        """Puts the documents together, of which some may have the same path."""
        table = self.table
        ids = collections.Counter(id for id, _ in found if id)
        if max(ids.values(), default=0) > 1:
            if not table.duplicates:
                return Expected(refused="one document twice", sure=expected.sure and not expected.unknown, why=expected.why, doubtful=expected.doubtful)
            if table.duplicates == "first":
                found = found[::-1]
        for id, fields in found:
            if id:
                expected.documents[f"{table.collection}/{id}"] = fields
            else:
                expected.anonymous.append(fields)
        return expected

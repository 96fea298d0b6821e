"""What one cell of a table is, by docs/importing.md and docs/formats.md alone. `random_tables.py` asks.

A cell is read as one of the values that the pages allow. Where they leave something open, several values are right, and so is a
refusal: such a reading is not sure. A reading without a value has to be refused.
"""

import base64
import dataclasses
import json
import math
import re
from decimal import Decimal

from judging import integer, text
from rest_values import MOMENT, READERS as MEMBERS, Malformed, Open, Twice, fraction, once, read_value
from table_times import loose_moment, moment, stamp

MISSING = None
KINDS = ["text", "integer", "double", "boolean", "timestamp", "array", "reference", "geopoint", "bytes", "any"]
TRUE = {"true", "verdadero", "verdadeiro", "wahr", "vrai", "yes", "sí", "si", "sim", "ja", "oui", "1"}
FALSE = {"false", "falso", "falsch", "faux", "no", "não", "nao", "nein", "non", "0"}
NULL = {"nullValue": None}
WHOLE = re.compile(r"(?a)-?(0|[1-9]\d*)")
DECIMAL = re.compile(r"(?a)-?(0|[1-9]\d*)(\.\d+([eE][+-]?\d+)?|[eE][+-]\d+)")
SHORT_EXPONENT = re.compile(r"(?a)\d+[eE]\d+")
LOOSE = re.compile(r"(?a)[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
GROUPED = re.compile(r"(?a)-?(\d+|[1-9]\d{0,2}(\.\d{3})+)(,\d+)?([eE][+-]?\d+)?")
POINT = re.compile(r"(?a)(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(,\s*)(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)")
GUARDED = re.compile("'+[=+\\-@\t\r\n＝＋－＠]")


@dataclasses.dataclass
class Options:
    """The options of an import that say what cells are."""

    database: str = ""
    null: str = "null"
    zone: str = "UTC"
    decimal_comma: bool = False
    date_format: str | None = None
    strict: bool = False
    guarded: bool = False


@dataclasses.dataclass
class Read:
    values: list
    sure: bool = True

    @property
    def bad(self):
        return not self.values


BAD = Read([])


def good(value):
    return Read([value])


def unsure(*values):
    return Read(list(values), False)


def double(value):
    return {"doubleValue": value if math.isfinite(value) else {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")}


def rest(cell):
    """The value that REST JSON says; None where it is none. Raises what `read_value` raises."""
    try:
        found = json.loads(cell, object_pairs_hook=once, parse_float=fraction)
    except Twice:
        raise
    except ValueError:
        return None
    if found == {}:
        return {"mapValue": {}}
    if not isinstance(found, dict) or len(found) != 1 or not found.keys() <= MEMBERS.keys():
        return None
    read_value(found)
    return found


def element(value):
    if value is None:
        return NULL
    if isinstance(value, bool):
        return {"booleanValue": value}
    if isinstance(value, str):
        return text(value)
    if isinstance(value, int):
        return integer(value)
    if isinstance(value, float):
        return double(value)
    if isinstance(value, dict) and len(value) == 1 and value.keys() <= MEMBERS.keys():
        return read_value(value)
    raise ValueError(value)


def array(cell):
    """The array of a cell; None where it is none."""
    try:
        found = json.loads(cell, object_pairs_hook=once, parse_float=fraction)
        return {"arrayValue": {"values": [element(value) for value in found]}} if isinstance(found, list) else None
    except Twice:
        raise
    except (ValueError, Malformed):
        return None


def leaves(fields, path=()):
    """The values of fields by their paths; those of maps by the paths below them."""
    for name, value in fields.items():
        inner = value.get("mapValue", {}).get("fields")
        yield from leaves(inner, (*path, name)) if inner else [((*path, name), value)]


# Cells of text under a type.


def as_number(cell, options):
    """The number of a cell, and whether the page has its form; None where it is none."""
    if cell in ("NaN", "Infinity", "-Infinity"):
        return float(cell), True
    if options.decimal_comma:
        if not GROUPED.fullmatch(cell) or "." in cell and cell.lstrip("-").startswith("0"):
            return None
        plain = cell.replace(".", "").replace(",", ".")
    else:
        plain = cell
    if not LOOSE.fullmatch(plain):
        return None
    known = WHOLE.fullmatch(plain) or DECIMAL.fullmatch(plain) or re.fullmatch(r"-?[1-9]\d*[eE]\d+", plain)
    return float(plain) if re.search(r"[.eE]", plain) else int(plain), bool(known) and plain != "-0"


def read_integer(cell, options):
    found = as_number(cell, options)
    if not found or isinstance(found[0], float) and (not math.isfinite(found[0]) or not found[0].is_integer()):
        return BAD
    number, known = int(found[0]), found[1]
    if not -(2**63) <= number < 2**63:
        return BAD
    known = known and (isinstance(found[0], int) or cell.endswith((".0", ",0")))
    return Read([integer(number)], known and (isinstance(found[0], int) or abs(number) <= 2**53))


def read_double(cell, options):
    found = as_number(cell, options)
    if not found:
        return BAD
    try:
        number = float(found[0])
    except OverflowError:
        return BAD
    if math.isinf(number) and "Infinity" not in cell:
        return BAD
    digits = cell.replace(".", "").replace(",", ".") if options.decimal_comma else cell
    if math.isfinite(number) and abs(number) >= 2**53 and not re.search(r"[eE]", digits) and Decimal(digits) != Decimal(number):
        # As others write a double, or digits that none has.
        return Read([double(number)], found[1]) if Decimal(repr(number)) == Decimal(digits) else BAD
    return Read([double(number)], found[1])


def read_boolean(cell, options):
    word = cell.lower()
    return good({"booleanValue": word in TRUE}) if word in TRUE | FALSE else BAD


def read_array(cell, options):
    found = array(cell)
    return BAD if found is None else Read([found], all(abs(int(v.get("integerValue", 0))) <= 2**53 for v in found["arrayValue"]["values"]))


def loose_array(cell):
    """What an array is with elements that the pages leave open."""
    values = [value if isinstance(value, dict) else element(value) for value in json.loads(cell)]
    return [{"arrayValue": {"values": values}}]


def read_reference(cell, options):
    if re.fullmatch(r"projects/[^/]+/databases/[^/]+/documents(/[^/]+/[^/]+)+", cell):
        return Read([{"referenceValue": cell}], not re.search(r"\s", cell))
    if not re.fullmatch(r"/?[^/]+/[^/]+(/[^/]+/[^/]+)*", cell):
        return BAD
    value = {"referenceValue": f"{options.database}/documents/{cell.removeprefix('/')}"}
    return unsure(value) if re.search(r"\s", cell) else good(value)


def read_geopoint(cell, options):
    if not (found := POINT.fullmatch(cell)):
        return BAD
    north, east = float(found[1]), float(found[3])
    if abs(north) > 90 or abs(east) > 180:
        return BAD
    known = found[2] == ", " and all(WHOLE.match(part)[0] == part.split(".")[0] for part in (found[1], found[3]))
    return Read([{"geoPointValue": {"latitude": north, "longitude": east}}], known)


def read_bytes(cell, options):
    if not re.fullmatch(r"[A-Za-z0-9+/=_-]+", cell):
        return BAD
    values = without_padding(cell)
    return good(values[0]) if values == [{"bytesValue": cell}] else unsure(*values)


def without_padding(cell):
    """What Base64 is, also without padding or of the alphabet for URLs, of which the page says nothing."""
    bare = cell.rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        return [{"bytesValue": base64.b64encode(base64.b64decode(bare + "=" * (-len(bare) % 4))).decode()}]
    except ValueError:
        return []


READERS = {
    "integer": read_integer, "double": read_double, "boolean": read_boolean, "array": read_array, "reference": read_reference,
    "geopoint": read_geopoint, "bytes": read_bytes,
}


def guarded(cell, options):
    """A text behind the apostrophe that keeps it from being a formula; None for any other cell."""
    return cell[1:] if options.guarded and GUARDED.match(cell) else None


def read_typed(kind, cell, quoted, options, order="day"):
    """A text under a type. `order` is that of dates whose year is last."""
    if kind == "any":
        return by_form(cell, quoted, options)
    bare, is_text = cell.strip(" \t"), kind == "text"
    if (inner := guarded(cell, options)) is not None:
        return good(text(inner)) if is_text else unsure(*plain(kind, inner, options, order).values)
    if bare == options.null and bare:
        return good(NULL) if cell == bare else unsure(NULL, *([text(cell)] if is_text else []))
    if not bare:
        if not cell and not quoted:
            return good(MISSING)
        if is_text:
            return unsure(MISSING, text(cell)) if cell else good(text(""))
        return unsure(MISSING)
    if bare[0] == "{":
        return braces(kind, cell, bare, options)
    if is_text:
        try:
            found = array(bare) if bare[0] == "[" else None
        except (Twice, Open):
            return unsure(text(cell))
        return good(text(cell)) if bare[0] != "[" else unsure(text(cell), *([found] if found else []))
    return plain(kind, bare, options, order)


def braces(kind, cell, bare, options):
    """A cell that is REST JSON, or looks like it."""
    is_text = kind == "text"
    try:
        value = rest(bare)
    except (Twice, Malformed):
        return unsure(text(cell)) if is_text else BAD
    except Open:
        return unsure(json.loads(bare), *([text(cell)] if is_text else []))
    if value is None:
        return unsure(text(cell)) if is_text else BAD
    if is_text and (cell != bare or bare == "{}"):
        return unsure(value, text(cell))
    return unsure(value) if options.strict else good(value)


def plain(kind, cell, options, order):
    if kind == "text":
        return good(text(cell))
    if kind == "timestamp":
        found = moment(cell, order, options)
        if not found and (found := loose_moment(cell, order, options)):
            return unsure(stamp(found))
        return good(stamp(found)) if found else BAD
    try:
        return READERS[kind](cell, options)
    except Twice:
        return BAD
    except Open:
        return unsure(*loose_array(cell))


# Cells of text without a type.


def form(cell, options):
    """The value that a cell has by its form, but for texts; MISSING for one that is text."""
    if WHOLE.fullmatch(cell) and cell != "-0" and abs(int(cell)) < 2**63:
        return integer(int(cell))
    if DECIMAL.fullmatch(cell) and not math.isinf(float(cell)) or cell in ("NaN", "Infinity", "-Infinity"):
        return double(float(cell))
    if cell in ("true", "false"):
        return {"booleanValue": cell == "true"}
    if MOMENT.fullmatch(cell) and (found := moment(cell, None, options)):
        return stamp(found)
    return array(cell) if cell.startswith("[") else None


def by_form(cell, quoted, options):
    bare = cell.strip(" \t")
    if (inner := guarded(cell, options)) is not None:
        return good(text(inner))
    if cell == options.null and cell:
        return good(NULL)
    if not cell:
        return good(text("")) if quoted else good(MISSING)
    if not bare:
        return unsure(MISSING, text(cell))
    try:
        value = rest(bare) if bare[0] == "{" else form(bare, options)
    except Twice:
        return BAD
    except Malformed:
        return unsure(text(cell))
    except Open:
        return unsure(text(cell), *([json.loads(bare)] if bare[0] == "{" else loose_array(bare)))
    if value is None:
        if bare in ("TRUE", "FALSE"):
            return unsure(text(cell), {"booleanValue": bare == "TRUE"})
        if bare == "-0":
            return unsure(text(cell), integer(0))
        is_odd = bare[0] in "[{" or bare in (options.null, "null") or DECIMAL.fullmatch(bare) or WHOLE.fullmatch(bare)
        return unsure(text(cell), NULL) if is_odd else by_commas(cell, bare, options)
    if bare != cell:
        return unsure(text(cell), value)
    if options.decimal_comma and "." in bare and "doubleValue" in value:
        return unsure(text(cell), value)
    return good(value)


def by_commas(cell, bare, options):
    found = as_number(bare, options) if options.decimal_comma else None
    if not found:
        return good(text(cell))
    return unsure(text(cell), double(float(found[0])), *([integer(int(found[0]))] if math.isfinite(found[0]) else []))

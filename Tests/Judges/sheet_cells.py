"""What the cells of sheets are under the types of their columns, by docs/importing.md and docs/formats.md alone."""

from table_cells import BAD, Read, double, good, integer, read_typed, text, unsure
from table_times import in_zone, stamp

NUMBERS = {"integer", "double"}


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
    readers = {"number": of_number, "padded": of_padded, "boolean": of_boolean, "date": of_date}
    return readers.get(cell.kind, of_time)(kind, cell, options, declared)


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

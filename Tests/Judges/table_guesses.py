"""The types of columns that nothing declares, by docs/importing.md alone: names of identifiers, and guesses."""

import collections
import math
import re
import unicodedata

from rest_values import Malformed, Open, Twice
from table_cells import DECIMAL, GROUPED, POINT, SHORT_EXPONENT, WHOLE, array, guarded, rest
from table_times import loose_moment, moment, order_of, split_date

# Names of identifiers.

ALWAYS = set(
    "id uid uuid guid clave code codigo folio sku isbn ean upc gtin barcode matricula expediente poliza placa placas vin imei serial pin cp"
    " zip zipcode postcode postalcode codigopostal nss ssn curp rfc ine dni nif nie cif cedula passport pasaporte clabe iban phonenumber"
    " userid memberid customerid clientid orderid idsocio idcliente idusuario".split()
)
MOSTLY = set(
    "phone phones telephone mobile whatsapp fax telefono telefonos tel cel celular celulares movil tarjeta card cuenta account".split()
)
QUANTITIES = set(
    "count conteo total totales cantidad quantity qty suma sum saldo balance monto importe amount precio price costo coste cost comision"
    " fee cargo cargos pago pagos payment payments ingreso ingresos income porcentaje percent promedio average limite limit".split()
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

ERRORS = set(
    "#N/A #N/D #REF! #¡REF! #VALUE! #¡VALOR! #DIV/0! #¡DIV/0! #NAME? #¿NOMBRE? #NUM! #¡NUM! #NULL! #¡NULO! #ERROR! #SPILL! "
    "#¡DESBORDAMIENTO! #CALC! #¡CALC! #FIELD! #¡CAMPO! #BLOCKED! #¡BLOQUEADO! #CONNECT! #¡CONECTAR! #UNKNOWN! #¡DESCONOCIDO! "
    "#BUSY! #¡OCUPADO! #GETTING_DATA #OBTENIENDO_DATOS".split()
)
OTHER_ERRORS = re.compile(r"#{3,}|Err:[0-9]{3}")


def is_error(cell):
    """Whether a cell of CSV is an error as a spreadsheet saves it."""
    text = str(cell.value).strip(" \t")
    return cell.hint != "sheet" and cell.kind == "text" and (text in ERRORS or OTHER_ERRORS.fullmatch(text) is not None)


def said(cell, options, order, exponents, kinds):
    """What a cell says of the type of its column; None for one that says nothing."""
    if cell.kind != "text":
        if cell.kind == "number":
            return ("integer" if float(cell.value).is_integer() else "double") if abs(cell.value) <= 2**53 else "odd"
        if cell.kind in ("error", "nothing") or cell.kind == "date" and cell.value is None:
            return "odd"
        return {"boolean": "boolean", "date": "timestamp"}.get(cell.kind, "text")
    bare = str(cell.value).strip(" \t")
    if not bare or bare == options.null or is_error(cell):
        return None
    if guarded(cell.value, options) is not None:
        return "text"
    if bare[0] == "{":
        return said_by_json(bare)
    date = said_by_date(bare, options, order)
    if date or cell.hint == "sheet":
        return date or said_beside(bare, kinds) or "text"
    return said_by_number(bare, options, exponents) or said_by_form(bare, kinds)


def said_by_json(bare):
    try:
        value = rest(bare)
    except (Twice, Malformed, Open):
        return "odd"
    names = {"referenceValue": "reference", "geoPointValue": "geopoint", "bytesValue": "bytes"}
    return "text" if value is None else names.get(next(iter(value)))


def said_by_date(bare, options, order):
    if moment(bare, order, options):
        return "timestamp"
    return "odd" if loose_moment(bare, order, options) else None


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
        except (Twice, Open):
            return "odd"
    return said_beside(bare, kinds) or "text"


def said_beside(bare, kinds):
    """What a plain cell says beside REST JSON of references or geo points."""
    if "reference" in kinds and re.fullmatch(r"/?(projects/[^/\s]+/databases/[^/\s]+/documents/)?[^/\s]+/[^/\s]+(/[^/\s]+/[^/\s]+)*", bare):
        return "reference"
    return "geopoint" if "geopoint" in kinds and POINT.fullmatch(bare) else None


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

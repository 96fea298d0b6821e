"""What a line of JSON Lines and a value in REST JSON are, by docs/importing.md and docs/formats.md alone."""

import base64
import json
import math
import re
from decimal import Decimal

MOMENT = re.compile(r"(?a)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)")
NAME = re.compile(r"projects/[^/]+/databases/[^/]+/documents/(.+)", re.S)


class Malformed(Exception):
    """No document."""


class Open(Exception):
    """The pages do not say what it is, or it breaks a limit of the service."""


class Twice(ValueError):
    """A member of JSON that is given twice."""


def once(pairs):
    if len({name for name, _ in pairs}) < len(pairs):
        raise Twice
    return dict(pairs)


def fraction(number):
    """A number with a point or an exponent; with a point, 64 bits that a double would round are none."""
    found = float(number)
    exact = Decimal(number)
    fits = 2**53 <= abs(exact) < 2**63 and "e" not in number.lower()
    if fits and exact not in (Decimal(found), Decimal(repr(found))):
        raise Malformed(number)
    return found


def constant(word):
    raise Malformed(word)


def need(truth, what=""):
    if not truth:
        raise Malformed(what)


def plain(truth, what=""):
    if not truth:
        raise Open(what)


def read_line(line):
    """The path and the fields of a document."""
    try:
        found = json.loads(line, object_pairs_hook=once, parse_constant=constant, parse_float=fraction)
        line.encode()
    except Twice:
        raise Malformed("twice") from None
    except UnicodeEncodeError:
        raise Open("half a character") from None
    except ValueError:
        raise Malformed(line) from None
    need(isinstance(found, dict))
    if "code" in found and "document" in found and "name" not in found:
        plain(found.keys() <= {"code", "message", "path", "document"})
        found = found["document"]
        need(isinstance(found, dict))
    need(found.keys() <= {"name", "fields", "createTime", "updateTime"} and isinstance(found.get("name"), str))
    times = [found[name] for name in ("createTime", "updateTime") if name in found]
    plain(all(isinstance(time, str) and MOMENT.fullmatch(time) for time in times))
    fields = found.get("fields", {})
    need(isinstance(fields, dict))
    return read_name(found["name"]), read_fields(fields)


def read_name(name):
    whole = NAME.fullmatch(name)
    plain(whole or not name.startswith(("projects/", "/")))
    path = whole[1] if whole else name
    segments = path.split("/")
    need(len(segments) % 2 == 0 and all(segments), path)
    odd = any(segment.strip() != segment or not segment.isprintable() or re.fullmatch(r"\.\.?|__.*__", segment) for segment in segments)
    plain(not odd and not path.startswith("_gymmigrate"), path)
    plain(all("\ud800" > letter or letter > "\udfff" for letter in path))
    return path


def read_fields(fields):
    for name in fields:
        plain(name and not re.fullmatch(r"__.*__", name) and name.isprintable(), name)
    return {name: read_value(value) for name, value in fields.items()}


def read_value(value, inside=False):
    need(isinstance(value, dict) and len(value) == 1 and value.keys() <= READERS.keys())
    (kind, inner), *_ = value.items()
    plain(not (inside and kind == "arrayValue"))
    return {kind: READERS[kind](inner)}


def null(inner):
    need(inner is None or inner == "NULL_VALUE")
    plain(inner is None)


def boolean(inner):
    need(isinstance(inner, bool))
    return inner


def integer(inner):
    need(isinstance(inner, (str, int, float)) and not isinstance(inner, bool))
    plain(not isinstance(inner, (int, float)))
    whole = re.fullmatch(r"-?(0|[1-9][0-9]*)", inner)
    plain(whole and inner != "-0" or not re.fullmatch(r"\s*[+-]?[0-9]+(\.0*)?([eE][+-]?[0-9]+)?\s*", inner))
    need(whole and -(2**63) <= int(inner) < 2**63)
    return inner


def double(inner):
    if isinstance(inner, str):
        known = inner in ("NaN", "Infinity", "-Infinity")
        plain(known or not re.fullmatch(r"\s*[+-]?[0-9.]+([eE][+-]?[0-9]+)?\s*|(?i:[+-]?(nan|inf(inity)?))", inner))
        need(known)
        return inner
    need(isinstance(inner, (int, float)) and not isinstance(inner, bool))
    need(abs(inner) < 2**1024 and math.isfinite(inner))
    return float(inner)


def timestamp(inner):
    need(isinstance(inner, str))
    whole = MOMENT.fullmatch(inner)
    plain(whole or not re.fullmatch(r"[0-9]{4}-.*[tTzZ0-9].*", inner, re.S))
    need(whole)
    plain(inner.endswith("Z") and inner[11:13] < "24" and inner[14:16] < "60" and inner[17:19] < "60")
    known = inner[:4] != "0000" and "01" <= inner[5:7] <= "12" and "01" <= inner[8:10] <= "28"
    plain(known or inner.startswith(("2026-01-31", "9999-12-31")))
    return inner


def text(inner):
    need(isinstance(inner, str))
    plain(not any("\ud800" <= letter <= "\udfff" for letter in inner))
    return inner


def data(inner):
    need(isinstance(inner, str))
    try:
        plain(base64.b64encode(base64.b64decode(inner, validate=True)).decode() == inner)
    except ValueError:
        plain(not re.fullmatch(r"[A-Za-z0-9+/=_-]*", inner))
        raise Malformed(inner) from None
    return inner


def reference(inner):
    need(isinstance(inner, str))
    found = NAME.fullmatch(inner)
    segments = found[1].split("/") if found else []
    plain(segments and len(segments) % 2 == 0 and all(segments))
    plain(inner.isprintable() and inner == inner.strip() and "__" not in inner)
    return inner


def point(inner):
    need(isinstance(inner, dict) and inner.keys() <= {"latitude", "longitude"})
    plain(len(inner) == 2 and all(isinstance(part, float) for part in inner.values()))
    plain(abs(inner["latitude"]) <= 90 and abs(inner["longitude"]) <= 180)
    return inner


def array(inner):
    need(isinstance(inner, dict) and inner.keys() <= {"values"} and isinstance(inner.get("values", []), list))
    return {"values": [read_value(value, True) for value in inner.get("values", [])]}


def map_of(inner):
    need(isinstance(inner, dict) and inner.keys() <= {"fields"} and isinstance(inner.get("fields", {}), dict))
    return {"fields": read_fields(inner.get("fields", {}))}


READERS = {
    "nullValue": null, "booleanValue": boolean, "integerValue": integer, "doubleValue": double, "timestampValue": timestamp,
    "stringValue": text, "bytesValue": data,
    "referenceValue": reference, "geoPointValue": point, "arrayValue": array, "mapValue": map_of,
}

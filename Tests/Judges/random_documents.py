"""Random documents with every type of value, odd names, subcollections and parents that are missing, and values as compared exactly."""

import base64
import datetime
import struct

from judging import integer, text

TOPS = ["people", "notes", "bare", "loose", "log entries", "é", "'\"`;", "1st"]
SUBS = ["kids", "parts", "people", "ñ"]
IDS = [
    "a", "b", "B", "x y", "é", "e\u0301", "%2F", "?x=1", "#", "a:b", ":runQuery", "..a", "a.", "...", "__", "007", "null", " ", " lead", "trail ", "\n", "\t",
    "日本語", "😀", "n" * 1500, "__id7__", "__id-7__", "*", "'; DROP", '"', "\\", "\u202eabc", "&amp;",
]
FIELDS = ["n", "s", "v", "m", "l", "a b", "x.y", "é", "`", "0", "\\", "name", "city"]
TEXTS = ["", " ", "é", "e\u0301", "{}", "2020-01-01T00:00:00Z", "12", "line\nbreak", "a\u0000b", "😀" * 40, "\\", "\u2028", "x" * 1501, "x" * 3000]
DOUBLES = [0.1, -2.5, 3.0, 1e300, 5e-324, 1e21, -0.0, 0.0, "NaN", "Infinity", "-Infinity"]
INTEGERS = [0, -1, 7, 2**63 - 1, -(2**63), 2**53 + 1]
TIMES = ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00Z"]


class Maker:
    """Makes them for the database `root`, as `projects/p/databases/d`."""

    def __init__(self, random, root):
        self.random, self.root = random, root

    def pick(self, *of):
        return self.random.choice(of)

    def likely(self, share):
        return self.random.random() < share

    def id(self):
        return self.random.choice(IDS) if self.likely(0.3) else f"d{self.random.randrange(40)}"

    def path(self, top=None):
        path = f"{top or self.random.choice(TOPS)}/{self.id()}"
        while path.count("/") < 7 and self.likely(0.3):
            path += f"/{self.random.choice(SUBS)}/{self.id()}"
        return path

    def time(self):
        if self.likely(0.2):
            return {"timestampValue": self.random.choice(TIMES)}
        seconds = f"20{self.random.randrange(10, 40)}-0{self.random.randint(1, 9)}-{self.random.randint(10, 28)}T{self.random.randrange(10, 24)}:00:59"
        return {"timestampValue": f"{seconds}{self.pick('', '.5', '.123', '.000001', '.123456')}Z"}

    def reference(self):
        there = self.pick(self.root, self.root, "projects/other/databases/(default)", "projects/p/databases/other")
        return {"referenceValue": f"{there}/documents/{self.pick('people/a', 'é/x y', 'people/a/kids/__id7__')}"}

    def vector(self):
        values = [{"doubleValue": self.random.uniform(-9, 9)} for _ in range(self.random.randint(1, 4))]
        return {"mapValue": {"fields": {"__type__": text("__vector__"), "value": {"arrayValue": {"values": values}}}}}

    def scalar(self):
        return self.pick(
            lambda: {"nullValue": None}, lambda: {"booleanValue": self.likely(0.5)}, lambda: integer(self.pick(*INTEGERS, self.random.randrange(10**6))),
            lambda: {"doubleValue": self.pick(*DOUBLES, self.random.random())}, lambda: text(self.random.choice(TEXTS)),
            lambda: text(f"t{self.random.randrange(10**6)}"), self.time, self.reference,
            lambda: {"bytesValue": base64.b64encode(self.random.randbytes(self.pick(0, 1, 8, 8, 1600))).decode()},
            lambda: {"geoPointValue": {"latitude": self.pick(0.0, 90.0, -33.25), "longitude": self.pick(0.0, -180.0, 0.1)}},
        )()

    def value(self, depth=3, in_array=False):
        kind = self.random.random()
        if depth and kind < 0.15 and not in_array:
            values = [self.value(depth - 1, True) for _ in range(self.random.randrange(4))]
            return {"arrayValue": {"values": values} if values else {}}
        if depth and kind < 0.3:
            fields = {name: self.value(depth - 1) for name in self.random.sample(FIELDS, self.random.randrange(4))}
            return {"mapValue": {"fields": fields} if fields else {}}
        return self.vector() if kind < 0.34 and not in_array else self.scalar()

    def fields(self):
        names = self.random.sample(FIELDS[1:], self.random.randint(0, 5))
        return {name: self.value() for name in names} | ({"n": integer(self.random.randrange(100))} if self.likely(0.8) else {})

    def documents(self, count):
        return {self.path(): self.fields() for _ in range(count)}


def exact(value):
    """A value in one form, in which only equal ones are equal: doubles by their bits, but every NaN is one, and times as moments."""
    ((kind, inner),) = value.items()
    if kind == "doubleValue":
        number = float(inner)
        return kind, "NaN" if number != number else struct.pack("<d", number)
    if kind == "timestampValue":
        whole, _, fraction = inner.removesuffix("Z").partition(".")
        return kind, datetime.datetime.fromisoformat(whole), f"{fraction:0<9}"
    if kind == "geoPointValue":
        return kind, float(inner.get("latitude", 0)), float(inner.get("longitude", 0))
    if kind == "arrayValue":
        return kind, [exact(one) for one in inner.get("values", [])]
    if kind == "mapValue":
        return kind, exact_fields(inner.get("fields", {}))
    return kind, inner


def exact_fields(fields):
    return {name: exact(value) for name, value in fields.items()}


def difference(found, wanted):
    """What differs between two databases of exact fields: the first path with the first field, or None."""
    for path in sorted(found.keys() | wanted.keys()):
        one, other = found.get(path), wanted.get(path)
        if one is None or other is None:
            if one != other:
                return f"{path!r} is {'missing' if one is None else 'there'}, and should {'be' if one is None else 'not'}"
            continue
        for name in sorted(one.keys() | other.keys()):
            if one.get(name) != other.get(name):
                return f"{name!r} of {path!r} is {one.get(name)!r:.400}, not {other.get(name)!r:.400}"
    return None

#!/usr/bin/env python3
"""What the gym app's own decoder makes of a document, property by property.

An oracle: written from the text of the pages (the app's class module, its group task, and the domain page's "three
eras in one collection"), sharing no code with the tool that it judges.

    app_reader.py DIR                    reads every *.jsonl of DIR and prints what the app reads, one JSON object a line,
                                         sorted by path (UTF-8 bytes)
    app_reader.py --random SEED COUNT    prints COUNT random documents as REST JSON, one a line; a seed gives the same ones

Read are users, groups, groups/*/members, classes, classBookings and classAttendance. Other documents are passed over.
Readings where the pages leave something open are marked OPEN.
"""

import argparse
import json
import random
import re
import sys
from pathlib import Path

# OPEN: white space is Unicode's White_Space (so not U+200B, nor U+001C to U+001F, which Python counts).
WHITE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200b)))


# Casts: each takes a REST value and gives what `value as? T` gives, None where it is no T.
# OPEN: NSNumber lets a boolean pass as 0 or 1, and 0 or 1 as a boolean. Here each counts as another type.


def text(value):
    return value.get("stringValue")


def boolean(value):
    return value.get("booleanValue")


def integer(value):
    if "integerValue" in value:
        return int(value["integerValue"])
    if "doubleValue" in value:
        number = float(value["doubleValue"])
        # OPEN: an integral double that 64 bits do not hold is no Int.
        if number.is_integer() and -2**63 <= number < 2**63:
            return int(number)
    return None


def time(value):
    """The time as the document spells it, without the zeros that end its fraction."""
    spelled = value.get("timestampValue")
    if spelled is None or "." not in spelled:
        return spelled
    seconds, _, fraction = spelled.partition(".")
    digits = fraction.rstrip("Z").rstrip("0")
    return seconds + ("." + digits if digits else "") + "Z"


def cast(fields, field, to, default=None):
    """`data[field] as? T ?? default`: an absent field, a null and a value of another type are all missing."""
    value = to(fields.get(field) or {})
    return default if value is None else value


# (property, field, cast, default). The id is the document's own, none of these collections has such a field.
# OPEN: a missing gymId is read as "", although it is always "sajarubox".
# OPEN: groups and their members are read with the same defaults, although Codable would refuse the whole document.
MODELS = {
    "groups": ("FBGroup", [
        ("name", "name", text, ""),
        ("createdAt", "createdAt", time, None),
        ("createdBy", "createdBy", text, ""),
        ("memberCount", "memberCount", integer, 0),
        ("isActive", "isActive", boolean, True)]),
    "groups/members": ("FBMember", [
        ("displayName", "displayName", text, ""),
        ("photoURL", "photoURL", text, None),
        ("joinedAt", "joinedAt", time, None),
        ("role", "role", text, ""),
        ("isActive", "isActive", boolean, True)]),
    "classes": ("GymClass", [
        ("name", "nombre", text, ""),
        ("date", "fecha", time, None),
        ("startTime", "horaInicio", text, ""),
        ("durationMinutes", "duracionMin", integer, 0),
        ("maxCapacity", "capacidadMax", integer, 0),
        ("gymId", "gymId", text, ""),
        ("description", "description", text, None),
        ("isActive", "isActive", boolean, True),
        ("recurrenceGroupId", "recurrenceGroupId", text, None),
        ("createdAt", "createdAt", time, None),
        ("updatedAt", "updatedAt", time, None)]),
    "classBookings": ("ClassBooking", [
        ("classId", "classId", text, ""),
        ("userId", "userId", text, ""),
        ("gymId", "gymId", text, ""),
        ("status", "estado", text, ""),
        ("createdAt", "createdAt", time, None)]),
    "classAttendance": ("ClassAttendance", [
        ("classId", "classId", text, ""),
        ("userId", "userId", text, None),
        ("memberId", "memberId", text, None),
        ("attended", "asistio", boolean, False),
        ("timestamp", "timestamp", time, None)]),
}

UNIFIED_NAMES = ["firstName", "paternalLastName", "maternalLastName"]
ANDROID_NAMES = ["nombre", "primerApellido", "segundoApellido"]
UNIFIED_FIELDS = ["fullName", *UNIFIED_NAMES, "phone", "isActive"]
ANDROID_FIELDS = [*ANDROID_NAMES, "telefono", "activo"]


def words(fields, field):
    """A text that is not blank, None otherwise."""
    found = cast(fields, field, text)
    return found if found is not None and found.strip(WHITE) else None


def tidied(part):
    """Without white space at its ends, and with one space for each run of it."""
    return " ".join("".join(" " if letter in WHITE else letter for letter in part).split(" ")).strip()


def joined(parts):
    """The parts that are not blank with one space between them, None where there are none."""
    # OPEN: parts are tidied where they are joined, as the page has it where they are written.
    return re.sub(" +", " ", " ".join(tidied(part) for part in parts if part)) or None


def full_name(fields):
    # OPEN: without a fullName, each part is the unified one, else Android's: "field by field".
    return words(fields, "fullName") or joined(
        first(words(fields, unified), words(fields, android)) for unified, android in zip(UNIFIED_NAMES, ANDROID_NAMES))


def era(fields):
    def there(field):
        return field in fields and "nullValue" not in fields[field]

    android, unified = any(map(there, ANDROID_FIELDS)), any(map(there, UNIFIED_FIELDS))
    if android:
        return "mixed" if unified else "android"
    if there("fullName") and there("firstName") and there("isActive"):
        return "unified"
    if there("fullName") and not there("firstName"):
        return "ios"
    return "unknown"


def first(*values):
    return next((value for value in values if value is not None), None)


def user(identifier, fields):
    parts = [first(words(fields, unified), words(fields, android))
             for unified, android in zip(UNIFIED_NAMES, ANDROID_NAMES)]
    return {
        # OPEN: the document's id, whatever its field `id` says.
        "id": identifier,
        "email": cast(fields, "email", text),
        "fullName": full_name(fields),
        "firstName": parts[0],
        "paternalLastName": parts[1],
        "maternalLastName": parts[2],
        "phone": first(words(fields, "phone"), words(fields, "telefono")),
        "isActive": first(cast(fields, "isActive", boolean), cast(fields, "activo", boolean), True),
        "role": cast(fields, "role", text),
        "photoURL": cast(fields, "photoURL", text),
        "onboardingCompleted": cast(fields, "onboardingCompleted", boolean, False),
        "linkedMemberId": cast(fields, "linkedMemberId", text),
        "createdAt": cast(fields, "createdAt", time),
        "updatedAt": cast(fields, "updatedAt", time),
        "era": era(fields),
    }


def read(path, fields):
    """(type, properties) of a document, None where the app has no reader of this oracle for it."""
    parts = path.split("/")
    if len(parts) == 4 and parts[0] == "groups" and parts[2] == "members":
        collection = "groups/members"
    elif len(parts) == 2 and parts[0] in ("users", "groups", "classes", "classBookings", "classAttendance"):
        collection = parts[0]
    else:
        return None
    if collection == "users":
        return "AppUser", user(parts[-1], fields)
    name, table = MODELS[collection]
    return name, {"id": parts[-1]} | {prop: cast(fields, field, to, default) for prop, field, to, default in table}


def load(folder):
    """The fields of each document, by its path."""
    documents = {}
    for file in sorted(Path(folder).glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").split("\n"):
            if line:
                document = json.loads(line)
                documents[document["name"]] = document.get("fields", {})
    return documents


def report(documents):
    """What is printed, a dictionary a document."""
    for path in sorted(documents, key=str.encode):
        found = read(path, documents[path])
        if found:
            yield {"path": path, "type": found[0], "properties": found[1]}


class Maker:
    """Random documents of the six collections."""

    TEXTS = ["Ana", "López", "de la Cruz", " Ruiz ", "Ma.  José", "Jose\u0301", "Ñandú", "7291234567", "07:30", "7:5",
             "member", "admin", "activa", "cancelada", "sajarubox", "true", "0", "null", "ana@example.com",
             "https://img.example.com/u/1.jpg", "línea\nsegunda", "\"comillas\" \\ barra", "健身房", "🏋️‍♀️ box",
             "\u200b", "\u202eabc", "a\u2028b"]
    BLANKS = ["", " ", "\t\r\n", "\u00a0", "\u3000\u2003", "\u0085\u2028"]
    INTEGERS = [0, 1, -1, 20, 45, 60, 2**31, 2**53 + 1, 2**63 - 1, -2**63]
    DOUBLES = [0.0, -0.0, 1.0, 45.0, 45, 45.5, -0.5, 1e-7, 2.0**53, 2.0**63, -2.0**63, 1e300, "NaN", "Infinity", "-Infinity"]
    FRACTIONS = ["0", "000", "5", "50", "120", "000001", "123456", "999999000", "123456789", "000000001"]
    EXTRA = ["telefonoEmergencia", "currentGroupId", "notas", "campo.con.punto", "año", "`tilde`", "Nombre", "full_name"]
    LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

    FIELDS = {name: [(field, {text: "string", integer: "integer", boolean: "boolean", time: "timestamp"}[to])
                     for _, field, to, _ in table] for name, (_, table) in MODELS.items()}
    COMMON = [("email", "string"), ("role", "string"), ("photoURL", "string"), ("onboardingCompleted", "boolean"),
              ("linkedMemberId", "string"), ("createdAt", "timestamp"), ("updatedAt", "timestamp")]
    UNIFIED = [(name, "string") for name in ["fullName", *UNIFIED_NAMES, "phone"]] + [("isActive", "boolean")]
    IOS = [("fullName", "string"), ("phone", "string"), ("isActive", "boolean")]
    ANDROID = [(name, "string") for name in [*ANDROID_NAMES, "telefono"]] + [("activo", "boolean")]
    ERAS = [UNIFIED, IOS, ANDROID, UNIFIED + ANDROID, IOS + ANDROID, []]

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.paths = set()
        self.groups = []

    def one(self, things):
        return things[self.random.randrange(len(things))]

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def moment(self):
        number = self.random.randrange
        year = self.one([1, 1969, 2024, 2025, 2026, 9999])
        digits = "".join(str(number(10)) for _ in range(number(10))) if self.chance(50) else self.one(self.FRACTIONS)
        return (f"{year:04}-{1 + number(12):02}-{1 + number(28):02}T{number(24):02}:{number(60):02}:{number(60):02}"
                + ("." + digits if digits and self.chance(70) else "") + "Z")

    def value(self, kind, depth=0):
        if kind == "string":
            return {"stringValue": self.one(self.TEXTS)}
        if kind == "integer":
            return {"integerValue": str(self.one(self.INTEGERS))}
        if kind == "double":
            return {"doubleValue": self.one(self.DOUBLES)}
        if kind == "boolean":
            return {"booleanValue": self.chance(50)}
        if kind == "timestamp":
            return {"timestampValue": self.moment()}
        if kind == "null":
            return {"nullValue": None}
        if kind == "bytes":
            return {"bytesValue": self.one(["", "AA==", "QW5h"])}
        if kind == "reference":
            return {"referenceValue": "projects/sajarubox/databases/test/documents/users/u1"}
        if kind == "geoPoint":
            return {"geoPointValue": self.one([{}, {"latitude": 19.29, "longitude": -99.65}])}
        values = [self.any(depth + 1) for _ in range(self.random.randrange(3))] if depth < 2 else []
        if kind == "array":
            # An array in an array is not allowed.
            values = [value for value in values if "arrayValue" not in value]
            return {"arrayValue": {"values": values} if values else {}}
        fields = {self.one(self.EXTRA + ["nombre"]): value for value in values}
        return {"mapValue": {"fields": fields} if fields else {}}

    def any(self, depth=0):
        return self.value(self.one(["string", "integer", "double", "boolean", "timestamp", "null", "bytes", "reference",
                                    "geoPoint", "array", "map"]), depth)

    def fields(self, table):
        made = {}
        for name, kind in table:
            turn = self.random.randrange(100)
            if turn < 58:
                made[name] = self.value(kind)
            elif turn < 66:
                made[name] = self.value("double") if kind == "integer" else self.any()
            elif turn < 74:
                made[name] = self.any()
            elif turn < 81:
                made[name] = {"nullValue": None}
            elif turn < 88:
                made[name] = {"stringValue": self.one(self.BLANKS)}
        if self.chance(30):
            made[self.one(self.EXTRA)] = self.any()
        return made

    def identifier(self):
        made = "".join(self.one(self.LETTERS) for _ in range(self.one([4, 20, 28])))
        return made + self.one(["", "", "", "-", " ñ", "健", "🏋", ".x", "%2F"])

    def path(self, collection):
        if collection != "groups/members":
            return f"{collection}/{self.identifier()}"
        group = self.one(self.groups) if self.groups and self.chance(80) else f"groups/{self.identifier()}"
        return f"{group}/members/{self.identifier()}"

    def document(self):
        collection = self.one(["users", "users", "users", *MODELS])
        path = self.path(collection)
        while path in self.paths:
            path = self.path(collection)
        self.paths.add(path)
        if collection == "groups":
            self.groups.append(path)
        if collection == "users":
            fields = self.fields(self.one(self.ERAS) + self.COMMON)
            if self.chance(80):
                fields["id"] = {"stringValue": path.split("/")[1]} if self.chance(90) else self.any()
        else:
            fields = self.fields(self.FIELDS[collection])
        made = {"name": path, "createTime": "2025-01-05T10:00:00.000001Z", "updateTime": "2025-06-01T12:30:00.250000Z"}
        # A document without fields has no such key.
        return made | {"fields": fields} if fields else made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR", nargs="?")
    parser.add_argument("--random", metavar=("SEED", "COUNT"), nargs=2, type=int)
    options = parser.parse_args()
    if (options.folder is None) == (options.random is None):
        parser.error("either DIR or --random SEED COUNT")
    sys.stdout.reconfigure(encoding="utf-8")
    if options.random:
        maker = Maker(options.random[0])
        for _ in range(options.random[1]):
            print(json.dumps(maker.document(), ensure_ascii=False, sort_keys=True, separators=(",", ":")))
        return
    for line in report(load(options.folder)):
        print(json.dumps(line, ensure_ascii=False, separators=(",", ":")))


if __name__ == "__main__":
    main()

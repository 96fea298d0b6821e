#!/usr/bin/env python3
"""What the migrations users-unify, user-emails and is-active must yield.

An oracle: written from the text of the domain page alone, sharing no code with the tool that it
judges, and small rather than fast. It reads JSON Lines documents, and writes the documents as they
must be afterwards plus report.json.

    expected.py BEFORE_DIR -o AFTER_DIR [--accept-proposals] [--prune] [--migrations A,B,C]

Where the domain page leaves something open, the reading taken here is marked OPEN with a number.
"""

import argparse
import json
import re
import sys
import unicodedata
from collections import Counter
from datetime import datetime, timedelta, timezone
from pathlib import Path

SERVER_TIME = {"timestampValue": "SERVER_TIME"}
MIGRATIONS = ("users-unify", "user-emails", "is-active")


# --- JSON ---------------------------------------------------------------------------------------

class Token(str):
    """A JSON number as it was spelled: a changed document keeps the spelling of its other fields."""


def parse_line(line):
    return json.loads(line, parse_float=Token, parse_int=Token, parse_constant=Token)


def serialise(value):
    if isinstance(value, Token):
        return str(value)
    if isinstance(value, dict):
        # Order by code point is the order by UTF-8 bytes.
        return "{" + ",".join(
            json.dumps(key, ensure_ascii=False) + ":" + serialise(value[key]) for key in sorted(value)
        ) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(serialise, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


class Database:
    """Documents by name. One whose line was not replaced comes out byte-identical."""

    def __init__(self):
        self.lines = {}

    def load(self, directory):
        for path in sorted(Path(directory).glob("*.jsonl")):
            with open(path, encoding="utf-8", newline="\n") as file:
                for number, line in enumerate(file, 1):
                    line = line.rstrip("\n")
                    if not line.strip():
                        continue
                    try:
                        name = json.loads(line)["name"]
                    except (ValueError, KeyError, TypeError):
                        sys.exit(f"{path.name}:{number}: not a document")
                    if name in self.lines:
                        sys.exit(f"{path.name}:{number}: {name} occurs twice")
                    self.lines[name] = line

    def write(self, directory):
        directory = Path(directory)
        directory.mkdir(parents=True, exist_ok=True)
        files = {}
        for name in sorted(self.lines):
            files.setdefault(name.split("/", 1)[0], []).append(self.lines[name])
        for collection, lines in files.items():
            with open(directory / f"{collection}.jsonl", "w", encoding="utf-8", newline="\n") as file:
                file.writelines(line + "\n" for line in lines)

    def collection(self, collection):
        """Documents directly in a root collection, by name: a subcollection of that name is another."""
        prefix = collection + "/"
        return [
            (name, parse_line(self.lines[name]))
            for name in sorted(self.lines)
            if name.startswith(prefix) and name.count("/") == 1
        ]

    def put(self, name, document):
        self.lines[name] = serialise(document)

    def update(self, name, document, changes, stamp=True):
        fields = dict(document.get("fields", {}))
        fields.update(changes)
        # The page: a migration sets updatedAt only where the collection has it.
        if stamp and name.split("/")[0] not in ("groups", "classBookings", "classAttendance", "user_emails", "app_config"):
            fields["updatedAt"] = SERVER_TIME
        self.put(name, {**document, "fields": fields})


# --- Text ---------------------------------------------------------------------------------------

# OPEN 1: one notion of white space everywhere, that of Foundation's .whitespacesAndNewlines as it
# behaves: it takes in U+200B, and not U+001C...U+001F, which Python's str.strip() would.
WHITE = "\t\n\v\f\r \u0085\u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200C))) + "\u2028\u2029\u202f\u205f\u3000"
RUNS = re.compile(f"[{WHITE}]+")


def tidy(text):
    return RUNS.sub(" ", text).strip(" ")


def same_key(text):
    """For comparing names: without case, accents and surplus spaces.

    OPEN 2: "accents aside" drops every combining mark after NFD, so n and ñ are equal, and "ł" is not "l".
    """
    decomposed = unicodedata.normalize("NFD", text)
    bare = "".join(c for c in decomposed if not unicodedata.category(c).startswith("M"))
    return tidy(unicodedata.normalize("NFD", bare.casefold()))


def normalised_email(text):
    # Scalar by scalar, as Swift does it: str.lower() on the whole would make a final sigma.
    return "".join(c.lower() for c in text).strip(WHITE)


# --- Values -------------------------------------------------------------------------------------

def text_of(fields, field):
    """The tidied text, or None where it is missing: absent, null, or nothing but white space."""
    value = fields.get(field)
    if value is None or "stringValue" not in value:
        return None
    return tidy(value["stringValue"]) or None


def bool_of(fields, field):
    value = fields.get(field)
    return None if value is None else value.get("booleanValue")


def text(value):
    return {"stringValue": value}


def wrong_types(fields, kinds):
    found = []
    for field, kind in kinds.items():
        value = fields.get(field)
        if value is None or "nullValue" in value or kind in value:
            continue
        found.append({"field": field, "type": next(iter(value), "none"), "value": value})
    return found


# --- users-unify --------------------------------------------------------------------------------

# OPEN 3: the page's list of particles ends in "..."; here it is exactly the ones it names, compared
# without case and accents. "Mc" is one only as a token of its own.
PARTICLES = {"de", "del", "la", "las", "los", "y", "van", "von", "da", "di", "san", "santa", "mc"}

TITLES = {
    "sr", "sra", "srta", "lic", "ing", "dr", "dra", "prof", "profa", "mtro", "mtra", "arq", "cp", "jr", "vda", "hno", "hna",
    "don", "dona",
}

# OPEN 21: the page says sixty, and not which; these are those of docs/migrations/users-unify.md.
GIVEN_NAMES = set(
    "alberto alejandro alfredo andres angel antonio armando arturo carlos daniel david eduardo enrique ernesto felipe "
    "fernando francisco gerardo guillermo ignacio ivan javier jesus jose juan luis manuel miguel pablo rafael ricardo roberto "
    "alejandra alicia ana angelica beatriz carmen cecilia cristina elena elizabeth esther eugenia fernanda gabriela guadalupe "
    "isabel laura leticia lucia luisa maria patricia paola rosa sofia teresa veronica victoria".split())

PARTS = ("firstName", "paternalLastName", "maternalLastName")
REQUIRED = ("firstName", "paternalLastName")
ANDROID = {"firstName": "nombre", "paternalLastName": "primerApellido", "maternalLastName": "segundoApellido"}

UNIFY_READS = {
    **dict.fromkeys(
        ("fullName", *PARTS, "phone", "role", *ANDROID.values(), "telefono"), "stringValue"),
    **dict.fromkeys(("isActive", "onboardingCompleted", "activo"), "booleanValue"),
}


def units_of(full_name):
    """The units of a name, and whether any token of it is a particle."""
    units, waiting, particle = [], [], False
    for token in tidy(full_name).split(" "):
        waiting.append(token)
        if same_key(token) in PARTICLES:
            particle = True
        else:
            units.append(" ".join(waiting))
            waiting = []
    if waiting and units:
        units[-1] += " " + " ".join(waiting)
    elif waiting:
        # OPEN 4: a name of particles alone is one unit.
        units.append(" ".join(waiting))
    return units, particle


def shape_of(word):
    """A letter for each character: L for a letter, M for a mark, J for what joins letters, x for anything else.

    OPEN 22: an ordinal indicator ("Mª") abbreviates, though Unicode calls it a letter; of hyphens only "-" joins.
    """
    def kind(c):
        if c in "-'\u2019\u02bc":
            return "J"
        return "x" if c in "\u00aa\u00ba" else {"L": "L", "M": "M"}.get(unicodedata.category(c)[0], "x")
    return "".join(map(kind, unicodedata.normalize("NFC", word)))


def is_unusual(word):
    """OPEN 23: by words, of which a particle is never unusual by itself, the single letter "y" included."""
    if same_key(word) in PARTICLES:
        return False
    shape = shape_of(word)
    return (not re.fullmatch("LM*(J?LM*)*", shape) or shape.count("L") == 1
            or same_key(word.replace(".", "")) in TITLES)


def split_at_comma(full_name):
    """OPEN 24: surnames before the only comma, if nothing else is unusual; the last of several is the maternal one."""
    pieces = [tidy(piece) for piece in full_name.split(",")]
    if len(pieces) != 2 or not all(pieces) or any(map(is_unusual, " ".join(pieces).split(" "))):
        return None
    surnames = units_of(pieces[0])[0]
    return pieces[1], " ".join(surnames[:-1]) or surnames[0], surnames[-1] if len(surnames) > 1 else None


def split_name(full_name):
    """Proposed parts, and the reasons why they are doubtful."""
    units, particle = units_of(full_name)
    reasons = []
    if any(map(is_unusual, tidy(full_name).split(" "))):
        reasons.append("name-unusual")
    if len(units) == 1:
        parts = (units[0], None, None)
        reasons.append("name-one-unit")
    elif len(units) == 2:
        parts = (units[0], units[1], None)
    else:
        parts = (" ".join(units[:-2]), units[-2], units[-1])
    if len(units) > 3:
        reasons.append("name-many-units")
    if particle:
        reasons.append("name-particle")
    parts = split_at_comma(full_name) or parts
    return {part: value for part, value in zip(PARTS, parts) if value}, reasons


def joined(parts):
    return " ".join(parts[part] for part in PARTS if parts.get(part))


def agrees(full_name, android):
    """Whether Android's parts say the same name as fullName, which may lack the maternal one only."""
    if same_key(joined(android)) == same_key(full_name):
        return True
    without = {part: value for part, value in android.items() if part != "maternalLastName"}
    return len(without) < len(android) and same_key(joined(without)) == same_key(full_name)


def contradicts(standing, source):
    return any(part in source and same_key(source[part]) != same_key(value) for part, value in standing.items())


def unify_name(fields):
    """(what is written, what is proposed, reasons) for fullName and the three parts."""
    full_name = text_of(fields, "fullName")
    standing = {p: t for p in PARTS if (t := text_of(fields, p))}
    android = {p: t for p in PARTS if (t := text_of(fields, ANDROID[p]))}

    def completed(source):
        """The missing parts that a source fills, then fullName if that is missing; and what stays lacking."""
        fill = {p: source[p] for p in PARTS if p not in standing and p in source}
        lacks = any(p not in standing and p not in fill for p in REQUIRED)
        whole = {**standing, **fill}
        if full_name is None and whole:
            return fill, {**fill, "fullName": joined(whole)}, lacks
        return fill, dict(fill), lacks

    whole = {**android, **standing}
    if full_name is not None and android:
        # OPEN 5: Android's parts agree also if they say fullName together with the unified ones that stand; a maternal
        # name that fullName lacks may then stand, but not come from them. The unified ones must agree with it in any case.
        agreed = not contradicts(standing, android) and (
            same_key(joined(whole)) == same_key(full_name)
            or (agrees(full_name, whole) and ("maternalLastName" in standing or agrees(full_name, android))))
        if not agreed:
            # OPEN 6: goes before "nombre without primerApellido".
            split = android if agrees(full_name, android) else split_name(full_name)[0]
            proposed = {} if split is not android and contradicts(standing, split) else completed(split)[1]
            return {}, proposed, ["name-disagrees"]

    if android:
        fill, proposed, lacks = completed(android)
        if contradicts(standing, android):
            # OPEN 7: "where those agree" is taken to mean with the standing unified parts too. Parts of both joined
            # would be nobody's name; a fullName of the unified parts alone is one.
            return {}, {} if fill else proposed, ["name-disagrees"]
        if any("L" not in shape_of(value) for value in fill.values()):
            # OPEN 25: Android's parts are split already, so unusual ones are taken; one without any letter is no name.
            return {}, proposed, ["name-unusual"]
        if lacks:
            # OPEN 8: only firstName is written of such a name; fullName and the maternal name are withheld.
            # OPEN 9: primerApellido without nombre is listed likewise, and nothing of it is written.
            certain = {"firstName": fill["firstName"]} if "firstName" in fill else {}
            proposed = {field: value for field, value in proposed.items() if field not in certain}
            return certain, proposed, ["required-part-missing"]
        return proposed, {}, []

    if full_name is not None:
        split, reasons = split_name(full_name)
        if agrees(full_name, standing):
            # The standing parts say the whole name: nothing is left of it for the others.
            lacks = any(p not in standing for p in REQUIRED)
            return {}, {}, [] if not lacks else reasons if "name-one-unit" in reasons else ["required-part-missing"]
        fill, proposed, lacks = completed(split)
        words = Counter(same_key(full_name).split(" "))
        if contradicts(standing, split) or any(
                part not in split and Counter(same_key(value).split(" ")) <= words for part, value in standing.items()):
            # OPEN 10: a fullName that does not split into the parts that stand is doubtful; no proposal. It does not
            # either if the words of one go to another part.
            return {}, {}, ["name-disagrees"]
        if not fill and not lacks:
            # The page: every other difference than a maternal name that is lacking is a disagreement. Words around a
            # comma are compared as they are split.
            return {}, {}, [] if agrees(joined(split), standing) else ["name-disagrees"]
        if not reasons and len(units_of(full_name)[0]) == 3 and "paternalLastName" in fill and (
                same_key(units_of(full_name)[0][1]) in GIVEN_NAMES):
            # OPEN 26: noted where the given name is written as the surname.
            return proposed, {}, ["name-two-given"]
        return ({}, proposed, reasons) if reasons else (proposed, {}, [])

    if standing:
        # OPEN 11: fullName is joined from parts only when both required parts are known.
        _, proposed, lacks = completed({})
        return ({}, proposed, ["required-part-missing"]) if lacks else (proposed, {}, [])

    # OPEN 12: a document without any name is neither changed for it nor listed.
    return {}, {}, []


# The codes of a doubtful name, in the order in which the first that holds is the name's only one.
NAME_CODES = (
    ("name-disagrees", "name-disagrees"), ("name-unusual", "name-unusual"), ("name-one-word", "name-one-unit"),
    ("name-many-words", "name-many-units"), ("name-particle", "name-particle"), ("name-two-given", "name-two-given"),
)


def name_finding(fields, reasons):
    """(code, field) of what is reported of a name, or None."""
    for code, reported in NAME_CODES:
        if reported in reasons:
            return code, "fullName"
    if "required-part-missing" in reasons:
        has_paternal = any(text_of(fields, field) for field in ("paternalLastName", "primerApellido"))
        return ("name-no-first", "firstName") if has_paternal else ("name-no-paternal", "paternalLastName")
    if not any(text_of(fields, field) for field in ("fullName", *PARTS, *ANDROID.values())):
        return "name-missing", "fullName"
    return None


ROLES = ("admin", "receptionist", "trainer", "member", "guest", "visitor")


def role_finding(fields):
    """The code of what is reported of a role, or None."""
    if text_of(fields, "role") is None:
        return "role-missing"
    role = fields["role"]["stringValue"]
    if role in ("owner", "staff"):
        return "role-deprecated"
    return None if role in ROLES else "role-unknown"


def unify_user(fields, accept):
    """(changes, review entries, role entry)"""
    changes, review = {}, []
    written, proposed, reasons = unify_name(fields)
    for reason in reasons:
        review.append({"reason": reason, "proposed": proposed})
    if accept:
        written = {**written, **proposed}
    changes.update({field: text(value) for field, value in written.items()})

    # OPEN 13: the phone is tidied as text, its digits are not touched; both there and different: phone stays.
    if text_of(fields, "phone") is None and (phone := text_of(fields, "telefono")):
        changes["phone"] = text(phone)

    active, activo = bool_of(fields, "isActive"), bool_of(fields, "activo")
    if active is None:
        changes["isActive"] = {"booleanValue": True if activo is None else activo}
    elif activo is not None and active != activo:
        review.append({"reason": "active-disagrees", "proposed": {}})

    if bool_of(fields, "onboardingCompleted") is None:
        changes["onboardingCompleted"] = {"booleanValue": False}

    # OPEN 14: a role that is neither in the list nor deprecated is not reported here.
    role, entry = text_of(fields, "role"), None
    if role is None:
        entry = {"reason": "role-missing"}
    elif fields["role"]["stringValue"] in ("owner", "staff"):
        entry = {"reason": "role-deprecated", "value": fields["role"]["stringValue"]}
    return changes, review, entry


def users_unify(database, accept=False, prune=False):
    report = Report("review", "wrongType", "roles")
    for name, document in database.collection("users"):
        report.read += 1
        fields = document.get("fields", {})
        wrong = wrong_types(fields, UNIFY_READS)
        if wrong:
            # OPEN 15: left untouched as a whole, and in no other list.
            for entry in wrong:
                report.add("wrongType", name, reason="wrong-type", **entry)
                report.find(name, "wrong-type", entry["field"], entry["value"])
            continue
        changes, review, role = unify_user(fields, accept)
        for entry in review:
            if entry["reason"] != "name-two-given":
                report.add("review", name, **entry)
        reasons = [entry["reason"] for entry in review]
        if named := name_finding(fields, reasons):
            report.find(name, *named)
        if "active-disagrees" in reasons:
            report.find(name, "active-disagrees", "isActive")
        if code := role_finding(fields):
            report.find(name, code, "role", fields.get("role"))
        if role:
            report.add("roles", name, **role)
        if changes:
            database.update(name, document, changes)
            report.written += 1
    return report


# --- user-emails --------------------------------------------------------------------------------

def email_of(fields):
    """(normalised email or None, why it cannot be an id or None)"""
    value = fields.get("email")
    if value is None or "nullValue" in value:
        return None, "email-missing"
    if "stringValue" not in value:
        return None, "email-wrong-type"
    email = normalised_email(value["stringValue"])
    # OPEN 16: one reason each, the first in the order of the page.
    if not email:
        return email, "email-empty"
    if "@" not in email:
        return email, "email-no-at"
    if "/" in email:
        return email, "email-slash"
    if len(email.encode()) > 1500:
        return email, "email-too-long"
    if email in (".", ".."):
        return email, "email-dots"
    if re.fullmatch(r"__.*__", email, re.DOTALL):
        return email, "email-reserved"
    return email, None


def instant(value):
    match = re.fullmatch(
        r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)", value, re.IGNORECASE)
    if not match:
        return None
    seconds, fraction, zone = match.groups()
    moment = datetime.fromisoformat(seconds).replace(tzinfo=timezone.utc)
    if zone.upper() != "Z":
        sign = -1 if zone[0] == "-" else 1
        moment -= sign * timedelta(hours=int(zone[1:3]), minutes=int(zone[4:6]))
    return (moment - datetime(1, 1, 1, tzinfo=timezone.utc), int((fraction or "").ljust(9, "0")))


def age_of(document):
    """For sorting by first use.

    OPEN 17: without createdAt the document's createTime counts; a line has none, so all such documents
    were made by one import, at one time, which is later than every createdAt. A createdAt that is no
    timestamp counts as missing.
    """
    value = document.get("fields", {}).get("createdAt", {}).get("timestampValue")
    moment = instant(value or document.get("createTime", ""))
    return (0, moment) if moment else (1, ())


def user_emails(database, accept=False, prune=False):
    report = Report("orphans", "notIndexable")
    email_by_user, bearers = {}, {}
    for name, document in database.collection("users"):
        report.read += 1
        identifier = name.split("/")[1]
        email, reason = email_of(document.get("fields", {}))
        email_by_user[identifier] = email
        if reason:
            report.add("notIndexable", name, reason=reason)
            report.find(name, reason, "email", document.get("fields", {}).get("email"))
        else:
            bearers.setdefault(email, []).append((age_of(document), identifier))

    entries = database.collection("user_emails")
    existing = set()
    for name, document in entries:
        report.read += 1
        identifier = name.split("/", 1)[1]
        existing.add(identifier)
        fields = document.get("fields", {})
        primary = fields.get("primaryUserId", {}).get("stringValue")
        changes = {}
        # An id that is not normalised equals no user's normalised email, so it falls through to the orphans.
        if primary is None or email_by_user.get(primary) != identifier:
            if identifier not in bearers:
                if normalised_email(identifier) != identifier:
                    reason = "id-not-normalised"
                elif primary not in email_by_user:
                    reason = "user-gone"
                else:
                    reason = "other-email"
                report.add("orphans", name, reason=reason)
                named = reason if text_of(fields, "primaryUserId") or reason == "id-not-normalised" else "no-user"
                report.find(
                    name, {"id-not-normalised": "entry-orphan-not-normalised"}.get(named, f"entry-orphan-{named}"),
                    "primaryUserId", fields.get("primaryUserId"))
                if prune:
                    del database.lines[name]
                    report.deleted += 1
                    report.written += 1
                continue
            # OPEN 18: an entry whose user is gone or changed, while another user bears the email, is pointed at
            # that user, keeps its createdAt (or its lack), and is no orphan.
            changes["primaryUserId"] = text(min(bearers[identifier])[1])
            report.find(name, "entry-reassigned", "primaryUserId", fields.get("primaryUserId"))
        if fields.get("email") != text(identifier):
            changes["email"] = text(identifier)
        if changes:
            database.update(name, document, changes, stamp=False)
            report.written += 1

    for email in sorted(bearers):
        if email in existing:
            continue
        database.put(f"user_emails/{email}", {
            "name": f"user_emails/{email}",
            "fields": {"createdAt": SERVER_TIME, "email": text(email), "primaryUserId": text(min(bearers[email])[1])},
        })
        report.created += 1
        report.written += 1
    return report


# --- is-active ----------------------------------------------------------------------------------

BACKFILLED = (
    "users", "members", "membership_plans", "products", "classes", "exercises", "routine_templates", "expenses", "groups",
)


def is_active(database, accept=False, prune=False):
    report = Report("wrongType")
    for collection in BACKFILLED:
        # OPEN 19: an isActive that is there and no boolean is reported, in every collection; in users an
        # activo of a wrong type is reported also where isActive is present.
        kinds = {"isActive": "booleanValue"}
        if collection == "users":
            kinds["activo"] = "booleanValue"
        for name, document in database.collection(collection):
            report.read += 1
            fields = document.get("fields", {})
            wrong = wrong_types(fields, kinds)
            if wrong:
                for entry in wrong:
                    report.add("wrongType", name, reason="wrong-type", **entry)
                    report.find(name, "wrong-type", entry["field"], entry["value"])
                continue
            if bool_of(fields, "isActive") is not None:
                continue
            activo = bool_of(fields, "activo") if collection == "users" else None
            database.update(name, document, {"isActive": {"booleanValue": True if activo is None else activo}})
            report.written += 1
    return report


# --- Report -------------------------------------------------------------------------------------

class Report:
    """written counts creates, updates and deletes; created and deleted are parts of it."""

    def __init__(self, *lists):
        self.read = self.written = self.created = self.deleted = 0
        self.lists = {name: [] for name in lists}
        self.findings = []

    def add(self, kind, document, **entry):
        self.lists[kind].append({"document": document, **entry})

    def find(self, document, code, field, value=None):
        """A line of findings.jsonl, but for its migration and its message.

        The value is left out where there is none, and where it is of several fields.
        """
        finding = {"document": document, "code": code, "field": field}
        self.findings.append(finding if value is None else {**finding, "value": value})

    def as_json(self):
        def documents(kind):
            return len({entry["document"] for entry in self.lists.get(kind, ())})

        return {
            "read": self.read,
            "written": self.written,
            "created": self.created,
            "deleted": self.deleted,
            # OPEN 20: documents in the review list; the other lists are counted apart, as documents, not entries.
            "review": documents("review"),
            "counts": {kind: documents(kind) for kind in self.lists},
            "lists": self.lists,
            "findings": self.findings,
        }


RUN = {"users-unify": users_unify, "user-emails": user_emails, "is-active": is_active}


def run(database, migrations=MIGRATIONS, accept=False, prune=False):
    return {m: RUN[m](database, accept=accept, prune=prune).as_json() for m in MIGRATIONS if m in migrations}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", metavar="BEFORE_DIR")
    parser.add_argument("-o", "--output", metavar="AFTER_DIR", required=True)
    parser.add_argument("--accept-proposals", action="store_true", help="write the proposed names as they stand")
    parser.add_argument("--prune", action="store_true", help="remove the orphans of user_emails")
    parser.add_argument("--migrations", default=",".join(MIGRATIONS))
    options = parser.parse_args(arguments)
    migrations = options.migrations.split(",")
    if unknown := [m for m in migrations if m not in MIGRATIONS]:
        parser.error(f"unknown migration: {', '.join(unknown)}")

    database = Database()
    database.load(options.before)
    report = run(database, migrations, options.accept_proposals, options.prune)
    database.write(options.output)
    with open(Path(options.output) / "report.json", "w", encoding="utf-8") as file:
        json.dump({"migrations": report}, file, ensure_ascii=False, indent=1, sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    main()

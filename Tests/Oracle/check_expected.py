#!/usr/bin/env python3
"""What `gymmigrate check` must find.

An oracle: written from the text of the domain page (its section "Integrity that can be checked" and the tables of
collections and fields) and from a list of the rules, sharing no code with the tool that it judges. It holds
everything in memory, and asks each question in the plainest way.

    check_expected.py DIR                     prints the findings, a JSON array [rule, path, field, value] a line, sorted
    check_expected.py DIR --compare FILE      compares them with the JSON that `gymmigrate check --json` printed
    check_expected.py DIR --bucket NAME --foreign NAME,NAME
                                              also looks for pictures in a bucket of another environment

Readings where the domain page leaves something open are marked OPEN.
"""

import argparse
import json
import math
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from urllib.parse import unquote

# OPEN: no `?` means that the key must be there. An empty text is no key, and none is missing then.
KEYS = """
users linkedMemberId? members
members membershipPlanId? membership_plans
members linkedUserId? users
check_ins memberId members
check_ins userId? users
payments memberId members
payments userId? users
user_emails primaryUserId users
app_config adminUserId users
classBookings classId classes
classBookings userId users
classAttendance classId classes
classAttendance userId? users
classAttendance memberId? members
groups createdBy users
"""
KEYS = [line.split() for line in KEYS.split("\n") if line]

# The other fields of the page: `?` = optional, text where no type is named. Fields of any type are not listed (guardianInfo,
# fechaNacimiento, enfermedades, lesiones, otros): no rule has anything to say of them.
# OPEN: the rebuild of user_emails leaves a kept entry without createdAt as it is, so it is none that is missed.
SNAPSHOT = "membershipPlanSnapshot"
TIMES = "createdAt:timestamp updatedAt:timestamp"
TABLE = f"""
users: email role {TIMES} fullName? firstName? paternalLastName? maternalLastName? phone? photoURL?
users: isActive?:boolean onboardingCompleted?:boolean activo?:boolean isMinor?:boolean
users: nombre? primerApellido? segundoApellido? telefono? telefonoEmergencia? guardianNombre? guardianPrimerApellido?
users: guardianSegundoApellido? guardianTelefono? guardianEmail? guardianRelacion?
members: firstName paternalLastName maternalLastName? phone? email? emergencyPhone? diseases? injuries? otherNotes?
members: birthDate?:timestamp guardianGroupId? membershipStatus membershipStartDate?:timestamp membershipEndDate?:timestamp
members: remainingVisits?:integer {SNAPSHOT}?:map registeredBy familyGroupId? groupRole? groupRelationType?
members: registrationDate:timestamp isActive:boolean {TIMES}
{SNAPSHOT}: planName planType planPrice:double planCurrency durationInDays?:integer totalVisits?:integer
{SNAPSHOT}: maxMembers:integer assignedAt:timestamp assignedBy
membership_plans: name type price:double currency durationInDays?:integer totalVisits?:integer maxMembers:integer description?
membership_plans: isActive:boolean sortOrder:integer {TIMES}
check_ins: registeredBy? type checkInDate:timestamp checkOutDate?:timestamp notes? {TIMES}
payments: type method status amount:double currency description? {SNAPSHOT}?:map registeredBy completedAt?:timestamp {TIMES}
products: name description? category price:double costPrice:double currency stock:integer sku? imageURL? isActive:boolean
products: priceHistory?:array {TIMES}
expenses: category description amount:double currency date:timestamp paymentMethod vendorName? notes? isRecurring:boolean
expenses: recurringDay?:integer registeredBy isActive:boolean {TIMES}
user_emails: email createdAt?:timestamp
app_config: createdAt:timestamp
classes: nombre fecha:timestamp horaInicio duracionMin:integer capacidadMax:integer gymId {TIMES}
classes: description? isActive?:boolean recurrenceGroupId?
classBookings: gymId estado createdAt:timestamp
classAttendance: asistio:boolean timestamp:timestamp
exercises: name? isActive:boolean {TIMES}
routine_templates: name? blocks?:array isActive:boolean {TIMES}
daily_routines: blocks?:array {TIMES}
groups: name createdAt:timestamp memberCount:integer isActive:boolean
groups/members: displayName photoURL? joinedAt:timestamp role isActive:boolean
"""


def table():
    """(collection, field, type, required), each field of the page once; the keys have a table of their own."""
    for line in TABLE.strip().split("\n"):
        collection, _, entries = line.partition(": ")
        for entry in entries.split():
            field, _, wanted = entry.partition(":")
            yield collection, field.rstrip("?"), wanted or "string", not field.endswith("?")


FIELDS = list(table())

CLOSED = f"""
users.role admin receptionist trainer member guest visitor owner staff
members.membershipStatus active expired suspended cancelled pending
members.groupRole owner dependent
members.groupRelationType family friend other
{SNAPSHOT}.planType time_based visit_based mixed
membership_plans.type time_based visit_based mixed
membership_plans.currency MXN
check_ins.type member guest visitor
payments.type membership day_pass product service guest_invite
payments.method cash card transfer stripe apple_pay google_pay
payments.status pending completed failed refunded cancelled
products.category beverages food supplements equipment apparel accessories service other
expenses.category rent utilities payroll equipment supplies maintenance marketing insurance taxes other
classes.gymId sajarubox
classBookings.gymId sajarubox
classBookings.estado activa cancelada
groups/members.role admin member
"""
CLOSED = {line.split()[0]: line.split()[1:] for line in CLOSED.strip().split("\n")}

# OPEN: the letters of a scheme and the digits of a time are those of ASCII.
FORMATS = {"address": r"[^\x00-\x20\x7f@]+@[^\x00-\x20\x7f@]+", "digits": "[0-9]+", "time": "([01][0-9]|2[0-3]):[0-5][0-9]",
           "url": r"[A-Za-z][A-Za-z0-9+.-]*://[^\x00-\x20\x7f]+", "registrar": "self|admin:[^/]+"}
FORMATTED = {
    "users.email": "address", "users.guardianEmail": "address", "members.email": "address", "user_emails.email": "address",
    "members.phone": "digits", "members.registeredBy": "registrar", "classes.horaInicio": "time",
    "users.photoURL": "url", "products.imageURL": "url", "groups/members.photoURL": "url"}

RANGES = {place: (0, math.inf) for place in (
    "membership_plans.price", "products.price", "products.costPrice", "products.stock", "payments.amount", "expenses.amount",
    "members.remainingVisits", "groups.memberCount", f"{SNAPSHOT}.planPrice")}
RANGES |= {f"{owner}.{field}": (1, math.inf) for owner in ("membership_plans", SNAPSHOT)
           for field in ("durationInDays", "totalVisits", "maxMembers")}
RANGES |= {"classes.capacidadMax": (1, math.inf), "classes.duracionMin": (1, math.inf), "expenses.recurringDay": (1, 31)}

# OPEN: white space is Unicode's White_Space (so not U+200B, nor U+001C to U+001F, which Python counts).
WHITE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200b)))

# A picture's address that names a bucket. OPEN: the letters of a scheme count in either case, like the host's.
# OPEN: the text begins with the address; a port or a user before the host makes another host of it.
# OPEN: what stands in the place of "..." may be empty, the slash before it may not be left out.
IN_PATH = ("(?ai:gs)://([^/]+)/", r"(?ai:https?://storage\.googleapis\.com)/([^/?#]+)/",
           r"(?ai:https?://firebasestorage\.googleapis\.com)/v0/b/([^/?#]+)/o/")
IN_HOST = r"(?ai:https?://([^/?#]+)\.storage\.googleapis\.com)/"
PICTURES = ("photoURL", "imageURL")

WITH_ID = ("users members membership_plans check_ins payments products expenses exercises routine_templates "
           "daily_routines").split()
# What the apps decode as a whole: one bad field, and the document is not read.
DECODED = "members membership_plans check_ins payments products expenses".split()

ROOTS = ("users members membership_plans check_ins payments products expenses user_emails app_config classes classBookings "
         "classAttendance exercises routine_templates daily_routines groups").split()


def load(folder):
    documents = {}
    for path in sorted(Path(folder).glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").split("\n"):
            if line:
                # A number's spelling (3 or 3.0) says nothing: integers come as text.
                document = json.loads(line, parse_int=float)
                documents[document["name"]] = document.get("fields", {})
    return documents


def kind(name):
    """`users` for users/u1, `groups/members` for groups/g1/members/m1, None for what is not the gym's."""
    parts = name.split("/")
    if len(parts) == 2 and parts[0] in ROOTS:
        return parts[0]
    return "groups/members" if len(parts) == 4 and parts[0] == "groups" and parts[2] == "members" else None


def there(fields, field):
    """The value, None where it is absent or null."""
    value = fields.get(field)
    return None if value is None or "nullValue" in value else value


def text(fields, field):
    return (there(fields, field) or {}).get("stringValue")


def key(fields, field):
    return text(fields, field) or None


def active(fields, *names):
    for name in names:
        value = there(fields, name)
        if value is not None:
            # OPEN: what is neither true nor false is not active.
            return value.get("booleanValue") is True
    return True


def formed(form, value):
    return re.fullmatch(FORMATS[form], value) is not None


def number(value):
    if "integerValue" in value:
        return int(value["integerValue"])
    # NaN comes first in Firestore's order, so it is below every bound.
    return -math.inf if math.isnan(float(value["doubleValue"])) else float(value["doubleValue"])


def typed(wanted, value):
    # An integer will do for a double, as the SDKs read it; a double for an integer will not.
    return f"{wanted}Value" in value or wanted == "double" and "integerValue" in value


def fault(place, wanted, required, value):
    """The one rule that a field's value breaks, None where it breaks none."""
    if value is None:
        return "required-missing" if required else None
    if not typed(wanted, value):
        return "wrong-type"
    words = value.get("stringValue")
    if words is not None and not words.strip(WHITE):
        return "required-missing" if required else None
    if place in CLOSED and words not in CLOSED[place]:
        return "value-unknown"
    if place in FORMATTED and not formed(FORMATTED[place], words):
        return "format"
    if place in RANGES and not RANGES[place][0] <= number(value) <= RANGES[place][1]:
        return "range"
    return None


def names_bucket(words, bucket):
    """Whether a picture's address is in this bucket, its name compared as a whole."""
    for form in IN_PATH:
        found = re.match(form, words)
        # OPEN: in gs:// the name counts as in a path: capitals make another bucket.
        if found and unquote(found[1]) == bucket:
            return True
    found = re.match(IN_HOST, words)
    # OPEN: a name in the host is decoded as in a path.
    return found is not None and unquote(found[1]).lower() == bucket.lower()


def by_bytes(names):
    return sorted(names, key=lambda name: name.encode())


class Gym:
    def __init__(self, documents, bucket=None, foreign=()):
        self.found = []
        # OPEN: a bucket that is named as both is not foreign.
        self.foreign = set(foreign) - {bucket}
        self.kinds = defaultdict(dict)
        for name, fields in documents.items():
            # Of app_config only the document that the page names is judged.
            if kind(name) and (kind(name) != "app_config" or name == "app_config/setup"):
                self.kinds[kind(name)][name] = fields

    def report(self, rule, path, field=None, value=None):
        self.found.append([rule, path, field, value])

    def target(self, collection, identifier):
        """The fields of a document, None where there is none; no id has a slash."""
        return None if "/" in identifier else self.kinds[collection].get(f"{collection}/{identifier}")

    def check(self):
        for question in (self.ids, self.values, self.keys, self.registrars, self.mirrors, self.families, self.bookings, self.groups,
                         self.group_members, self.current_groups, self.setup, self.payments, self.hidden, self.addresses,
                         self.pictures):
            question()
        self.unreadable()
        return sorted(self.found, key=lambda finding: json.dumps(finding, sort_keys=True))

    def ids(self):
        for collection, documents in self.kinds.items():
            for name, fields in documents.items():
                if collection == "users" and "era" in fields:
                    self.report("field-unexpected", name, "era", fields["era"])
                value = there(fields, "id")
                if collection not in WITH_ID:
                    if "id" in fields:
                        self.report("field-unexpected", name, "id", value or {"nullValue": None})
                elif value is None:
                    self.report("id-missing", name, "id")
                elif value != {"stringValue": name.rsplit("/", 1)[1]}:
                    self.report("id-mismatch", name, "id", value)

    def all_keys(self):
        for collection, field, target in KEYS:
            for name, fields in self.kinds[collection].items():
                yield name, fields, field.rstrip("?"), target, field.endswith("?")

    def judged(self, collection):
        """(path, fields, prefix of their names): the documents of a collection, or the maps where they are there."""
        if collection != SNAPSHOT:
            for name, fields in self.kinds[collection].items():
                yield name, fields, ""
            return
        for name, fields in [*self.kinds["members"].items(), *self.kinds["payments"].items()]:
            value = there(fields, SNAPSHOT) or {}
            if "mapValue" in value:
                yield name, value["mapValue"].get("fields", {}), f"{SNAPSHOT}."

    def values(self):
        for collection, field, wanted, required in FIELDS:
            for name, fields, prefix in self.judged(collection):
                value = there(fields, field)
                rule = fault(f"{collection}.{field}", wanted, required, value)
                if rule:
                    self.report(rule, name, prefix + field, value)
        for name, fields, field, _, _ in self.all_keys():
            value = there(fields, field)
            if value is not None and "stringValue" not in value:
                self.report("wrong-type", name, field, value)

    def keys(self):
        for name, fields, field, target, optional in self.all_keys():
            if there(fields, field) is None and not optional:
                self.report("foreign-key-missing", name, field)
            identifier = key(fields, field)
            if identifier and self.target(target, identifier) is None:
                rule = "created-by-dangling" if field == "createdBy" else "foreign-key-dangling"
                self.report(rule, name, field, fields[field])

    def registrars(self):
        # OPEN: a uid of any form names a user; without one there is none to look for.
        for name, fields in self.kinds["members"].items():
            found = re.fullmatch("admin:(.+)", text(fields, "registeredBy") or "", re.DOTALL)
            if found and self.target("users", found[1]) is None:
                self.report("registered-by-dangling", name, "registeredBy", fields["registeredBy"])

    def mirrors(self):
        # OPEN: a link to a document that does not exist is told as dangling only.
        for one, field, other, back in (("users", "linkedMemberId", "members", "linkedUserId"),
                                        ("members", "linkedUserId", "users", "linkedMemberId")):
            for name, fields in self.kinds[one].items():
                identifier = key(fields, field)
                there_fields = self.target(other, identifier) if identifier else None
                if there_fields is not None and text(there_fields, back) != name.split("/")[1]:
                    self.report("link-not-mirrored", name, field, fields[field])

    def families(self):
        families = defaultdict(list)
        for name, fields in self.kinds["members"].items():
            family = text(fields, "familyGroupId")
            if family and family.strip(WHITE):
                families[family].append(name)
        for family, names in families.items():
            owners = [n for n in names if text(self.kinds["members"][n], "groupRole") == "owner"]
            # OPEN: no owner is told of the first member by its bytes, several of each owner.
            if len(owners) != 1:
                for name in owners or by_bytes(names)[:1]:
                    self.report("family-group-owner", name, "familyGroupId", {"stringValue": family})

    def bookings(self):
        booked, couples = Counter(), defaultdict(list)
        for name, fields in self.kinds["classBookings"].items():
            if text(fields, "estado") == "activa" and key(fields, "classId"):
                booked[key(fields, "classId")] += 1
                if key(fields, "userId"):
                    couples[key(fields, "classId"), key(fields, "userId")].append(name)
        for (_, user), names in couples.items():
            if len(names) > 1:
                for name in names:
                    self.report("booking-duplicate", name, "userId", {"stringValue": user})
        cancelled = {
            name.split("/")[1]
            for name, fields in self.kinds["classes"].items()
            if fields.get("isActive") == {"booleanValue": False}
        }
        for name, fields in self.kinds["classBookings"].items():
            if text(fields, "estado") == "activa" and key(fields, "classId") in cancelled:
                self.report("booking-of-cancelled-class", name, "classId", fields["classId"])
        for name, fields in self.kinds["classes"].items():
            count, value = booked[name.split("/")[1]], there(fields, "capacidadMax")
            if value is None:
                # OPEN: no number bounds nothing, so a booking is too many.
                if count:
                    self.report("class-overbooked", name, "capacidadMax")
            elif "integerValue" in value and count > int(value["integerValue"]):
                self.report("class-overbooked", name, "capacidadMax", value)

    def groups(self):
        below = defaultdict(list)
        for name, fields in self.kinds["groups/members"].items():
            below["/".join(name.split("/")[:2])].append(fields)
        for name in below.keys() - self.kinds["groups"].keys():
            self.report("group-missing", name)
        for name, fields in self.kinds["groups"].items():
            members, value = below[name], there(fields, "memberCount")
            if value is None or "integerValue" in value and int(value["integerValue"]) != len(members):
                self.report("group-member-count", name, "memberCount", value)
            if len(members) > 10:
                self.report("group-too-large", name)
            if not any(text(m, "role") == "admin" and active(m, "isActive") for m in members):
                self.report("group-admin-missing", name)

    def group_members(self):
        # OPEN: the missing group is reported for each of its members, and as group-missing once more.
        for name in self.kinds["groups/members"]:
            _, group, _, user = name.split("/")
            if self.target("users", user) is None:
                self.report("group-member-dangling", name)
            if self.target("groups", group) is None:
                self.report("group-member-of-missing-group", name)

    def current_groups(self):
        for name, fields in self.kinds["users"].items():
            # OPEN: the tables do not list the field, so nothing is said of another type.
            group = key(fields, "currentGroupId")
            if group is None:
                continue
            # OPEN: a group is there where its document is; members below a missing one do not make it.
            if self.target("groups", group) is None:
                self.report("current-group", name, "currentGroupId", fields["currentGroupId"])
            # OPEN: a member who is not active is one too.
            elif f"groups/{group}/members/{name.split('/')[1]}" not in self.kinds["groups/members"]:
                self.report("current-group", name, "currentGroupId", fields["currentGroupId"])

    def setup(self):
        fields = self.kinds["app_config"].get("app_config/setup")
        if fields is None:
            self.report("setup-missing", "app_config/setup")
            return
        value = there(fields, "adminUserId")
        if value is not None and "stringValue" not in value:
            return
        user = self.target("users", key(fields, "adminUserId") or "")
        # The apps read isActive, then Android's activo.
        if user is None or text(user, "role") != "admin" or not active(user, "isActive", "activo"):
            self.report("setup-admin", "app_config/setup", "adminUserId", value)

    def payments(self):
        for name, fields in self.kinds["payments"].items():
            if text(fields, "type") == "membership" and there(fields, "membershipPlanSnapshot") is None:
                self.report("payment-snapshot-missing", name, "membershipPlanSnapshot")

    def hidden(self):
        """What a query leaves out: an order needs the field, if only as null; isActive is asked for a value."""
        for name, fields in self.kinds["members"].items():
            if "paternalLastName" not in fields:
                self.report("hidden", name, "paternalLastName")
            if there(fields, "isActive") is None:
                self.report("hidden", name, "isActive")

    def addresses(self):
        for name in self.kinds["user_emails"]:
            identifier = name.split("/")[1]
            if not formed("address", identifier) or identifier != identifier.lower():
                self.report("document-id", name)

    def pictures(self):
        # OPEN: any collection of the page, whether or not the page gives it the field; not below a map or an array.
        for documents in self.kinds.values():
            for name, fields in documents.items():
                for field in PICTURES:
                    words = text(fields, field)
                    if words and any(names_bucket(words, bucket) for bucket in self.foreign):
                        self.report("foreign-bucket", name, field, fields[field])

    def unreadable(self):
        """Asked last, of what the others found."""
        for rule, path, field, value in list(self.found):
            if kind(path) in DECODED and rule in ("wrong-type", "required-missing", "foreign-key-missing"):
                self.report("unreadable", path, field, value)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--compare", metavar="FILE")
    parser.add_argument("--rule", action="append", help="only findings of this rule")
    parser.add_argument("--bucket", metavar="NAME", help="the environment's own bucket")
    parser.add_argument("--foreign", metavar="NAME,NAME", default="", help="the other environments' buckets")
    options = parser.parse_args()
    gym = Gym(load(options.folder), options.bucket, [name for name in options.foreign.split(",") if name])
    expected = [f for f in gym.check() if not options.rule or f[0] in options.rule]
    if not options.compare:
        for finding in expected:
            print(json.dumps(finding, ensure_ascii=False, sort_keys=True))
        return
    with open(options.compare, encoding="utf-8") as file:
        printed = json.load(file, parse_int=float)["findings"]
    actual = [[f["rule"], f["path"], f.get("field"), f.get("value")] for f in printed]
    left, right = (Counter(json.dumps(f, sort_keys=True) for f in findings) for findings in (expected, actual))
    for finding in sorted((left - right).elements()):
        print("not found:", finding)
    for finding in sorted((right - left).elements()):
        print("wrongly found:", finding)
    rules = Counter(finding[0] for finding in expected)
    print(f"{len(expected)} findings of {len(rules)} rules compared:", json.dumps(rules, sort_keys=True))
    sys.exit(1 if left != right else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What `gymmigrate check` must find.

An oracle: written from the text of the domain page (its section "Integrity that can be checked" and the table of
collections) and from the list of rules in docs/check.md, sharing no code with the tool that it judges. It holds
everything in memory, and asks each question in the plainest way.

    check_expected.py DIR                     prints the findings, a JSON array [rule, path, field, value] a line, sorted
    check_expected.py DIR --compare FILE      compares them with the JSON that `gymmigrate check --json` printed

Readings where the domain page leaves something open are marked OPEN.
"""

import argparse
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

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
"""
KEYS = [line.split() for line in KEYS.split("\n") if line]

# OPEN: the other fields that a rule reads; a value of another type is a finding of its own and no other rule's.
TYPES = """
users role string, users isActive boolean, users activo boolean,
members familyGroupId string, members groupRole string,
classes capacidadMax integer, classBookings estado string,
payments type string, payments membershipPlanSnapshot map,
groups memberCount integer, groups/members role string, groups/members isActive boolean
"""
TYPES = [entry.split() for entry in TYPES.replace("\n", " ").split(",")]

ROOTS = ("users members membership_plans check_ins payments products expenses user_emails app_config classes classBookings "
         "classAttendance exercises routine_templates daily_routines groups").split()


def load(folder):
    documents = {}
    for path in sorted(Path(folder).glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").split("\n"):
            if line:
                document = json.loads(line)
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


def by_bytes(names):
    return sorted(names, key=lambda name: name.encode())


class Gym:
    def __init__(self, documents):
        self.found = []
        self.kinds = defaultdict(dict)
        for name, fields in documents.items():
            if kind(name):
                self.kinds[kind(name)][name] = fields

    def tell(self, rule, path, field=None, value=None):
        self.found.append([rule, path, field, value])

    def target(self, collection, identifier):
        """The fields of a document, None where there is none; no id has a slash."""
        return None if "/" in identifier else self.kinds[collection].get(f"{collection}/{identifier}")

    def check(self):
        for question in (self.ids, self.types, self.keys, self.mirrors, self.families, self.bookings, self.groups,
                         self.setup, self.payments):
            question()
        return sorted(self.found, key=lambda finding: json.dumps(finding, sort_keys=True))

    def ids(self):
        for collection, documents in self.kinds.items():
            for name, fields in documents.items():
                value = there(fields, "id")
                if value is None:
                    if collection not in ("user_emails", "app_config"):
                        self.tell("id-missing", name, "id")
                elif value != {"stringValue": name.rsplit("/", 1)[1]}:
                    self.tell("id-mismatch", name, "id", value)

    def all_keys(self):
        for collection, field, target in KEYS:
            for name, fields in self.kinds[collection].items():
                # OPEN: of app_config only the document that the page names has the key.
                if collection != "app_config" or name == "app_config/setup":
                    yield name, fields, field.rstrip("?"), target, field.endswith("?")

    def types(self):
        for collection, field, wanted in TYPES:
            for name, fields in self.kinds[collection].items():
                value = there(fields, field)
                if value is not None and f"{wanted}Value" not in value:
                    self.tell("wrong-type", name, field, value)
        for name, fields, field, _, _ in self.all_keys():
            value = there(fields, field)
            if value is not None and "stringValue" not in value:
                self.tell("wrong-type", name, field, value)

    def keys(self):
        for name, fields, field, target, optional in self.all_keys():
            if there(fields, field) is None and not optional:
                self.tell("foreign-key-missing", name, field)
            identifier = key(fields, field)
            if identifier and self.target(target, identifier) is None:
                self.tell("foreign-key-dangling", name, field, fields[field])

    def mirrors(self):
        # OPEN: a link to a document that does not exist is told as dangling only.
        for one, field, other, back in (("users", "linkedMemberId", "members", "linkedUserId"),
                                        ("members", "linkedUserId", "users", "linkedMemberId")):
            for name, fields in self.kinds[one].items():
                identifier = key(fields, field)
                there_fields = self.target(other, identifier) if identifier else None
                if there_fields is not None and text(there_fields, back) != name.split("/")[1]:
                    self.tell("link-not-mirrored", name, field, fields[field])

    def families(self):
        families = defaultdict(list)
        for name, fields in self.kinds["members"].items():
            if key(fields, "familyGroupId"):
                families[key(fields, "familyGroupId")].append(name)
        for family, names in families.items():
            owners = [n for n in names if text(self.kinds["members"][n], "groupRole") == "owner"]
            # OPEN: no owner is told of the first member by its bytes, several of each owner.
            if len(owners) != 1:
                for name in owners or by_bytes(names)[:1]:
                    self.tell("family-group-owner", name, "familyGroupId", {"stringValue": family})

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
                    self.tell("booking-duplicate", name, "userId", {"stringValue": user})
        for name, fields in self.kinds["classes"].items():
            count, value = booked[name.split("/")[1]], there(fields, "capacidadMax")
            if value is None:
                # OPEN: no number bounds nothing, so a booking is too many.
                if count:
                    self.tell("class-overbooked", name, "capacidadMax")
            elif "integerValue" in value and count > int(value["integerValue"]):
                self.tell("class-overbooked", name, "capacidadMax", value)

    def groups(self):
        below = defaultdict(list)
        for name, fields in self.kinds["groups/members"].items():
            below["/".join(name.split("/")[:2])].append(fields)
        for name in below.keys() - self.kinds["groups"].keys():
            self.tell("group-missing", name)
        for name, fields in self.kinds["groups"].items():
            members, value = below[name], there(fields, "memberCount")
            if value is None or "integerValue" in value and int(value["integerValue"]) != len(members):
                self.tell("group-member-count", name, "memberCount", value)
            if len(members) > 10:
                self.tell("group-too-large", name)
            if not any(text(m, "role") == "admin" and active(m, "isActive") for m in members):
                self.tell("group-admin-missing", name)

    def setup(self):
        fields = self.kinds["app_config"].get("app_config/setup")
        if fields is None:
            self.tell("setup-missing", "app_config/setup")
            return
        value = there(fields, "adminUserId")
        if value is not None and "stringValue" not in value:
            return
        user = self.target("users", key(fields, "adminUserId") or "")
        # The apps read isActive, then Android's activo.
        if user is None or text(user, "role") != "admin" or not active(user, "isActive", "activo"):
            self.tell("setup-admin", "app_config/setup", "adminUserId", value)

    def payments(self):
        for name, fields in self.kinds["payments"].items():
            if text(fields, "type") == "membership" and there(fields, "membershipPlanSnapshot") is None:
                self.tell("payment-snapshot-missing", name, "membershipPlanSnapshot")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--compare", metavar="FILE")
    parser.add_argument("--rule", action="append", help="only findings of this rule")
    options = parser.parse_args()
    expected = [f for f in Gym(load(options.folder)).check() if not options.rule or f[0] in options.rule]
    if not options.compare:
        for finding in expected:
            print(json.dumps(finding, ensure_ascii=False, sort_keys=True))
        return
    with open(options.compare, encoding="utf-8") as file:
        printed = json.load(file)["findings"]
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

#!/usr/bin/env python3
"""Breaks a gym so that `gymmigrate check` has something to find: the same seed gives the same damage.

    check_damage.py DIR -o DIR --seed N

Each kind of damage is done at least once where the gym has a document for it, and beside each break stands something
that only looks like one.
"""

import argparse
import copy
import json
import random
from pathlib import Path

REFERENCE = {"referenceValue": "projects/p/databases/d/documents/users/u1"}
ODD = [None, {"nullValue": None}, {"stringValue": ""}, {"stringValue": " "}, {"stringValue": "nobody"}, {"integerValue": "7"},
       {"doubleValue": 3.0}, {"booleanValue": False}, {"booleanValue": True}, REFERENCE, {"arrayValue": {}}, {"mapValue": {}},
       {"stringValue": "a/b"}, {"stringValue": "admin"}, {"stringValue": "owner"}, {"stringValue": "activa"},
       {"integerValue": "0"}, {"integerValue": "-1"}, {"stringValue": "membership"}]
FIELDS = {
    "users": ["id", "linkedMemberId", "role", "isActive", "activo"],
    "members": ["id", "membershipPlanId", "linkedUserId", "familyGroupId", "groupRole"],
    "membership_plans": ["id"], "check_ins": ["id", "memberId", "userId"],
    "payments": ["id", "memberId", "userId", "type", "membershipPlanSnapshot"], "products": ["id"], "expenses": ["id"],
    "user_emails": ["id", "primaryUserId"], "app_config": ["id", "adminUserId"], "classes": ["id", "capacidadMax"],
    "classBookings": ["id", "classId", "userId", "estado"], "classAttendance": ["id", "classId", "userId", "memberId"],
    "exercises": ["id"], "routine_templates": ["id"], "groups": ["id", "memberCount"],
    "groups/members": ["id", "role", "isActive"],
}


def text(value):
    return {"stringValue": value}


class Damage:
    def __init__(self, documents, seed):
        self.documents, self.rng = documents, random.Random(f"damage:{seed}")

    def kind(self, name):
        parts = name.split("/")
        return parts[0] if len(parts) == 2 else f"{parts[0]}/{parts[2]}"

    def names(self, kind):
        return sorted(n for n in self.documents if self.kind(n) == kind)

    def set(self, name, field, value):
        if value is None:
            self.documents[name].pop(field, None)
        else:
            self.documents[name][field] = value

    def odd_values(self):
        """A value that is out of place in every field that a rule reads, and some more by chance."""
        for kind, fields in FIELDS.items():
            names = self.names(kind)
            for field in fields:
                for _ in range(4):
                    self.set(self.rng.choice(names), field, copy.deepcopy(self.rng.choice(ODD)))

    def swaps(self):
        """Ids that exist, of somebody else; in another case, and with a space."""
        for kind in ("users", "members"):
            field = {"users": "linkedMemberId", "members": "linkedUserId"}[kind]
            names = self.names(kind)
            for _ in range(4):
                one, other = self.rng.sample(names, 2)
                mine, theirs = self.documents[one].get(field), self.documents[other].get(field)
                self.set(one, field, theirs)
                if self.rng.random() < 0.5:
                    self.set(other, field, mine)
        for kind, field in (("check_ins", "memberId"), ("classBookings", "userId"), ("payments", "id")):
            name = self.rng.choice(self.names(kind))
            old = self.documents[name].get(field, {}).get("stringValue", "x")
            self.set(name, field, text(self.rng.choice([old.swapcase(), old + " ", old + "\u0000"])))

    def removals(self):
        for kind in ("users", "members", "membership_plans", "classes", "groups"):
            del self.documents[self.rng.choice(self.names(kind))]
        if self.rng.random() < 0.3:
            self.documents.pop("app_config/setup", None)

    def composition(self):
        """Ids that are one text to Unicode and two to the service."""
        composed, decomposed = "jos\u00e9", "jose\u0301"
        self.documents[f"users/{composed}"] = {"id": text(composed), "linkedMemberId": text("compuesto")}
        self.documents["members/compuesto"] = {"id": text("compuesto"), "linkedUserId": text(composed)}
        self.documents["members/descompuesto"] = {"id": text("descompuesto"), "linkedUserId": text(decomposed)}
        self.documents[f"classes/{decomposed}"] = {"id": text(composed), "capacidadMax": {"integerValue": "1"}}
        for number, (klass, user) in enumerate([(composed, composed), (decomposed, composed), (decomposed, decomposed)]):
            self.documents[f"classBookings/composicion{number}"] = {
                "id": text(f"composicion{number}"), "classId": text(klass), "userId": text(user), "estado": text("activa")}

    def bookings(self):
        """The same class again, active and not; a class that is just full, and one that is overfull."""
        for name in self.rng.sample(self.names("classBookings"), 4):
            for state in ("activa", "cancelada", "Activa"):
                if self.rng.random() < 0.6:
                    again = f"{name}-{state}"
                    self.documents[again] = {
                        **self.documents[name], "id": text(again.split("/")[1]), "estado": text(state)}
        for name in self.rng.sample(self.names("classes"), 4):
            count = sum(
                self.documents[b].get("classId") == text(name.split("/")[1])
                and self.documents[b].get("estado") == text("activa") for b in self.names("classBookings"))
            self.set(name, "capacidadMax", {"integerValue": str(count - self.rng.randrange(2))})

    def families(self):
        for name in self.rng.sample(self.names("members"), 6):
            self.set(name, "familyGroupId", text(self.rng.choice(["familia-1", "familia-9", "sola"])))
            self.set(name, "groupRole", self.rng.choice([None, text("owner"), text("dependent"), text("Owner")]))

    def groups(self):
        """Of ten and of eleven, without an active admin, below nobody, and what only looks like a member."""
        for identifier, size in (("diez", 10), ("once", 11), ("vacio", 0), ("sin-admin", 2)):
            self.documents[f"groups/{identifier}"] = {
                "id": text(identifier), "memberCount": {"integerValue": str(size)}}
            for number in range(size):
                self.documents[f"groups/{identifier}/members/u{number}"] = {
                    "id": text(f"u{number}"), "role": text("member" if number else "admin"),
                    **({"isActive": {"booleanValue": identifier != "sin-admin"}} if number % 2 == 0 else {})}
        self.documents["groups/fantasma/members/u1"] = {"id": text("u1"), "role": text("admin")}
        self.documents["groups/fantasma/members/u2"] = {"id": text("u2"), "role": text("admin")}
        self.documents["groups/diez/notes/n1"] = {}
        self.documents["groups/diez/members/u1/notes/n1"] = {}
        self.documents["groups/sombra/notes/n1"] = {}
        self.documents["products/p1/members/m1"] = {"role": text("admin")}
        self.documents["app_config/other"] = {"adminUserId": {"integerValue": "1"}, "id": text("another")}
        self.documents["visitors/v1"] = {"memberId": text("nobody")}

    def done(self):
        for damage in (self.odd_values, self.swaps, self.bookings, self.families, self.groups, self.composition, self.removals):
            damage()
        return self.documents


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("-o", "--output", metavar="DIR", required=True)
    parser.add_argument("--seed", required=True)
    options = parser.parse_args()
    documents = {}
    for path in sorted(Path(options.folder).glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").split("\n"):
            if line:
                document = json.loads(line)
                documents[document["name"]] = document.get("fields", {})
    broken = Damage(documents, options.seed).done()
    folder = Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "all.jsonl", "w", encoding="utf-8", newline="\n") as file:
        for name in sorted(broken):
            file.write(json.dumps({"fields": broken[name], "name": name}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()

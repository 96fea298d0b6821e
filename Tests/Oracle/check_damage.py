#!/usr/bin/env python3
"""Breaks a gym so that `gymmigrate check` has something to find: the same seed gives the same damage.

    check_damage.py DIR -o DIR --seed N

Each kind of damage is done at least once where the gym has a document for it, and beside each break there is something
that only looks like one. Damage to a field that only its own rules read is done to copies (`dano-...`), one break in
each, so that no break hides another; two copies of each collection bear many at once.
"""

import argparse
import copy
import json
import random
from pathlib import Path

from check_expected import CLOSED, FIELDS as PAGE, FORMATTED, RANGES, SNAPSHOT, WITH_ID

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
    "exercises": ["id"], "routine_templates": ["id"], "daily_routines": ["id"], "groups": ["id", "memberCount", "createdBy"],
    "groups/members": ["id", "role", "isActive"],
}


def text(value):
    return {"stringValue": value}


def integer(value):
    return {"integerValue": str(value)}


def double(value):
    return {"doubleValue": value}


TIME, NULL, YES = {"timestampValue": "2026-03-01T12:00:00Z"}, {"nullValue": None}, {"booleanValue": True}
BLANKS = [text(""), text(" "), text("\t\r\n"), text("\u00a0\u3000\u2028")]
# Beside a blank text there is one that is none: a zero-width space is no white space.
OF_TYPE = {
    "string": [*BLANKS, text("\u200b"), integer(7299595662), YES, TIME, {"arrayValue": {}}],
    "timestamp": [text("2026-03-01T12:00:00Z"), text(""), text(" "), integer(1772366400), {"mapValue": {}},
                  {"timestampValue": "0001-01-01T00:00:00Z"}],
    "boolean": [text("true"), text(" "), integer(1), {"booleanValue": False}],
    "integer": [double(3.0), double("NaN"), text("3"), text("")],
    "double": [text("3.5"), text(" "), integer(3), double(3), YES],
    "map": [text(""), {"arrayValue": {}}, {"mapValue": {}}, {"mapValue": {"fields": {}}}],
    "array": [text(" "), {"mapValue": {}}, {"arrayValue": {}}],
}
OF_FORMAT = {
    "address": ["ana", "@", "@gym.mx", "ana@", "ana@@gym.mx", "a@b@c", "ana maria@gym.mx", " ana@gym.mx", "ana@gym.mx\n",
                "ana\u007f@gym.mx", "a\u0000@b", "a@b", "Ana@Gym.mx", "jos\u00e9@gym.mx", "ana\u00a0maria@gym.mx"],
    "digits": ["+527299595662", "729 959 5662", "7299595662 ", "\u0667\u0662\u0669", "\uff17\uff12", "\u00b2", "0"],
    "time": ["25:99", "7:00", "24:00", "23:60", "07:00:00", "0700", " 07:00", "07:00\n", "\u0660\u0667:00", "07:5\u0665",
             "00:00", "23:59", "20:00", "19:59"],
    "url": ["foto.jpg", "/foto.jpg", "://x", "https://", "https:/x", "1http://x", "ht tp://x", "https://x y", "https://x\n",
            "https://x\u007f", " https://x", "\u00e1b://x", "a://b", "gs+1.x-y://\u00f1", "https://a://b", "HTTPS://X"],
    "registrar": ["nadie", "Self", "self ", "admin", "admin:", "Admin:x", "admin:a/b", "self|admin:x", "admin:nadie", "self"],
}
# In copies: links and families are broken elsewhere, and a copied booking would fill the classes that are just full.
UNTIED = {"users": {"linkedMemberId": None}, "members": {"linkedUserId": None, "familyGroupId": None},
          "classBookings": {"classId": text("")}}


def put(fields, field, value):
    if value is None:
        fields.pop(field, None)
    else:
        fields[field] = value


def odd_values(collection, field, wanted):
    """What to put into a field of the page (None takes it away), right and wrong."""
    place, values = f"{collection}.{field}", [None, NULL, *OF_TYPE[wanted]]
    if place in CLOSED:
        word = CLOSED[place][-1]
        values += map(text, ["otro", word.swapcase(), f"{word} ", f" {word}", f"{word}\u200b", word[:-1], *CLOSED[place]])
    if place in FORMATTED:
        values += map(text, OF_FORMAT[FORMATTED[place]])
    if place in RANGES:
        bounds = sorted({0, 1, *(bound for bound in RANGES[place] if bound < 1000)})
        numbers = [bounds[0] - 1, *bounds, bounds[-1] + 1, -2**63, 2**63 - 1]
        values += map(integer, numbers)
        if wanted == "double":
            values += map(double, [-0.01, -0.0, 0.0, 5e-324, -5e-324, "NaN", "Infinity", "-Infinity"])
    return copy.deepcopy(values)


class Damage:
    def __init__(self, documents, seed):
        self.documents, self.rng = documents, random.Random(f"damage:{seed}")
        if not self.names("daily_routines"):
            self.documents["daily_routines/hoy"] = {
                "id": text("hoy"), "blocks": {"arrayValue": {}}, "createdAt": TIME, "updatedAt": TIME}
        self.sound, self.copies = copy.deepcopy(documents), 0

    def kind(self, name):
        parts = name.split("/")
        return parts[0] if len(parts) == 2 else f"{parts[0]}/{parts[2]}"

    def names(self, kind):
        return sorted(n for n in self.documents if self.kind(n) == kind)

    def set(self, name, field, value):
        put(self.documents[name], field, value)

    def odd_values(self):
        """A value that is out of place in every field that a rule reads, and some more by chance."""
        for kind, fields in FIELDS.items():
            names = self.names(kind)
            for field in fields if names else []:
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
        self.documents[f"exercises/{decomposed}"] = {"id": text(composed)}
        self.documents[f"classes/{decomposed}"] = {"capacidadMax": {"integerValue": "1"}}
        for number, (klass, user) in enumerate([(composed, composed), (decomposed, composed), (decomposed, decomposed)]):
            self.documents[f"classBookings/composicion{number}"] = {
                "classId": text(klass), "userId": text(user), "estado": text("activa")}

    def bookings(self):
        """The same class again, active and not; a class that is just full, and one that is overfull."""
        for name in self.rng.sample(self.names("classBookings"), 4):
            for state in ("activa", "cancelada", "Activa"):
                if self.rng.random() < 0.6:
                    again = f"{name}-{state}"
                    self.documents[again] = {**self.documents[name], "estado": text(state)}
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
        creator = self.names("users")[0].split("/")[1]
        for identifier, size in (("diez", 10), ("once", 11), ("vacio", 0), ("sin-admin", 2)):
            self.documents[f"groups/{identifier}"] = {
                "name": text(identifier), "createdAt": TIME, "createdBy": text(creator), "isActive": YES,
                "memberCount": integer(size)}
            for number in range(size):
                self.documents[f"groups/{identifier}/members/u{number}"] = {
                    "displayName": text(f"U{number}"), "joinedAt": TIME, "role": text("member" if number else "admin"),
                    **({"isActive": {"booleanValue": identifier != "sin-admin"}} if number % 2 == 0 else {})}
        # Current groups that are right, that nobody has, that others have, and what is none.
        members = self.names("groups/members")
        users = set(self.names("users"))
        for name in self.rng.sample(members, min(4, len(members))):
            group, user = name.split("/")[1], f"users/{name.split('/')[3]}"
            if user in users:
                self.set(user, "currentGroupId", text(group))
        others = ["diez", "fantasma", "sombra", "nadie", "", " ", "a/b", "diez "]
        for name, group in zip(self.rng.sample(sorted(users), min(12, len(users))), others):
            self.set(name, "currentGroupId", text(group))
        for value in (NULL, integer(1)):
            self.set(self.rng.choice(sorted(users)), "currentGroupId", value)
        self.documents["groups/fantasma/members/u1"] = {"role": text("admin")}
        self.documents["groups/fantasma/members/u2"] = {"role": text("admin")}
        self.documents["groups/diez/notes/n1"] = {}
        self.documents["groups/diez/members/u1/notes/n1"] = {}
        self.documents["groups/sombra/notes/n1"] = {}
        self.documents["products/p1/members/m1"] = {"role": text("admin")}
        self.documents["app_config/other"] = {
            "adminUserId": {"integerValue": "1"}, "id": text("another"), "createdAt": text("ayer")}
        self.documents["visitors/v1"] = {"memberId": text("nobody")}

    def copy(self, kind):
        """The fields of a new document as sound as the gym's own were, None where it had none."""
        names = sorted(n for n in self.sound if self.kind(n) == kind)
        # There is only one app_config/setup.
        if not names or kind == "app_config":
            return None
        self.copies += 1
        identifier = f"dano-{self.copies}" + ("@gym.mx" if kind == "user_emails" else "")
        name = f"groups/dano/members/{identifier}" if kind == "groups/members" else f"{kind}/{identifier}"
        fields = self.documents[name] = copy.deepcopy(self.sound[self.rng.choice(names)])
        for field, value in UNTIED.get(kind, {}).items():
            self.set(name, field, copy.deepcopy(value))
        put(fields, "id", text(identifier) if kind in WITH_ID else None)
        return fields

    def snapshot(self, fields):
        sound = {"planName": text("Mensual"), "planType": text("time_based"), "planPrice": double(500.0),
                 "planCurrency": text("USD"), "maxMembers": integer(1), "assignedAt": TIME, "assignedBy": text("self")}
        fields[SNAPSHOT] = {"mapValue": {"fields": sound}}
        return sound

    def field_values(self):
        """Every odd value in every field of the page, each in a copy of its own."""
        for collection, field, wanted, _ in PAGE:
            for value in odd_values(collection, field, wanted):
                kind = self.rng.choice(["members", "payments"]) if collection == SNAPSHOT else collection
                fields = self.copy(kind)
                if fields is not None:
                    put(self.snapshot(fields) if collection == SNAPSHOT else fields, field, value)
        if "app_config/setup" in self.documents:
            self.set("app_config/setup", "createdAt", self.rng.choice(odd_values("app_config", "createdAt", "timestamp")))

    def many_at_once(self):
        for kind in sorted({collection for collection, *_ in PAGE} - {SNAPSHOT}):
            for _ in range(2):
                fields = self.copy(kind)
                for collection, field, wanted, _ in PAGE if fields is not None else []:
                    if collection == kind and self.rng.random() < 0.7:
                        put(fields, field, self.rng.choice(odd_values(collection, field, wanted)))

    def strangers(self):
        """Ids where they do not belong, and where they do; fields that the page does not have, or leaves open."""
        for kind in ("classes", "classBookings", "classAttendance", "groups", "groups/members", "user_emails"):
            for value in (NULL, text(""), text(f"dano-{self.copies + 1}"), integer(1)):
                fields = self.copy(kind)
                if fields is not None:
                    put(fields, "id", copy.deepcopy(value))
        for kind in FIELDS:
            fields = self.copy(kind)
            if fields is not None:
                fields.update({"precio": text("mucho"), f"{SNAPSHOT}.planName": integer(1), "ID": integer(1),
                               "guardianInfo": self.rng.choice([text(" "), integer(1), {"arrayValue": {}}])})
        for kind, field, value in (
                ("expenses", "paymentMethod", text("trueque")), ("payments", "currency", text("USD")),
                ("members", "registeredBy", text("admin:nadie")), ("daily_routines", "isActive", text("true")),
                ("user_emails", "updatedAt", text("ayer")), ("users", "otros", integer(1)), ("groups", "updatedAt", text(""))):
            fields = self.copy(kind)
            if fields is not None:
                fields[field] = copy.deepcopy(value)

    def addresses(self):
        sound = sorted(n for n in self.sound if self.kind(n) == "user_emails")
        for identifier in [*OF_FORMAT["address"], "\u00c1na@gym.mx", "ana@gym.mX"] if sound else []:
            # OPEN: a NUL in a document's name is left out: not every JSON reader lets it through.
            if "\u0000" not in identifier:
                self.documents[f"user_emails/{identifier}"] = copy.deepcopy(self.sound[self.rng.choice(sound)])

    def done(self):
        if any(self.kind(name) == "groups/members" for name in self.sound):
            group = next(name for name in sorted(self.sound) if self.kind(name) == "groups")
            self.documents["groups/dano"] = copy.deepcopy(self.sound[group])
        # The copies come last: nothing else may choose one of them.
        for damage in (self.odd_values, self.swaps, self.bookings, self.families, self.groups, self.composition, self.removals,
                       self.field_values, self.many_at_once, self.strangers, self.addresses):
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

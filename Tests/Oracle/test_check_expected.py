"""Cases worked out by hand from the domain page. Run: python3 -m unittest discover Tests/Oracle"""

import json
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import check_damage  # noqa: E402
import check_expected  # noqa: E402
from check_damage import NULL, TIME, YES, double, integer, text  # noqa: E402


def stamped(identifier, **fields):
    return {"id": text(identifier), "createdAt": TIME, "updatedAt": TIME, **fields}


def snapshot(**fields):
    return {"mapValue": {"fields": {
        "planName": text("Mensual"), "planType": text("mixed"), "planPrice": double(500.0), "planCurrency": text("USD"),
        "maxMembers": integer(1), "assignedAt": TIME, "assignedBy": text("self"), **fields}}}


def sound():
    return {
        "app_config/setup": {"adminUserId": text("u1"), "createdAt": TIME},
        "users/u1": stamped("u1", email=text("ana@gym.mx"), role=text("admin"), linkedMemberId=text("m1")),
        "members/m1": stamped(
            "m1", firstName=text("Ana"), paternalLastName=text("Ruiz"), membershipStatus=text("active"), isActive=YES,
            registeredBy=text("self"), registrationDate=TIME, linkedUserId=text("u1"), familyGroupId=text("f"),
            groupRole=text("owner")),
        "membership_plans/p1": stamped(
            "p1", name=text("Mensual"), type=text("time_based"), price=double(500.0), currency=text("MXN"), isActive=YES,
            maxMembers=integer(1), sortOrder=integer(-1)),
        "check_ins/k1": stamped("k1", memberId=text("m1"), type=text("member"), checkInDate=TIME),
        "payments/p1": stamped(
            "p1", memberId=text("m1"), type=text("membership"), method=text("cash"), status=text("completed"),
            amount=integer(500), currency=text("EUR"), registeredBy=text("x"), membershipPlanSnapshot=snapshot()),
        "products/p1": stamped(
            "p1", name=text("Agua"), category=text("beverages"), price=double(20.0), costPrice=double(10.0),
            currency=text("MXN"), stock=integer(0), isActive=YES),
        "expenses/e1": stamped(
            "e1", category=text("rent"), description=text("Renta"), amount=double(0.0), currency=text("MXN"), date=TIME,
            paymentMethod=text("trueque"), isRecurring=YES, recurringDay=integer(31), registeredBy=text("x"), isActive=YES),
        "exercises/e1": stamped("e1", isActive=YES),
        "routine_templates/r1": stamped("r1", isActive=YES),
        "daily_routines/d1": stamped("d1", isActive=text("true")),
        "user_emails/ana@gym.mx": {"primaryUserId": text("u1"), "email": text("ana@gym.mx"), "createdAt": TIME},
        "classes/c1": {
            "nombre": text("Yoga"), "fecha": TIME, "horaInicio": text("07:00"), "duracionMin": integer(1), "createdAt": TIME,
            "capacidadMax": integer(1), "gymId": text("sajarubox"), "updatedAt": TIME},
        "classBookings/b1": {
            "classId": text("c1"), "userId": text("u1"), "gymId": text("sajarubox"), "estado": text("activa"), "createdAt": TIME},
        "classAttendance/a1": {"classId": text("c1"), "asistio": YES, "timestamp": TIME},
        "groups/g1": {"name": text("G"), "createdAt": TIME, "createdBy": text("u1"), "memberCount": integer(1), "isActive": YES},
        "groups/g1/members/u1": {"displayName": text("Ana"), "joinedAt": TIME, "role": text("admin"), "isActive": YES},
    }


class Check(unittest.TestCase):
    def find(self, **changes):
        documents = sound()
        for place, value in changes.get("set", {}).items():
            name, field = re.fullmatch(r"(.*/.*)\.(\w+)", place).groups()
            if value is None:
                documents[name].pop(field)
            else:
                documents.setdefault(name, {})[field] = value
        for name in changes.get("remove", ()):
            del documents[name]
        self.found = check_expected.Gym(documents).check()
        return [" ".join(filter(None, finding[:3])) for finding in self.found]

    def expect(self, place, value, *rules):
        """The rules that one field's value breaks, with that value (no null) in each finding."""
        name, field = re.fullmatch(r"(.*/.*)\.(\w+)", place).groups()
        self.assertEqual(self.find(set={place: value}), [f"{rule} {name} {field}" for rule in rules], (place, value))
        for finding in self.found:
            self.assertEqual(finding[3], None if value == NULL else value)

    def test_sound(self):
        self.assertEqual(self.find(), [])

    def test_keys(self):
        self.assertEqual(self.find(set={"users/u1.linkedMemberId": text("")}), ["link-not-mirrored members/m1 linkedUserId"])
        self.assertEqual(self.find(remove=["classes/c1"]), ["foreign-key-dangling classAttendance/a1 classId",
                                                            "foreign-key-dangling classBookings/b1 classId"])
        self.assertEqual(self.find(set={"classBookings/b1.userId": {"integerValue": "1"}}),
                         ["wrong-type classBookings/b1 userId"])
        self.assertEqual(self.find(set={"classBookings/b1.userId": text("")}), [])
        self.assertEqual(self.find(set={"classBookings/b1.userId": {"nullValue": None}}),
                         ["foreign-key-missing classBookings/b1 userId"])
        self.expect("groups/g1.createdBy", NULL, "foreign-key-missing")
        self.expect("groups/g1.createdBy", text("nobody"), "created-by-dangling")
        self.expect("groups/g1.createdBy", text(""))
        self.expect("groups/g1.createdBy", integer(1), "wrong-type")

    def test_ids(self):
        for name in sound():
            if name.split("/")[0] in ("classes", "classBookings", "classAttendance", "groups", "user_emails", "app_config"):
                for value in (text(name.rsplit("/", 1)[1]), integer(1), NULL):
                    self.assertEqual(self.find(set={f"{name}.id": value}), [f"field-unexpected {name} id"])
                    self.assertEqual(self.found[0][3], value)
            else:
                self.expect(f"{name}.id", None, "id-missing")
                self.expect(f"{name}.id", NULL, "id-missing")
                self.expect(f"{name}.id", integer(1), "id-mismatch")
                self.expect(f"{name}.id", text(""), "id-mismatch")

    def test_setup_only(self):
        other = {"app_config/other.id": text("x"), "app_config/other.createdAt": text("x"), "app_config/other.adminUserId": NULL}
        self.assertEqual(self.find(set=other), [])
        self.expect("app_config/setup.createdAt", None, "required-missing")

    def test_groups(self):
        self.assertEqual(self.find(remove=["groups/g1"]),
                         ["group-member-of-missing-group groups/g1/members/u1", "group-missing groups/g1"])
        self.assertEqual(self.find(remove=["groups/g1/members/u1"]),
                         ["group-admin-missing groups/g1", "group-member-count groups/g1 memberCount"])

    def test_registrars(self):
        for value in ("nadie", "Self", "self ", "admin", "admin:", "u1"):
            self.expect("members/m1.registeredBy", text(value), "format")
        self.expect("members/m1.registeredBy", text("admin:u9"), "registered-by-dangling")
        self.expect("members/m1.registeredBy", text("admin:u1"))

    def test_members_and_current_groups(self):
        nobody = {"groups/g1/members/u9.role": text("member"), "groups/g1/members/u9.displayName": text("X"),
                  "groups/g1/members/u9.joinedAt": {"timestampValue": "2026-03-01T12:00:00Z"},
                  "groups/g1/members/u9.isActive": {"booleanValue": True}, "groups/g1.memberCount": integer(2)}
        self.assertEqual(self.find(set=nobody), ["group-member-dangling groups/g1/members/u9"])
        self.expect("users/u1.currentGroupId", text("g1"))
        self.expect("users/u1.currentGroupId", text(""))
        self.expect("users/u1.currentGroupId", NULL)
        self.expect("users/u1.currentGroupId", integer(1))
        self.expect("users/u1.currentGroupId", text("g9"), "current-group")
        self.expect("users/u1.currentGroupId", text("a/b"), "current-group")
        self.assertEqual(self.find(remove=["groups/g1/members/u1"], set={"users/u1.currentGroupId": text("g1")}),
                         ["current-group users/u1 currentGroupId", "group-admin-missing groups/g1",
                          "group-member-count groups/g1 memberCount"])

    def test_owner_and_setup(self):
        self.assertEqual(self.find(set={"members/m1.groupRole": text("dependent")}),
                         ["family-group-owner members/m1 familyGroupId"])
        self.assertEqual(self.find(set={"users/u1.isActive": {"booleanValue": False}}),
                         ["setup-admin app_config/setup adminUserId"])
        self.assertEqual(self.find(remove=["app_config/setup"]), ["setup-missing app_config/setup"])

    def test_types(self):
        self.expect("users/u1.isMinor", text("true"), "wrong-type")
        self.expect("users/u1.telefono", integer(7299595662), "wrong-type")
        self.expect("users/u1.fechaNacimiento", integer(1))
        self.expect("users/u1.edad", integer(1))
        self.expect("users/u1.createdAt", text(" "), "wrong-type")
        self.expect("members/m1.guardianInfo", integer(1))
        self.expect("classes/c1.duracionMin", double(60.0), "wrong-type")
        self.expect("classes/c1.isActive", NULL)
        self.expect("classes/c1.capacidadMax", text("1"), "wrong-type")
        self.expect("classBookings/b1.updatedAt", text("x"))
        self.expect("classAttendance/a1.asistio", text("si"), "wrong-type")
        self.expect("routine_templates/r1.blocks", {"mapValue": {}}, "wrong-type")
        self.expect("daily_routines/d1.updatedAt", integer(1), "wrong-type")
        self.expect("products/p1.price", integer(20))
        self.expect("products/p1.stock", double("NaN"), "unreadable", "wrong-type")
        self.expect("products/p1.priceHistory", text(""), "unreadable", "wrong-type")
        self.expect("payments/p1.memberId", integer(1), "unreadable", "wrong-type")
        self.expect("payments/p1.membershipPlanSnapshot", text(""), "unreadable", "wrong-type")

    def test_required(self):
        missing = ["required-missing"]
        for value in (None, NULL, text(""), text("\t\u00a0")):
            self.expect("users/u1.email", value, *missing)
            self.expect("classes/c1.horaInicio", value, *missing)
            self.expect("groups/g1/members/u1.displayName", value, *missing)
            self.expect("check_ins/k1.type", value, *missing, "unreadable")
        self.expect("payments/p1.currency", text("\u200b"))
        self.expect("exercises/e1.isActive", None, *missing)
        self.expect("exercises/e1.name", text(""))
        self.expect("groups/g1/members/u1.isActive", None, *missing)
        self.expect("groups/g1.memberCount", NULL, "group-member-count", *missing)
        self.expect("classes/c1.capacidadMax", NULL, "class-overbooked", *missing)
        self.expect("classAttendance/a1.timestamp", NULL, *missing)
        self.expect("payments/p1.memberId", None, "foreign-key-missing", "unreadable")
        self.expect("payments/p1.memberId", text(" "), "foreign-key-dangling")
        self.expect("payments/p1.memberId", text(""))

    def test_every_required_field(self):
        """Each field of the sound gym is required, but for a few; no null in it goes unseen."""
        optional = {"users/u1 linkedMemberId", "members/m1 linkedUserId", "members/m1 familyGroupId", "members/m1 groupRole",
                    "payments/p1 membershipPlanSnapshot", "expenses/e1 recurringDay", "daily_routines/d1 isActive",
                    "user_emails/ana@gym.mx createdAt"}
        for name, fields in sound().items():
            for field in fields:
                found = {rule.split()[0] for rule in self.find(set={f"{name}.{field}": NULL})}
                named = {"required-missing", "foreign-key-missing", "id-missing"}
                self.assertEqual(not found & named, f"{name} {field}" in optional, (name, field, found))

    def test_closed_values(self):
        for place in ("users/u1.role", "classes/c1.gymId", "classBookings/b1.gymId", "membership_plans/p1.currency",
                      "membership_plans/p1.type", "check_ins/k1.type", "payments/p1.type", "payments/p1.method",
                      "payments/p1.status", "products/p1.category", "expenses/e1.category", "members/m1.membershipStatus",
                      "members/m1.groupRelationType", "classBookings/b1.estado"):
            name, field = place.split(".")
            self.assertIn(f"value-unknown {name} {field}", self.find(set={place: text("Otro")}))
        self.assertEqual(self.find(set={"groups/g1/members/u1.role": text("Admin")}),
                         ["group-admin-missing groups/g1", "value-unknown groups/g1/members/u1 role"])
        self.expect("members/m1.groupRelationType", text(" "))
        self.expect("members/m1.groupRelationType", text("other "), "value-unknown")
        self.expect("classBookings/b1.estado", text("cancelada"))

    def test_formats(self):
        for bad in ("ana", "@", "a@", "@b", "a@b@c", "a b@c", "a@b\n", "a\x7f@b"):
            self.expect("users/u1.email", text(bad), "format")
            self.expect("users/u1.guardianEmail", text(bad), "format")
            self.expect("user_emails/ana@gym.mx.email", text(bad), "format")
            self.expect("members/m1.email", text(bad), "format")
        for good in ("a@b", "A@B", "jos\u00e9@\u00a0"):
            self.expect("users/u1.email", text(good))
        for bad in ("25:99", "7:00", "24:00", "07:60", "07:00 ", "07:00\n", "\u0660\u0667:00"):
            self.expect("classes/c1.horaInicio", text(bad), "format")
        for good in ("00:00", "19:59", "23:59"):
            self.expect("classes/c1.horaInicio", text(good))
        for bad in ("+52729", "729 9", "729\n", "\u0667", "\u00b2"):
            self.expect("members/m1.phone", text(bad), "format")
        self.expect("members/m1.phone", text(" "))
        self.expect("users/u1.phone", text("+52 729"))
        for bad in ("x", "://x", "http://", "1a://b", "a b://c", "http://a b", "http://a\n", "\u00e1://b"):
            for place in ("users/u1.photoURL", "products/p1.imageURL", "groups/g1/members/u1.photoURL"):
                self.expect(place, text(bad), "format")
        for good in ("a://b", "g+s-1.x://\u00f1", ""):
            self.expect("products/p1.imageURL", text(good))

    def test_ranges(self):
        for place, low in (("classes/c1.duracionMin", 1), ("membership_plans/p1.maxMembers", 1), ("products/p1.stock", 0),
                           ("membership_plans/p1.durationInDays", 1), ("membership_plans/p1.totalVisits", 1),
                           ("members/m1.remainingVisits", 0), ("expenses/e1.amount", 0), ("payments/p1.amount", 0),
                           ("products/p1.price", 0), ("products/p1.costPrice", 0), ("membership_plans/p1.price", 0)):
            self.expect(place, integer(low))
            self.expect(place, integer(low - 1), "range")
        self.expect("classes/c1.capacidadMax", integer(0), "class-overbooked", "range")
        self.expect("groups/g1.memberCount", integer(-1), "group-member-count", "range")
        self.expect("expenses/e1.recurringDay", integer(1))
        self.expect("expenses/e1.recurringDay", integer(0), "range")
        self.expect("expenses/e1.recurringDay", integer(32), "range")
        for bad in (-0.01, "NaN", "-Infinity"):
            self.expect("products/p1.price", double(bad), "range")
        for good in (-0.0, "Infinity", 5e-324):
            self.expect("products/p1.price", double(good))
        self.expect("membership_plans/p1.sortOrder", integer(-5))

    def test_snapshot(self):
        for owner in ("members/m1", "payments/p1"):
            for field, value, rule in (
                    ("planType", text("otro"), "value-unknown"), ("planPrice", double("NaN"), "range"),
                    ("planPrice", integer(0), None), ("maxMembers", integer(0), "range"), ("totalVisits", integer(0), "range"),
                    ("durationInDays", NULL, None), ("assignedAt", text("x"), "wrong-type"),
                    ("planName", text(" "), "required-missing"), ("planCurrency", NULL, "required-missing")):
                rules = [rule, "unreadable"] if rule in ("wrong-type", "required-missing") else [rule] if rule else []
                found = self.find(set={f"{owner}.membershipPlanSnapshot": snapshot(**{field: value})})
                self.assertEqual(found, sorted(f"{rule} {owner} membershipPlanSnapshot.{field}" for rule in rules))
                for finding in self.found:
                    self.assertEqual(finding[3], None if value == NULL else value)
        self.assertEqual(len(self.find(set={"members/m1.membershipPlanSnapshot": {"mapValue": {}}})), 14)
        self.expect("users/u1.membershipPlanSnapshot", snapshot(planName=integer(1)))

    def test_hidden(self):
        self.expect("members/m1.paternalLastName", None, "hidden", "required-missing", "unreadable")
        self.expect("members/m1.paternalLastName", NULL, "required-missing", "unreadable")
        self.expect("members/m1.isActive", None, "hidden", "required-missing", "unreadable")
        self.expect("members/m1.isActive", NULL, "hidden", "required-missing", "unreadable")
        self.expect("members/m1.isActive", integer(1), "unreadable", "wrong-type")
        self.expect("groups/g1/members/u1.isActive", NULL, "required-missing")

    def test_document_ids(self):
        for identifier, wrong in (("ana", True), ("Ana@x", True), ("a b@x", True), ("a@b@c", True), ("\u00d1@x", True),
                                  ("\u00f1@x", False), ("a@x", False)):
            name = f"user_emails/{identifier}"
            fields = {f"{name}.{field}": value for field, value in sound()["user_emails/ana@gym.mx"].items()}
            self.assertEqual(self.find(set=fields), [f"document-id {name}"] if wrong else [])
            self.assertEqual(self.found, [["document-id", name, None, None]] if wrong else [])

    def test_damage_is_thorough(self):
        folder = Path(__file__).parent.parent.parent / "samples" / "gym"
        # Each rule of each field of the page is broken somewhere.
        for seed in range(3):
            gym = check_expected.Gym(check_damage.Damage(check_expected.load(folder), seed).done())
            found = {(rule, check_expected.kind(path), field) for rule, path, field, _ in gym.check()}
            kinds = {kind for kind, documents in gym.kinds.items() if documents}
            for collection, field, _, required in check_expected.FIELDS:
                place = f"{collection}.{field}"
                owners = {collection: field}
                if collection == check_expected.SNAPSHOT:
                    owners = {owner: f"{collection}.{field}" for owner in ("members", "payments")}
                wanted = ["wrong-type"] + ["required-missing"] * required
                wanted += ["value-unknown"] * (place in check_expected.CLOSED)
                wanted += ["format"] * (place in check_expected.FORMATTED) + ["range"] * (place in check_expected.RANGES)
                # There is only one app_config/setup to break.
                for rule in wanted if collection != "app_config" and set(owners) & kinds else []:
                    self.assertTrue(any((rule, *owner) in found for owner in owners.items()), (rule, place, seed))

    def test_damage_is_repeatable(self):
        folder = Path(__file__).parent.parent.parent / "samples" / "gym"
        first, second, third = (
            json.dumps(check_damage.Damage(check_expected.load(folder), seed).done(), sort_keys=True) for seed in (1, 1, 2))
        self.assertEqual(first, second)
        self.assertNotEqual(first, third)


if __name__ == "__main__":
    unittest.main()

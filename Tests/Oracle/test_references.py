#!/usr/bin/env python3
"""Tests of the references. What is expected was worked out by hand from the pages; every person is invented.

    test_references.py
"""

import datetime
import json
import re
import subprocess
import sys
import tempfile
import unittest
from collections import defaultdict
from pathlib import Path

import app_reader
import check_damage_groups
import check_expected
import classes_reference
from check_damage import NULL, double as d, integer as n, text as t

HERE = Path(__file__).resolve().parent


def b(flag):
    return {"booleanValue": flag}


def at(moment):
    return {"timestampValue": moment}


def texts(**fields):
    return {name: t(words) for name, words in fields.items()}


def write(folder, documents):
    """One file a collection."""
    lines = defaultdict(list)
    for name, fields in documents.items():
        lines[name.split("/")[0]].append(json.dumps({"fields": fields, "name": name}, ensure_ascii=False, sort_keys=True,
                                                    separators=(",", ":")))
    for collection, found in lines.items():
        (Path(folder) / f"{collection}.jsonl").write_text("\n".join(found) + "\n", encoding="utf-8")


def run(script, *arguments):
    done = subprocess.run([sys.executable, HERE / script, *map(str, arguments)], capture_output=True, check=True)
    return done.stdout.decode()


class Casts(unittest.TestCase):
    def test_integer(self):
        for value, wanted in [(n(45), 45), (n(-1), -1), (n(2**63 - 1), 9223372036854775807), (d(45.0), 45), (d(45), 45),
                              (d(-0.0), 0), (d(45.5), None), (d("NaN"), None), (d("Infinity"), None), (d(1e300), None),
                              (d(2.0**63), None), (d(-2.0**63), -9223372036854775808), (t("45"), None), (b(True), None),
                              (NULL, None), ({}, None)]:
            self.assertEqual(app_reader.integer(value), wanted, value)

    def test_time_loses_the_zeros_that_end_its_fraction(self):
        for spelled, wanted in [("2026-01-05T13:00:00Z", "2026-01-05T13:00:00Z"),
                                ("2026-01-05T13:00:00.0Z", "2026-01-05T13:00:00Z"),
                                ("2026-01-05T13:00:00.000000000Z", "2026-01-05T13:00:00Z"),
                                ("2026-01-05T13:00:00.120Z", "2026-01-05T13:00:00.12Z"),
                                ("2026-01-05T13:00:00.000001Z", "2026-01-05T13:00:00.000001Z"),
                                ("2026-01-05T13:00:00.123456789Z", "2026-01-05T13:00:00.123456789Z"),
                                ("2026-01-05T13:00:10Z", "2026-01-05T13:00:10Z")]:
            self.assertEqual(app_reader.time(at(spelled)), wanted)
        self.assertIsNone(app_reader.time(t("2026-01-05T13:00:00Z")))

    def test_another_type_is_missing(self):
        fields = {"nombre": n(5), "isActive": n(0), "asistio": t("true"), "photoURL": {"referenceValue": "x"}}
        self.assertEqual(app_reader.cast(fields, "nombre", app_reader.text, ""), "")
        self.assertIs(app_reader.cast(fields, "isActive", app_reader.boolean, True), True)
        self.assertIs(app_reader.cast(fields, "asistio", app_reader.boolean, False), False)
        self.assertIsNone(app_reader.cast(fields, "photoURL", app_reader.text))

    def test_a_present_false_or_empty_text_is_no_default(self):
        self.assertIs(app_reader.cast({"isActive": b(False)}, "isActive", app_reader.boolean, True), False)
        self.assertEqual(app_reader.cast({"photoURL": t("")}, "photoURL", app_reader.text), "")


class Models(unittest.TestCase):
    def test_class_of_android(self):
        fields = {"nombre": t("Box"), "fecha": at("2026-01-05T06:00:00Z"), "horaInicio": t("07:30"), "duracionMin": n(60),
                  "capacidadMax": d(20.0), "gymId": t("sajarubox"), "createdAt": at("2025-12-16T06:00:00.500Z"),
                  "updatedAt": at("2025-12-17T06:00:00Z")}
        self.assertEqual(app_reader.read("classes/c1", fields), ("GymClass", {
            "id": "c1", "name": "Box", "date": "2026-01-05T06:00:00Z", "startTime": "07:30", "durationMinutes": 60,
            "maxCapacity": 20, "gymId": "sajarubox", "description": None, "isActive": True, "recurrenceGroupId": None,
            "createdAt": "2025-12-16T06:00:00.5Z", "updatedAt": "2025-12-17T06:00:00Z"}))

    def test_class_of_ios(self):
        fields = {"nombre": t("Yoga"), "isActive": b(False), "description": t("Suave"), "recurrenceGroupId": t("r1")}
        _, read = app_reader.read("classes/c2", fields)
        self.assertEqual((read["isActive"], read["description"], read["recurrenceGroupId"]), (False, "Suave", "r1"))

    def test_nothing_but_defaults(self):
        self.assertEqual(app_reader.read("classes/c", {}), ("GymClass", {
            "id": "c", "name": "", "date": None, "startTime": "", "durationMinutes": 0, "maxCapacity": 0, "gymId": "",
            "description": None, "isActive": True, "recurrenceGroupId": None, "createdAt": None, "updatedAt": None}))
        self.assertEqual(app_reader.read("classBookings/k", {}), ("ClassBooking", {
            "id": "k", "classId": "", "userId": "", "gymId": "", "status": "", "createdAt": None}))
        self.assertEqual(app_reader.read("classAttendance/a", {}), ("ClassAttendance", {
            "id": "a", "classId": "", "userId": None, "memberId": None, "attended": False, "timestamp": None}))
        self.assertEqual(app_reader.read("groups/g", {}), ("FBGroup", {
            "id": "g", "name": "", "createdAt": None, "createdBy": "", "memberCount": 0, "isActive": True}))
        self.assertEqual(app_reader.read("groups/g/members/u", {}), ("FBMember", {
            "id": "u", "displayName": "", "photoURL": None, "joinedAt": None, "role": "", "isActive": True}))
        self.assertEqual(app_reader.read("users/u", {}), ("AppUser", {
            "id": "u", "email": None, "fullName": None, "firstName": None, "paternalLastName": None, "maternalLastName": None,
            "phone": None, "isActive": True, "role": None, "photoURL": None, "onboardingCompleted": False,
            "linkedMemberId": None, "createdAt": None, "updatedAt": None, "era": "unknown"}))

    def test_booking_attendance_group_and_member(self):
        self.assertEqual(app_reader.read("classBookings/k", texts(classId="c", userId="u", estado="activa"))[1]["status"],
                         "activa")
        self.assertEqual(app_reader.read("classAttendance/a", {"asistio": b(True), "memberId": t("m")})[1],
                         {"id": "a", "classId": "", "userId": None, "memberId": "m", "attended": True, "timestamp": None})
        self.assertEqual(app_reader.read("groups/g", {"memberCount": n(3), "isActive": b(False)})[1]["memberCount"], 3)
        self.assertEqual(app_reader.read("groups/g/members/u", {"photoURL": NULL, "role": t("admin")})[1]["role"], "admin")

    def test_other_documents_are_passed_over(self):
        for path in ["members/m", "payments/p", "users/u/notes/n", "groups/g/members/u/x/y", "clubs/g/members/u"]:
            self.assertIsNone(app_reader.read(path, {}))

    def test_sorted_by_the_bytes_of_the_path(self):
        paths = ["users/b", "users/é", "users/a", "groups/g/members/u", "groups/g", "groups/g-1", "users/\uffff",
                 "users/\U0001f600"]
        self.assertEqual([line["path"] for line in app_reader.report({path: {} for path in paths})],
                         ["groups/g", "groups/g-1", "groups/g/members/u", "users/a", "users/b", "users/é", "users/\uffff",
                          "users/\U0001f600"])


class Users(unittest.TestCase):
    def read(self, **fields):
        fields = {name: value if isinstance(value, dict) else t(value) for name, value in fields.items()}
        return app_reader.read("users/u", fields)[1]

    def test_full_name_first(self):
        self.assertEqual(self.read(fullName=" Ana  López", firstName="Eva", nombre="Ida")["fullName"], " Ana  López")

    def test_full_name_from_the_unified_parts(self):
        for blank in ["", " \t\n", "\u00a0\u3000", NULL, n(5), {"arrayValue": {}}]:
            read = self.read(fullName=blank, firstName="Ana", paternalLastName="López", maternalLastName=" ", nombre="Eva")
            self.assertEqual(read["fullName"], "Ana López")

    def test_full_name_from_androids_parts(self):
        self.assertEqual(self.read(nombre="Ana", primerApellido="López", segundoApellido="Ruiz")["fullName"],
                         "Ana López Ruiz")
        self.assertEqual(self.read(nombre="Ana", primerApellido="", segundoApellido="Ruiz")["fullName"], "Ana Ruiz")
        self.assertEqual(self.read(primerApellido="López")["fullName"], "López")
        # Each part by itself, the unified one first.
        self.assertEqual(self.read(firstName=" ", paternalLastName="Cruz", nombre="Ana")["fullName"], "Ana Cruz")
        self.assertEqual(self.read(paternalLastName="Cruz", primerApellido="Mora")["fullName"], "Cruz")

    def test_a_zero_width_space_is_not_blank(self):
        self.assertEqual(self.read(fullName="\u200b", firstName="Ana")["fullName"], "\u200b")

    def test_parts_field_by_field(self):
        read = self.read(firstName="Ana", paternalLastName=" ", nombre="Eva", primerApellido="López", segundoApellido="\t")
        self.assertEqual((read["firstName"], read["paternalLastName"], read["maternalLastName"]), ("Ana", "López", None))

    def test_full_name_is_never_split(self):
        read = self.read(fullName="Ana López Ruiz")
        self.assertEqual((read["firstName"], read["paternalLastName"], read["maternalLastName"]), (None, None, None))

    def test_phone(self):
        self.assertEqual(self.read(phone="0721", telefono="99")["phone"], "0721")
        self.assertEqual(self.read(phone=" ", telefono="99")["phone"], "99")
        self.assertEqual(self.read(phone=n(72), telefono="99")["phone"], "99")
        self.assertIsNone(self.read(telefono=n(99))["phone"])

    def test_is_active(self):
        for unified, android, wanted in [(b(False), b(True), False), (b(True), b(False), True), (NULL, b(False), False),
                                         (n(0), b(False), False), (t("false"), t("no"), True), (NULL, NULL, True)]:
            self.assertIs(self.read(isActive=unified, activo=android)["isActive"], wanted)

    def test_the_rest(self):
        read = self.read(role="owner", email="", photoURL=NULL, linkedMemberId=n(4), onboardingCompleted=b(True),
                         createdAt=at("2025-01-01T00:00:00.10Z"), updatedAt=t("2025-01-01T00:00:00Z"), id="another")
        self.assertEqual(read["role"], "owner")
        self.assertEqual(read["email"], "")
        self.assertIsNone(read["photoURL"])
        self.assertIsNone(read["linkedMemberId"])
        self.assertIs(read["onboardingCompleted"], True)
        self.assertEqual((read["createdAt"], read["updatedAt"]), ("2025-01-01T00:00:00.1Z", None))
        self.assertEqual(read["id"], "u")
        self.assertIs(self.read(onboardingCompleted="true")["onboardingCompleted"], False)

    def test_era(self):
        for fields, wanted in [
                ({"nombre": "Ana", "telefono": "72"}, "android"),
                ({"activo": b(False)}, "android"),
                ({"nombre": "Ana", "fullName": NULL, "phone": NULL}, "android"),
                ({"fullName": "Ana López", "firstName": "Ana", "isActive": b(True)}, "unified"),
                ({"fullName": "Ana López", "firstName": "", "isActive": n(1), "nombre": NULL}, "unified"),
                ({"fullName": "Ana López", "firstName": "Ana"}, "unknown"),
                ({"fullName": "Ana López", "phone": "72"}, "ios"),
                ({"fullName": "Ana López", "firstName": NULL, "isActive": b(True)}, "ios"),
                ({"fullName": "Ana López", "nombre": "Ana"}, "mixed"),
                ({"isActive": b(True), "activo": b(True)}, "mixed"),
                ({"phone": "72"}, "unknown"),
                ({"firstName": "Ana", "isActive": b(True)}, "unknown"),
                ({"email": "ana@example.com", "role": "member"}, "unknown"),
                ({"nombre": NULL}, "unknown")]:
            self.assertEqual(self.read(**fields)["era"], wanted, fields)


class RandomDocuments(unittest.TestCase):
    def test_a_seed_gives_the_same_documents(self):
        one = run("app_reader.py", "--random", 5, 60)
        self.assertEqual(one, run("app_reader.py", "--random", 5, 60))
        self.assertNotEqual(one, run("app_reader.py", "--random", 6, 60))
        self.assertTrue(run("app_reader.py", "--random", 5, 70).startswith(one))

    def test_what_they_are(self):
        maker = app_reader.Maker(11)
        documents = [maker.document() for _ in range(3000)]
        paths = {document["name"] for document in documents}
        self.assertEqual(len(paths), 3000)
        kinds, types, fractions, eras = set(), set(), set(), set()
        for document in documents:
            kind, read = app_reader.read(document["name"], document.get("fields", {}))
            kinds.add(kind)
            eras.add(read.get("era"))
            if kind != "AppUser":
                self.assertNotIn("id", document.get("fields", {}))
            for value in document.get("fields", {}).values():
                self.assertEqual(len(value), 1)
                types |= value.keys()
                if "timestampValue" in value:
                    found = re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z", value["timestampValue"])
                    fractions.add(len((found[1] or ".")[1:]))
        self.assertEqual(kinds, {"AppUser", "FBGroup", "FBMember", "GymClass", "ClassBooking", "ClassAttendance"})
        self.assertEqual(types, {kind + "Value" for kind in ("string", "integer", "double", "boolean", "timestamp", "null",
                                                             "bytes", "reference", "geoPoint", "array", "map")})
        self.assertEqual(fractions, set(range(10)))
        self.assertEqual(eras, {"android", "unified", "ios", "mixed", "unknown", None})

    def test_printed_and_read_again(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "all.jsonl").write_text(run("app_reader.py", "--random", 3, 200), encoding="utf-8")
            lines = [json.loads(line) for line in run("app_reader.py", folder).split("\n") if line]
        self.assertEqual(len(lines), 200)
        self.assertEqual([line["path"] for line in lines], sorted((line["path"] for line in lines), key=str.encode))


def lesson(name, day, start, capacity=20, **more):
    return {"nombre": t(name), "fecha": at(day), "horaInicio": t(start), "capacidadMax": n(capacity)} | more


# Midnight in Mexico City is 06:00Z since the autumn of 2022; 2026-01-05 is a Monday.
CLASSES = {
    "classes/monday": lesson("Yoga", "2026-01-05T06:00:00Z", "07:00", 3),
    "classes/before": lesson("Yoga", "2026-01-05T05:59:59.999999999Z", "07:00"),
    "classes/sunday": lesson("Box", "2026-01-12T05:59:59.999Z", "18:00", isActive=b(True)),
    "classes/after": lesson("Box", "2026-01-12T06:00:00Z", "18:00"),
    "classes/b": lesson("Zumba", "2026-01-07T06:00:00Z", "07:00"),
    "classes/a": lesson("Zumba", "2026-01-07T12:00:00Z", "07:00", isActive=t("no")),
    "classes/c": lesson("Ágil", "2026-01-07T06:00:00Z", "07:00", isActive=NULL),
    "classes/early": lesson("Zumba", "2026-01-07T06:00:00Z", "06:30"),
    "classes/dawn": lesson("Zumba", "2026-01-07T06:00:00Z", "6:45", duracionMin=t("45")),
    "classes/off": lesson("Zumba", "2026-01-07T06:00:00Z", "06:00", isActive=b(False)),
    "classes/bare": {"fecha": at("2026-01-08T00:00:00Z"), "capacidadMax": t("20")},
    "classes/undated": {"nombre": t("Sin fecha"), "horaInicio": t("09:00")},
    "classBookings/1": texts(classId="monday", userId="ana", estado="activa"),
    "classBookings/2": texts(classId="monday", userId="ana", estado="activa"),
    "classBookings/3": texts(classId="monday", userId="eva", estado="cancelada"),
    "classBookings/4": texts(classId="monday", userId="eva", estado="Activa"),
    "classBookings/5": texts(classId="sunday", userId="eva", estado="activa"),
    "classBookings/6": texts(userId="eva", estado="activa"),
    "members/M1": texts(firstName="Ana", paternalLastName="López", maternalLastName=" ", linkedUserId="ana"),
    "members/M2": texts(firstName="Beto", paternalLastName="Cruz", maternalLastName="Ruiz", linkedUserId=""),
    "members/M3": {},
    "users/ana": texts(fullName="Ana L."),
    "users/eva": texts(nombre="Eva", primerApellido="Sol"),
    "classAttendance/r1": {**texts(classId="monday", memberId="M2", userId="eva"), "asistio": b(True)},
    "classAttendance/r2": {**texts(classId="monday", userId="ana"), "asistio": b(True)},
    "classAttendance/r3": {**texts(classId="monday", memberId="", userId="eva"), "asistio": b(False)},
    "classAttendance/r4": texts(classId="monday", memberId="M1"),
    "classAttendance/r5": texts(classId="monday", memberId="M9", userId="ana"),
    "classAttendance/r6": {**texts(classId="gone", memberId="M1"), "asistio": b(True), "timestamp": at("2026-02-01T05:00:00Z")},
    "classAttendance/r7": {**texts(classId="undated", memberId="M3"), "timestamp": at("2026-02-01T06:00:00Z")},
    "classAttendance/r8": {**texts(classId="before"), "asistio": t("true"), "timestamp": at("2026-02-01T06:00:00Z")},
}


def record(name, class_id, title, day, start, person, who, attended):
    return {"id": name, "classId": class_id, "class": title, "day": day, "start": start, "person": person, "name": who,
            "attended": attended}


MONDAY = ("monday", "Yoga", "2026-01-05", "07:00")
R1 = record("r1", *MONDAY, "M2", "Beto Cruz Ruiz", True)
R2 = record("r2", *MONDAY, "ana", "Ana L.", True)
R3 = record("r3", *MONDAY, "eva", "Eva Sol", False)
R4 = record("r4", *MONDAY, "M1", "Ana López", False)
R5 = record("r5", *MONDAY, "M9", "Ana L.", False)
R6 = record("r6", "gone", None, None, None, "M1", "Ana López", True)
R7 = record("r7", "undated", "Sin fecha", None, "09:00", "M3", None, False)
R8 = record("r8", "before", "Yoga", "2026-01-04", "07:00", None, None, False)


class Classes(unittest.TestCase):
    def setUp(self):
        self.gym = classes_reference.Gym(CLASSES)

    def test_local_days(self):
        for spelled, wanted in [("2026-01-05T05:59:59.9Z", "2026-01-04"), ("2026-01-05T06:00:00Z", "2026-01-05"),
                                # Summer time ended with the year 2022: an hour less before.
                                ("2022-07-02T05:00:00Z", "2022-07-02"), ("2022-07-02T04:59:59Z", "2022-07-01"),
                                ("2023-07-02T05:00:00Z", "2023-07-01"), ("0001-01-01T00:00:00Z", "0000-12-31"),
                                ("9999-12-31T23:59:59.999999999Z", "9999-12-31")]:
            self.assertEqual(classes_reference.day_of({"fecha": at(spelled)}, "fecha"), wanted)
        self.assertIsNone(classes_reference.day_of({"fecha": t("2026-01-05")}, "fecha"))

    def test_week(self):
        wanted = [
            {"day": "2026-01-05", "start": "07:00", "id": "monday", "name": "Yoga", "booked": 2, "capacity": 3, "minutes": None},
            {"day": "2026-01-07", "start": "", "id": "bare", "name": "", "booked": 0, "capacity": None, "minutes": None},
            {"day": "2026-01-07", "start": "06:30", "id": "early", "name": "Zumba", "booked": 0, "capacity": 20, "minutes": None},
            {"day": "2026-01-07", "start": "6:45", "id": "dawn", "name": "Zumba", "booked": 0, "capacity": 20, "minutes": None},
            {"day": "2026-01-07", "start": "07:00", "id": "a", "name": "Zumba", "booked": 0, "capacity": 20, "minutes": None},
            {"day": "2026-01-07", "start": "07:00", "id": "b", "name": "Zumba", "booked": 0, "capacity": 20, "minutes": None},
            {"day": "2026-01-07", "start": "07:00", "id": "c", "name": "Ágil", "booked": 0, "capacity": 20, "minutes": None},
            {"day": "2026-01-11", "start": "18:00", "id": "sunday", "name": "Box", "booked": 1, "capacity": 20, "minutes": None}]
        for day in (5, 8, 11):
            self.assertEqual(self.gym.week(datetime.date(2026, 1, day)), wanted)

    def test_the_weeks_around(self):
        self.assertEqual([line["id"] for line in self.gym.week(datetime.date(2026, 1, 4))], ["before"])
        self.assertEqual([line["id"] for line in self.gym.week(datetime.date(2026, 1, 12))], ["after"])
        self.assertEqual(self.gym.week(datetime.date(2026, 2, 12)), [])

    def test_attendance_of_a_class(self):
        self.assertEqual(self.gym.attendance(class_id="monday"),
                         [R2, R5, R4, R1, R3, {"records": 5, "attended": 2, "rate": 0.4}])
        self.assertEqual(self.gym.attendance(class_id="gone"), [R6, {"records": 1, "attended": 1, "rate": 1.0}])
        self.assertEqual(self.gym.attendance(class_id="early"), [{"records": 0, "attended": 0, "rate": None}])

    def test_attendance_of_a_member(self):
        # M1's own records, and those of the user whom it is linked with, also where they name another member.
        self.assertEqual(self.gym.attendance(member="M1"), [R2, R5, R4, R6, {"records": 4, "attended": 2, "rate": 0.5}])
        # An empty link is none: records without a userId are not M2's.
        self.assertEqual(self.gym.attendance(member="M2"), [R1, {"records": 1, "attended": 1, "rate": 1.0}])
        self.assertEqual(self.gym.attendance(member="eva"), [R1, R3, {"records": 2, "attended": 1, "rate": 0.5}])
        self.assertEqual(self.gym.attendance(member="M9"), [R5, {"records": 1, "attended": 0, "rate": 0.0}])
        self.assertEqual(self.gym.attendance(member="nobody")[-1]["records"], 0)

    def test_attendance_of_a_month(self):
        # r6's class is gone and its own time is still January in Mexico; r8's class decides, not its time.
        self.assertEqual(self.gym.attendance(month="2026-01"),
                         [R8, R2, R5, R4, R1, R3, R6, {"records": 7, "attended": 3, "rate": 3 / 7}])
        self.assertEqual(self.gym.attendance(month="2026-02"), [R7, {"records": 1, "attended": 0, "rate": 0.0}])

    def test_printed(self):
        with tempfile.TemporaryDirectory() as folder:
            write(folder, CLASSES)
            self.assertEqual(run("classes_reference.py", folder, "week", "2026-01-04"),
                             '{"day":"2026-01-04","start":"07:00","id":"before","name":"Yoga","booked":0,"capacity":20,"minutes":null}\n')
            printed = run("classes_reference.py", folder, "attendance", "--member", "M2").split("\n")
            self.assertEqual(printed, [json.dumps(R1, separators=(",", ":")), '{"records":1,"attended":1,"rate":1.0}', ""])
            for wrong in (["attendance"], ["attendance", "--month", "2026-13"], ["week", "2026-02-30"]):
                with self.assertRaises(subprocess.CalledProcessError):
                    run("classes_reference.py", folder, *wrong)


STAMPS = {"createdAt": at("2025-01-01T00:00:00Z"), "updatedAt": at("2025-01-01T00:00:00Z")}


def person(name, **more):
    return {"id": t(name), "email": t(f"{name}@example.com"), "role": t("admin"), **STAMPS} | more


def group(count, creator="ana", **more):
    return {"name": t("Los lunes"), "createdAt": at("2025-01-01T00:00:00Z"), "createdBy": t(creator), "memberCount": n(count),
            "isActive": b(True)} | more


def fellow(role="member", **more):
    return {"displayName": t("Ana"), "joinedAt": at("2025-01-01T00:00:00Z"), "role": t(role), "isActive": b(True)} | more


def clean():
    documents = {"app_config/setup": {"adminUserId": t("ana"), "createdAt": at("2025-01-01T00:00:00Z")}}
    documents |= {f"users/{name}": person(name) for name in ("ana", "eva", "ida")}
    documents |= {"groups/g1": group(2), "groups/g1/members/ana": fellow("admin"), "groups/g1/members/eva": fellow(),
                  "groups/g2": group(1, "eva"), "groups/g2/members/eva": fellow("admin")}
    return documents


class Check(unittest.TestCase):
    def check(self, *wanted, change=None, drop=(), **options):
        documents = clean() | (change or {})
        for name in drop:
            del documents[name]
        self.assertEqual(check_expected.Gym(documents, **options).check(),
                         sorted(map(list, wanted), key=lambda finding: json.dumps(finding, sort_keys=True)))

    def test_clean(self):
        self.check()

    def test_group_member_dangling(self):
        self.check(["group-member-dangling", "groups/g1/members/Eva", None, None],
                   change={"groups/g1": group(3), "groups/g1/members/Eva": fellow()})
        self.check(change={"groups/g1": group(3), "groups/g1/members/ida": fellow()})

    def test_a_user_who_is_gone_is_missed_everywhere(self):
        self.check(["group-member-dangling", "groups/g1/members/eva", None, None],
                   ["group-member-dangling", "groups/g2/members/eva", None, None],
                   ["created-by-dangling", "groups/g2", "createdBy", t("eva")], drop=["users/eva"])

    def test_group_member_of_missing_group(self):
        self.check(["group-missing", "groups/g1", None, None],
                   ["group-member-of-missing-group", "groups/g1/members/ana", None, None],
                   ["group-member-of-missing-group", "groups/g1/members/eva", None, None], drop=["groups/g1"])
        self.check(["group-missing", "groups/g3", None, None],
                   ["group-member-of-missing-group", "groups/g3/members/x", None, None],
                   ["group-member-dangling", "groups/g3/members/x", None, None], change={"groups/g3/members/x": fellow()})
        self.check(drop=["groups/g1", "groups/g1/members/ana", "groups/g1/members/eva"])

    def test_created_by(self):
        self.check(["created-by-dangling", "groups/g1", "createdBy", t("nobody")], change={"groups/g1": group(2, "nobody")})
        self.check(["created-by-dangling", "groups/g1", "createdBy", t("ana/x")], change={"groups/g1": group(2, "ana/x")})
        self.check(change={"groups/g1": group(2, "")})
        self.check(["foreign-key-missing", "groups/g1", "createdBy", None], change={"groups/g1": group(2, createdBy=NULL)})
        self.check(["wrong-type", "groups/g1", "createdBy", n(5)], change={"groups/g1": group(2, createdBy=n(5))})
        # Another field's key keeps its rule.
        self.check(["foreign-key-dangling", "users/ana", "linkedMemberId", t("m")],
                   change={"users/ana": person("ana", linkedMemberId=t("m"))})

    def test_current_group(self):
        def of(user, value):
            return {f"users/{user}": person(user, currentGroupId=value)}

        self.check(change=of("ana", t("g1")))
        self.check(change=of("eva", t("g2")))
        for value in (t(""), NULL):
            self.check(change=of("ana", value))
        for value in ("g9", "G1", "g1/members/ana", " "):
            self.check(["current-group", "users/ana", "currentGroupId", t(value)], change=of("ana", t(value)))
        self.check(["current-group", "users/ana", "currentGroupId", t("g2")], change=of("ana", t("g2")))
        self.check(["current-group", "users/ida", "currentGroupId", t("g1")], change=of("ida", t("g1")))
        # One who is not active is a member too.
        self.check(change=of("eva", t("g1")) | {"groups/g1/members/eva": fellow(isActive=b(False))})

    def test_current_group_that_has_only_members(self):
        self.check(["current-group", "users/ana", "currentGroupId", t("g3")], ["group-missing", "groups/g3", None, None],
                   ["group-member-of-missing-group", "groups/g3/members/ana", None, None],
                   change={"users/ana": person("ana", currentGroupId=t("g3")), "groups/g3/members/ana": fellow()})

    def test_names_bucket(self):
        for address in ["gs://sajarubox_test/f/1.jpg", "gs://sajarubox_test/", "GS://sajarubox_test/1.jpg",
                        "gs://sajarubox%5Ftest/1.jpg",
                        "https://storage.googleapis.com/sajarubox_test/1.jpg",
                        "http://STORAGE.googleapis.COM/sajarubox_test/1.jpg",
                        "https://storage.googleapis.com/sajarubox%5ftest/1.jpg?x=1",
                        "https://storage.googleapis.com/%73ajarubox_test/1.jpg",
                        "https://firebasestorage.googleapis.com/v0/b/sajarubox_test/o/f%2F1.jpg?alt=media&token=0f",
                        "http://FirebaseStorage.googleapis.com/v0/b/sajarubox%5Ftest/o/1.jpg",
                        "https://sajarubox_test.storage.googleapis.com/1.jpg",
                        "https://SAJARUBOX_TEST.Storage.googleapis.com/1.jpg"]:
            self.assertTrue(check_expected.names_bucket(address, "sajarubox_test"), address)

    def test_names_no_bucket(self):
        for address in ["gs://sajarubox_test2/1.jpg", "gs://sajarubox_tes/1.jpg", "gs://xsajarubox_test/1.jpg",
                        "gs://sajarubox_test%32/1.jpg", "gs://otro/sajarubox_test/1.jpg", "gs://sajarubox%255Ftest/1.jpg",
                        "gs://sajarubox_test", "gs://sajarubox_test%2F1.jpg", "gs://SAJARUBOX_TEST/1.jpg",
                        "sajarubox_test", "", " gs://sajarubox_test/1.jpg", "ftp://storage.googleapis.com/sajarubox_test/1.jpg",
                        "https://storage.googleapis.com/sajarubox_test2/1.jpg",
                        "https://storage.googleapis.com/sajarubox_test",
                        "https://storage.googleapis.com/sajarubox_test?a=/",
                        "https://storage.googleapis.com/SAJARUBOX_TEST/1.jpg",
                        "https://storage.googleapis.com/otro/sajarubox_test/1.jpg",
                        "https://storage.googleapis.com.example.com/sajarubox_test/1.jpg",
                        "https://example.com/?u=https://storage.googleapis.com/sajarubox_test/1.jpg",
                        "https://storage-googleapis-com/sajarubox_test/1.jpg",
                        "https://firebasestorage.googleapis.com/v0/b/sajarubox_test2/o/1.jpg",
                        "https://firebasestorage.googleapis.com/v0/b/otro/o/b/sajarubox_test/o/1.jpg",
                        "https://firebasestorage.googleapis.com/sajarubox_test/1.jpg",
                        "https://sajarubox_test2.storage.googleapis.com/1.jpg",
                        "https://x.sajarubox_test.storage.googleapis.com/1.jpg",
                        "https://sajarubox_test.example.com/1.jpg",
                        "https://otro.storage.googleapis.com/sajarubox_test/1.jpg"]:
            self.assertFalse(check_expected.names_bucket(address, "sajarubox_test"), address)

    def test_foreign_bucket(self):
        value = t("gs://sajarubox_test/1.jpg")
        change = {"users/ana": person("ana", photoURL=value), "users/eva": person("eva", imageURL=value, fotoURL=value),
                  "groups/g1/members/ana": fellow("admin", photoURL=value),
                  "groups/g1": group(2, imageURL=value),
                  "groups/g2/members/eva": fellow("admin", photoURL=t("gs://sajarubox_test2/1.jpg"))}
        found = [["foreign-bucket", "users/ana", "photoURL", value], ["foreign-bucket", "users/eva", "imageURL", value],
                 ["foreign-bucket", "groups/g1/members/ana", "photoURL", value],
                 ["foreign-bucket", "groups/g1", "imageURL", value]]
        self.check(*found, change=change, bucket="sajarubox_prod", foreign=["sajarubox_stage", "sajarubox_test"])
        self.check(change=change, bucket="sajarubox_test", foreign=["sajarubox_stage", "sajarubox_prod"])
        self.check(change=change, bucket="sajarubox_test", foreign=["sajarubox_test"])
        self.check(change=change, bucket="sajarubox_prod")
        self.check(change=change)

    def test_a_picture_of_another_type(self):
        self.check(change={"groups/g1": group(2, imageURL={"arrayValue": {"values": [t("gs://sajarubox_test/1.jpg")]}})},
                   foreign=["sajarubox_test"])

    def test_printed_and_compared(self):
        with tempfile.TemporaryDirectory() as folder:
            value = t("gs://sajarubox_test/1.jpg")
            write(folder, clean() | {"users/ana": person("ana", photoURL=value)})
            options = ["--bucket", "sajarubox_prod", "--foreign", "sajarubox_test,sajarubox_stage"]
            self.assertEqual(json.loads(run("check_expected.py", folder, *options)),
                             ["foreign-bucket", "users/ana", "photoURL", value])
            self.assertEqual(run("check_expected.py", folder), "")
            printed = Path(folder, "found.json")
            printed.write_text(json.dumps({"findings": [
                {"rule": "foreign-bucket", "path": "users/ana", "field": "photoURL", "value": value}]}))
            self.assertIn("1 findings of 1 rules compared",
                          run("check_expected.py", folder, *options, "--compare", printed))
            with self.assertRaises(subprocess.CalledProcessError):
                run("check_expected.py", folder, "--compare", printed)


RULES = {"group-member-dangling", "group-member-of-missing-group", "created-by-dangling", "current-group",
         "current-group", "foreign-bucket"}


class Damage(unittest.TestCase):
    def gym(self):
        names = [f"u{number}A" for number in range(60)]
        documents = {"app_config/setup": {"adminUserId": t(names[0]), "createdAt": at("2025-01-01T00:00:00Z")}}
        documents |= {f"users/{name}": person(name) for name in names}
        for number in range(12):
            documents[f"groups/g{number}"] = group(3, names[number])
            documents |= {f"groups/g{number}/members/{names[number + step]}": fellow("member" if step else "admin")
                          for step in (0, 12, 24)}
        return documents

    def test_what_it_says_is_found(self):
        self.assertEqual(check_expected.Gym(self.gym()).check(), [])
        changes, rules = set(), set()
        with tempfile.TemporaryDirectory() as folder:
            write(folder, self.gym())
            for seed in range(25):
                damaged = check_damage_groups.Gym(seed, "sajarubox_prod", ["sajarubox_test", "sajarubox_stage"])
                files = list(damaged.load(folder))
                damaged.damage(40)
                out = Path(folder, f"out{seed}")
                damaged.write(files, out)
                found = defaultdict(set)
                for rule, path, field, _ in check_expected.Gym(check_expected.load(out), "sajarubox_prod",
                                                               ["sajarubox_test", "sajarubox_stage"]).check():
                    if rule in RULES:
                        found[path, field].add(rule)
                        rules.add(rule)
                for change, path, field, wanted in damaged.said:
                    changes.add(change)
                    self.assertEqual(found[path, field] - {"group-member-dangling"} if change == "group-gone"
                                     else found[path, field], set(wanted), (seed, change, path))
        self.assertEqual(rules, RULES)
        self.assertEqual(len(changes), 21)

    def test_a_seed_gives_the_same_bytes_and_leaves_the_rest(self):
        with tempfile.TemporaryDirectory() as folder:
            write(folder, self.gym())
            # A spelling of its own shows that an untouched line keeps its bytes.
            plain = '{"name": "products/p", "fields": {"price": {"doubleValue": 15.00}}, "updateTime": "2025-01-01T00:00:00Z"}\n'
            Path(folder, "products.jsonl").write_text(plain)
            said = [run("check_damage_groups.py", folder, seed, Path(folder, out), "--count", 10)
                    for seed, out in ((4, "one"), (4, "two"), (5, "three"))]
            self.assertEqual(said[0], said[1])
            self.assertNotEqual(said[0], said[2])
            names = sorted(path.name for path in Path(folder).glob("*.jsonl"))
            for name in names:
                self.assertEqual(Path(folder, "one", name).read_bytes(), Path(folder, "two", name).read_bytes())
            self.assertEqual(sorted(path.name for path in Path(folder, "one").iterdir()), names)
            if "products/p" not in said[0]:
                self.assertEqual(Path(folder, "one", "products.jsonl").read_text(), plain)
            before = {line for name in names for line in Path(folder, name).read_text().split("\n")}
            after = {line for name in names for line in Path(folder, "one", name).read_text().split("\n")}
            self.assertLessEqual(len(after - before), 2 * len(said[0].split("\n")))


if __name__ == "__main__":
    unittest.main()

"""Cases worked out by hand from the Decisions of the domain page. Run: python3 -m unittest discover Tests/Oracle"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import expected  # noqa: E402

SERVER = {"timestampValue": "SERVER_TIME"}
OLD = {"timestampValue": "2025-01-01T00:00:00Z"}


def encoded(value):
    if isinstance(value, dict):
        return value
    if value is None:
        return {"nullValue": None}
    if isinstance(value, bool):
        return {"booleanValue": value}
    if isinstance(value, int):
        return {"integerValue": str(value)}
    return {"stringValue": value}


def database(documents):
    made = expected.Database()
    for name, fields in documents.items():
        made.put(name, {"name": name, "fields": {field: encoded(value) for field, value in fields.items()}})
    return made


def plain(line):
    fields = json.loads(line)["fields"]
    return {field: next(iter(value.values())) for field, value in fields.items()}


# A user that needs nothing but what a test puts in or takes out.
REST = {"isActive": True, "role": "member", "onboardingCompleted": True, "updatedAt": OLD}


class Unify(unittest.TestCase):
    def unify(self, fields, accept=False, rest=REST):
        self.base = database({"users/u": {**rest, **fields}})
        before = self.base.lines["users/u"]
        self.report = expected.run(self.base, ["users-unify"], accept=accept)["users-unify"]
        after = self.base.lines["users/u"]
        self.changed = after != before
        self.assertEqual(self.report["written"], int(self.changed))
        old, new = plain(before), plain(after)
        if self.changed:
            self.assertEqual(new.pop("updatedAt"), "SERVER_TIME")
            old.pop("updatedAt", None)
        self.assertEqual([f for f in old if f not in new], [], "nothing is removed")
        return {f: v for f, v in new.items() if f not in old or old[f] != v}

    def reasons(self):
        return [entry["reason"] for entry in self.report["lists"]["review"]]

    def proposed(self):
        return self.report["lists"]["review"][0]["proposed"]

    # What each era needs.

    def test_unified_is_left_alone(self):
        fields = {"fullName": "Ana López Ruiz", "firstName": "Ana", "paternalLastName": "López",
                  "maternalLastName": "Ruiz", "phone": "7290000000"}
        self.assertEqual(self.unify(fields), {})
        self.assertFalse(self.changed)
        self.assertEqual(self.reasons(), [])

    def test_ios(self):
        self.assertEqual(self.unify({"fullName": "Ana López Ruiz", "phone": "7290000000"}),
                         {"firstName": "Ana", "paternalLastName": "López", "maternalLastName": "Ruiz"})
        self.assertEqual(self.reasons(), [])

    def test_ios_two_names_has_no_maternal(self):
        self.assertEqual(self.unify({"fullName": "Ana López"}), {"firstName": "Ana", "paternalLastName": "López"})
        self.assertEqual(self.reasons(), [])

    def test_android(self):
        fields = {"nombre": "Ana", "primerApellido": "López", "segundoApellido": "Ruiz", "telefono": "0290000000",
                  "activo": False, "role": "member"}
        self.assertEqual(self.unify(fields, rest={}), {
            "fullName": "Ana López Ruiz", "firstName": "Ana", "paternalLastName": "López", "maternalLastName": "Ruiz",
            "phone": "0290000000", "isActive": False, "onboardingCompleted": False})
        self.assertEqual(self.reasons(), [])

    def test_android_without_maternal(self):
        self.assertEqual(self.unify({"nombre": "Ana", "primerApellido": "López"}),
                         {"fullName": "Ana López", "firstName": "Ana", "paternalLastName": "López"})

    def test_android_particles_are_no_doubt(self):
        self.assertEqual(self.unify({"nombre": "Juan", "primerApellido": "de la Cruz"}),
                         {"fullName": "Juan de la Cruz", "firstName": "Juan", "paternalLastName": "de la Cruz"})
        self.assertEqual(self.reasons(), [])

    # Agreement.

    def test_android_parts_win_over_splitting(self):
        fields = {"fullName": "ana maria  LOPEZ ruiz", "nombre": "Ana María", "primerApellido": "López",
                  "segundoApellido": "Ruiz"}
        self.assertEqual(self.unify(fields),
                         {"firstName": "Ana María", "paternalLastName": "López", "maternalLastName": "Ruiz"})
        self.assertEqual(self.reasons(), [])

    def test_composed_and_decomposed_agree(self):
        fields = {"fullName": "Jose\u0301 Nu\u0301n\u0303ez", "nombre": "José", "primerApellido": "Núñez"}
        self.assertEqual(self.unify(fields), {"firstName": "José", "paternalLastName": "Núñez"})
        self.assertEqual(self.reasons(), [])

    def test_full_name_that_lacks_the_maternal_agrees(self):
        fields = {"fullName": "Ana López", "nombre": "Ana", "primerApellido": "López", "segundoApellido": "Ruiz"}
        self.assertEqual(self.unify(fields),
                         {"firstName": "Ana", "paternalLastName": "López", "maternalLastName": "Ruiz"})
        self.assertEqual(self.reasons(), [])

    def test_disagreement_is_listed_and_withheld(self):
        fields = {"fullName": "Ana López", "nombre": "Eva", "primerApellido": "López", "telefono": "7290000000"}
        self.assertEqual(self.unify(fields), {"phone": "7290000000"})
        self.assertEqual(self.reasons(), ["name-disagrees"])
        self.assertEqual(self.proposed(), {"firstName": "Ana", "paternalLastName": "López"})

    def test_disagreement_accepted_full_name_wins(self):
        fields = {"fullName": "Ana López", "nombre": "Eva", "primerApellido": "López"}
        self.assertEqual(self.unify(fields, accept=True), {"firstName": "Ana", "paternalLastName": "López"})

    def test_android_without_the_maternal_of_full_name_disagrees(self):
        self.assertEqual(self.unify({"fullName": "Ana López Ruiz", "nombre": "Ana", "primerApellido": "López"}), {})
        self.assertEqual(self.reasons(), ["name-disagrees"])

    # fullName alone.

    def test_one_unit(self):
        self.assertEqual(self.unify({"fullName": "Ana"}), {})
        self.assertEqual(self.reasons(), ["name-one-unit"])
        self.assertEqual(self.proposed(), {"firstName": "Ana"})

    def test_four_units(self):
        self.assertEqual(self.unify({"fullName": "Ana María López Ruiz", "isActive": None}), {"isActive": True})
        self.assertEqual(self.reasons(), ["name-many-units"])
        self.assertEqual(self.proposed(),
                         {"firstName": "Ana María", "paternalLastName": "López", "maternalLastName": "Ruiz"})

    def test_five_units_drop_no_token(self):
        self.assertEqual(self.unify({"fullName": "Ana María Eva López Ruiz"}, accept=True),
                         {"firstName": "Ana María Eva", "paternalLastName": "López", "maternalLastName": "Ruiz"})
        self.assertEqual(self.reasons(), ["name-many-units"])

    def test_particles(self):
        for name, parts, reasons in [
            ("Juan de la Cruz", ("Juan", "de la Cruz", None), ["name-particle"]),
            ("Juan DEL Río Paz", ("Juan", "DEL Río", "Paz"), ["name-particle"]),
            ("Eva San Martín Gil", ("Eva", "San Martín", "Gil"), ["name-particle"]),
            ("Eva Santa Cruz", ("Eva", "Santa Cruz", None), ["name-particle"]),
            ("Eva Mc Gill", ("Eva", "Mc Gill", None), ["name-particle"]),
            ("Eva Gil y Paz", ("Eva", "Gil", "y Paz"), ["name-particle"]),
            ("Otto von Linden", ("Otto", "von Linden", None), ["name-particle"]),
            ("Ana López de", ("Ana", "López de", None), ["name-particle"]),
            ("María del Carmen López Ruiz", ("María del Carmen", "López", "Ruiz"),
             ["name-many-units", "name-particle"]),
            ("de la Cruz", ("de la Cruz", None, None), ["name-one-unit", "name-particle"]),
        ]:
            with self.subTest(name):
                want = {p: v for p, v in zip(expected.PARTS, parts) if v}
                self.assertEqual(self.unify({"fullName": name}), {})
                self.assertEqual(self.reasons(), reasons)
                self.assertEqual(self.proposed(), want)
                self.assertEqual(self.unify({"fullName": name}, accept=True), want)

    def test_a_name_that_begins_like_a_particle_is_none(self):
        self.assertEqual(self.unify({"fullName": "Delia Sandoval Mcrae"}),
                         {"firstName": "Delia", "paternalLastName": "Sandoval", "maternalLastName": "Mcrae"})

    # Missing, tidy.

    def test_null_and_blank_are_missing(self):
        fields = {"fullName": " \t\n", "firstName": None, "paternalLastName": "\u00a0", "nombre": "Ana",
                  "primerApellido": "López", "phone": "  ", "telefono": "7290000000", "isActive": None,
                  "onboardingCompleted": None}
        self.assertEqual(self.unify(fields), {
            "fullName": "Ana López", "firstName": "Ana", "paternalLastName": "López", "phone": "7290000000",
            "isActive": True, "onboardingCompleted": False})

    def test_parts_are_tidied_legacy_and_full_name_keep_their_bytes(self):
        fields = {"fullName": " Ana  María López", "nombre": "Ana \t María ", "primerApellido": " López\n",
                  "telefono": " 729  000 0000 "}
        self.assertEqual(self.unify(fields),
                         {"firstName": "Ana María", "paternalLastName": "López", "phone": "729 000 0000"})

    def test_standing_unified_field_is_never_rewritten(self):
        fields = {"fullName": " Ana  López", "firstName": " ana ", "phone": " 1 ", "telefono": "7290000000"}
        self.assertEqual(self.unify(fields), {"paternalLastName": "López"})

    def test_blank_phone_without_telefono_stays(self):
        self.unify({"fullName": "Ana López", "firstName": "Ana", "paternalLastName": "López", "phone": " "})
        self.assertFalse(self.changed)

    # Required parts, standing parts.

    def test_nombre_without_primer_apellido(self):
        self.assertEqual(self.unify({"nombre": " Ana "}), {"firstName": "Ana"})
        self.assertEqual(self.reasons(), ["required-part-missing"])

    def test_primer_apellido_without_nombre(self):
        self.assertEqual(self.unify({"primerApellido": "López"}), {})
        self.assertEqual(self.reasons(), ["required-part-missing"])

    def test_missing_parts_come_from_android(self):
        fields = {"fullName": "Ana López Ruiz", "firstName": "ANA", "nombre": "Ana", "primerApellido": "López",
                  "segundoApellido": "Ruiz"}
        self.assertEqual(self.unify(fields), {"paternalLastName": "López", "maternalLastName": "Ruiz"})
        self.assertEqual(self.reasons(), [])

    def test_missing_parts_of_a_doubtful_full_name_are_withheld(self):
        fields = {"fullName": "Ana María López Ruiz", "firstName": "Ana María", "paternalLastName": "López"}
        self.assertEqual(self.unify(fields), {})
        self.assertEqual(self.reasons(), ["name-many-units"])
        self.assertEqual(self.proposed(), {"maternalLastName": "Ruiz"})

    def test_doubtful_full_name_with_nothing_missing_is_not_listed(self):
        fields = {"fullName": "Juan de la Cruz", "firstName": "Juan", "paternalLastName": "de la Cruz"}
        self.assertEqual(self.unify(fields), {})
        self.assertEqual(self.reasons(), [])

    def test_standing_parts_that_say_the_whole_name_are_not_split_again(self):
        fields = {"fullName": "Ana María López", "firstName": "Ana María", "paternalLastName": "López"}
        self.assertEqual(self.unify(fields, accept=True), {})
        self.assertEqual(self.reasons(), [])

    def test_full_name_is_joined_from_standing_parts(self):
        self.assertEqual(self.unify({"firstName": " Ana ", "paternalLastName": "López", "maternalLastName": "Ruiz"}),
                         {"fullName": "Ana López Ruiz"})

    def test_standing_part_against_android(self):
        fields = {"firstName": "Eva", "nombre": "Ana", "primerApellido": "López"}
        self.assertEqual(self.unify(fields, accept=True), {})
        self.assertEqual(self.reasons(), ["name-disagrees"])

    def test_disagreement_is_listed_where_nothing_is_left_to_fill(self):
        whole = {"fullName": "Ana López", "firstName": "Ana", "paternalLastName": "López"}
        for fields, reasons in [
            ({**whole, "nombre": "Inés", "primerApellido": "López"}, ["name-disagrees"]),
            ({**whole, "nombre": "ANA", "primerApellido": "lopez"}, []),
            ({**whole, "nombre": "Ana"}, []),
            ({**whole, "maternalLastName": "Ruiz", "primerApellido": "López"}, []),
            ({**whole, "segundoApellido": "Ruiz"}, ["name-disagrees"]),
            ({**whole, "fullName": "Eva Gil"}, ["name-disagrees"]),
            ({**whole, "maternalLastName": "Ruiz"}, []),
            ({**whole, "fullName": "Ana Gil López"}, ["name-disagrees"]),
            ({**whole, "fullName": " Ana "}, ["name-disagrees"]),
            ({**whole, "fullName": "López, Ana"}, []),
        ]:
            with self.subTest(fields):
                self.assertEqual(self.unify(fields, accept=True), {})
                self.assertEqual(self.reasons(), reasons)
        fields = {"firstName": "Eva", "paternalLastName": "Gil", "nombre": "Ana"}
        self.assertEqual(self.unify(fields), {})
        self.assertEqual((self.reasons(), self.proposed()), (["name-disagrees"], {"fullName": "Eva Gil"}))

    def test_unusual_words(self):
        for name in [
            "Ana López (hija)", "Ana López 2", "Ana - López", "Ana M. López", "Ana M López", "Ma. Luisa López", "Lic Ana López",
            "DOÑA Ana López", "Ana López Jr", "Ana Vda. López", "C.P. Ana López", "Ana López-", "'Ana López", "Ana Ló--pez",
            "Ana 😀", "M.", "Mª Luisa López", "李 明", "E\u0301 López", "Ana\u2010Luz López",
        ]:
            with self.subTest(name):
                self.assertEqual(self.unify({"fullName": name}), {})
                self.assertEqual(self.reasons()[0], "name-unusual")
                self.assertEqual(self.report["findings"][0]["code"], "name-unusual")
        for name in ["Ana O'Farrill", "Ana D\u2019Angelo Ruiz-Gil", "Ana D\u02bcAngelo", "Иван Петров", "राजेश कुमार",
                     "Ana Lo\u0301pez", "Ana Drago", "Ana Prófugo"]:
            with self.subTest(name):
                self.unify({"fullName": name})
                self.assertEqual(self.reasons(), [])

    def test_what_stands_before_the_comma_goes_behind(self):
        for name, parts in [
            ("López, Ana", ("Ana", "López", None)), ("López Ruiz,Ana María", ("Ana María", "López", "Ruiz")),
            ("de la Cruz Gil, Ana", ("Ana", "de la Cruz", "Gil")), ("López, Ana,", ("López,", "Ana,", None)),
            ("López, Lic. Ana", ("López,", "Lic.", "Ana")), ("López,", ("López,", None, None)),
        ]:
            with self.subTest(name):
                self.unify({"fullName": name})
                self.assertEqual(self.proposed(), {p: v for p, v in zip(expected.PARTS, parts) if v})

    def test_given_name_as_second_word_is_noted(self):
        self.assertEqual(len(expected.GIVEN_NAMES), 60)
        parts = {"firstName": "JOSE", "paternalLastName": "LUIS", "maternalLastName": "PEREZ"}
        self.assertEqual(self.unify({"fullName": "JOSE LUIS PEREZ"}), parts)
        self.assertEqual((self.reasons(), self.report["findings"][0]["code"]), ([], "name-two-given"))
        self.unify({"fullName": "JOSE LUIS PEREZ", **parts})
        self.assertEqual(self.report["findings"], [])
        for name in ["José Luis", "Ana Pérez Luis", "José Luis Pérez Gil"]:
            self.unify({"fullName": name})
            self.assertNotIn("name-two-given", [f["code"] for f in self.report["findings"]])

    def test_android_part_without_a_letter(self):
        self.assertEqual(self.unify({"nombre": "Ana", "primerApellido": "."}), {})
        self.assertEqual(self.reasons(), ["name-unusual"])
        self.assertEqual(self.proposed(), {"firstName": "Ana", "paternalLastName": ".", "fullName": "Ana ."})
        self.assertEqual(self.unify({"nombre": "Ma. Luz", "primerApellido": "López"}),
                         {"firstName": "Ma. Luz", "paternalLastName": "López", "fullName": "Ma. Luz López"})

    def test_no_name_at_all(self):
        self.assertEqual(self.unify({}), {})
        self.assertEqual(self.reasons(), [])

    # Types, activity, role.

    def test_wrong_type_blocks_the_whole_document(self):
        for field, value in [("activo", "si"), ("telefono", 7290000000), ("phone", 1), ("role", 1), ("fullName", True),
                             ("isActive", "true"), ("onboardingCompleted", 1), ("segundoApellido", False)]:
            with self.subTest(field):
                fields = {"fullName": "Ana López", "nombre": "Ana", "primerApellido": "López", field: value}
                self.assertEqual(self.unify(fields), {})
                self.assertFalse(self.changed)
                self.assertEqual(self.report["lists"]["wrongType"], [{
                    "document": "users/u", "reason": "wrong-type", "field": field,
                    "type": next(iter(encoded(value))), "value": encoded(value)}])
                self.assertEqual(self.reasons(), [])

    def test_email_of_a_wrong_type_does_not_block(self):
        self.assertEqual(self.unify({"fullName": "Ana López", "email": 7}),
                         {"firstName": "Ana", "paternalLastName": "López"})

    def test_active_disagrees(self):
        fields = {"fullName": "Ana López", "isActive": False, "activo": True}
        self.assertEqual(self.unify(fields), {"firstName": "Ana", "paternalLastName": "López"})
        self.assertEqual(self.reasons(), ["active-disagrees"])

    def test_active_agrees(self):
        self.unify({"isActive": False, "activo": False})
        self.assertFalse(self.changed)
        self.assertEqual(self.reasons(), [])

    def test_null_is_active_takes_activo(self):
        self.assertEqual(self.unify({"isActive": None, "activo": False}), {"isActive": False})

    def test_role_is_reported_never_invented(self):
        for value, roles in [
            (None, [{"document": "users/u", "reason": "role-missing"}]),
            ("", [{"document": "users/u", "reason": "role-missing"}]),
            ("owner", [{"document": "users/u", "reason": "role-deprecated", "value": "owner"}]),
            ("staff", [{"document": "users/u", "reason": "role-deprecated", "value": "staff"}]),
            ("guest", []),
        ]:
            with self.subTest(value):
                self.assertEqual(self.unify({"role": value}), {})
                self.assertEqual(self.report["lists"]["roles"], roles)

    def test_every_finding_has_its_code_and_field(self):
        whole = {"fullName": "Ana López", "firstName": "Ana", "paternalLastName": "López"}
        for fields, findings in [
            (whole, []),
            ({}, [("name-missing", "fullName")]),
            ({"fullName": " "}, [("name-missing", "fullName")]),
            ({"fullName": "Ana"}, [("name-one-word", "fullName")]),
            ({"fullName": "Ana María López Gil"}, [("name-many-words", "fullName")]),
            ({"fullName": "Juan de la Cruz"}, [("name-particle", "fullName")]),
            # Of two doubts the first of the page is reported.
            ({"fullName": "Ana María López Gil de la Cruz"}, [("name-many-words", "fullName")]),
            ({"fullName": "Ana López", "nombre": "Eva", "primerApellido": "Gil"}, [("name-disagrees", "fullName")]),
            ({"nombre": "Ana"}, [("name-no-paternal", "paternalLastName")]),
            ({"primerApellido": "Gil"}, [("name-no-first", "firstName")]),
            ({**whole, "activo": False}, [("active-disagrees", "isActive")]),
            ({**whole, "role": None}, [("role-missing", "role")]),
            ({**whole, "role": "owner"}, [("role-deprecated", "role")]),
            ({**whole, "role": "jefe"}, [("role-unknown", "role")]),
            ({**whole, "activo": "si", "phone": 7}, [("wrong-type", "phone"), ("wrong-type", "activo")]),
        ]:
            for accept in (False, True):
                with self.subTest(fields, accept=accept):
                    self.unify(fields, accept=accept)
                    found = [(f["code"], f["field"]) for f in self.report["findings"]]
                    self.assertEqual(sorted(found), sorted(findings))
        self.unify({**whole, "role": "owner"})
        self.assertEqual(self.report["findings"], [
            {"document": "users/u", "code": "role-deprecated", "field": "role", "value": {"stringValue": "owner"}}])

    def test_other_fields_of_android_stay(self):
        fields = {"nombre": "Ana", "primerApellido": "López", "enfermedades": "", "isMinor": True}
        self.assertEqual(self.unify(fields),
                         {"fullName": "Ana López", "firstName": "Ana", "paternalLastName": "López"})

    def test_second_run_changes_nothing(self):
        cases = [
            {"fullName": "Ana López Ruiz"}, {"fullName": "Juan de la Cruz"}, {"nombre": "Ana"}, {"fullName": "Ana"},
            {"nombre": "Ana", "primerApellido": "López", "activo": False}, {"fullName": "Ana María López"},
            {"fullName": "Ana López", "nombre": "Eva", "primerApellido": "Gil"}, {"firstName": "Ana"},
            {"fullName": "Ana López", "nombre": "Ana", "primerApellido": "López", "segundoApellido": "Ruiz"},
        ]
        for accept in (False, True):
            base = database({f"users/u{i}": fields for i, fields in enumerate(cases)})
            expected.run(base, ["users-unify"], accept=accept)
            once = dict(base.lines)
            again = expected.run(base, ["users-unify"], accept=accept)
            self.assertEqual(base.lines, once)
            self.assertEqual(again["users-unify"]["written"], 0)

    def test_subcollection_is_not_users(self):
        base = database({"archive/a/users/u": {"nombre": "Ana"}, "users/u/notes/n": {"nombre": "Ana"}})
        self.assertEqual(expected.run(base, ["users-unify"])["users-unify"]["read"], 0)


def stamp(text):
    return {"timestampValue": text}


class Emails(unittest.TestCase):
    def index(self, documents, prune=False):
        base = database(documents)
        self.before = dict(base.lines)
        self.report = expected.run(base, ["user-emails"], prune=prune)["user-emails"]
        self.lines = base.lines
        again = expected.run(base, ["user-emails"], prune=prune)["user-emails"]
        self.assertEqual((again["written"], again["created"], again["deleted"]), (0, 0, 0), "twice changes nothing")
        return {name[len("user_emails/"):]: plain(line) for name, line in base.lines.items()
                if name.startswith("user_emails/")}

    def orphans(self):
        return [(e["document"], e["reason"]) for e in self.report["lists"]["orphans"]]

    def test_new_entry(self):
        self.assertEqual(self.index({"users/u": {"email": " Ana@Example.COM\r\n"}}), {
            "ana@example.com": {"primaryUserId": "u", "email": "ana@example.com", "createdAt": "SERVER_TIME"}})
        self.assertEqual((self.report["created"], self.report["written"]), (1, 1))
        self.assertEqual(self.lines["users/u"], self.before["users/u"])

    def test_inner_spaces_stay(self):
        self.assertEqual(list(self.index({"users/u": {"email": "a b@x.mx"}})), ["a b@x.mx"])

    def test_earliest_provider(self):
        for first, second, primary in [
            (stamp("2025-01-02T00:00:00Z"), stamp("2025-01-01T23:59:59.999999Z"), "b"),
            (stamp("2025-01-01T00:00:00.5Z"), stamp("2025-01-01T00:00:00.500Z"), "a"),
            (stamp("2025-01-01T00:00:00.5Z"), stamp("2025-01-01T00:00:00Z"), "b"),
            (None, stamp("2025-01-01T00:00:00Z"), "b"),
            (None, None, "a"),
        ]:
            with self.subTest(first=first, second=second):
                documents = {"users/a": {"email": "x@y.z"}, "users/b": {"email": "X@y.z"}}
                for name, moment in (("users/a", first), ("users/b", second)):
                    if moment:
                        documents[name]["createdAt"] = moment
                self.assertEqual(self.index(documents)["x@y.z"]["primaryUserId"], primary)

    def test_good_entry_is_kept_though_another_is_earlier(self):
        documents = {
            "users/a": {"email": "x@y.z", "createdAt": stamp("2024-01-01T00:00:00Z")},
            "users/b": {"email": "x@y.z", "createdAt": stamp("2025-01-01T00:00:00Z")},
            "user_emails/x@y.z": {"primaryUserId": "b", "email": "x@y.z", "createdAt": OLD},
        }
        self.index(documents)
        self.assertEqual(self.lines, self.before)
        self.assertEqual(self.orphans(), [])

    def test_kept_entry_without_created_at_is_left_without(self):
        documents = {"users/a": {"email": "x@y.z"}, "user_emails/x@y.z": {"primaryUserId": "a", "email": "x@y.z"}}
        self.index(documents)
        self.assertEqual(self.lines, self.before)

    def test_field_that_differs_from_the_id_is_mended(self):
        documents = {"users/a": {"email": "x@y.z"},
                     "user_emails/x@y.z": {"primaryUserId": "a", "email": "X@Y.z", "createdAt": OLD}}
        self.assertEqual(self.index(documents), {
            "x@y.z": {"primaryUserId": "a", "email": "x@y.z", "createdAt": "2025-01-01T00:00:00Z"}})
        self.assertEqual((self.report["created"], self.report["written"]), (0, 1))

    def test_orphans_are_listed_and_removed_only_when_asked(self):
        documents = {
            "users/a": {"email": "new@y.z"},
            "user_emails/gone@y.z": {"primaryUserId": "nobody", "email": "gone@y.z"},
            "user_emails/old@y.z": {"primaryUserId": "a", "email": "old@y.z"},
        }
        want = [("user_emails/gone@y.z", "user-gone"), ("user_emails/old@y.z", "other-email")]
        self.assertEqual(sorted(self.index(documents)), ["gone@y.z", "new@y.z", "old@y.z"])
        self.assertEqual(self.orphans(), want)
        self.assertEqual(list(self.index(documents, prune=True)), ["new@y.z"])
        self.assertEqual(self.orphans(), want)
        self.assertEqual((self.report["deleted"], self.report["created"], self.report["written"]), (2, 1, 3))

    def test_entry_of_a_gone_user_whose_email_another_bears(self):
        documents = {"users/b": {"email": "x@y.z"},
                     "user_emails/x@y.z": {"primaryUserId": "gone", "email": "x@y.z", "createdAt": OLD}}
        self.assertEqual(self.index(documents), {
            "x@y.z": {"primaryUserId": "b", "email": "x@y.z", "createdAt": "2025-01-01T00:00:00Z"}})
        self.assertEqual(self.orphans(), [])

    def test_every_finding_has_its_code(self):
        documents = {
            "users/u": {"email": "u@x.mx"}, "users/none": {}, "users/blank": {"email": " "}, "users/at": {"email": "at"},
            "user_emails/u@x.mx": {"primaryUserId": "gone", "email": "u@x.mx"},
            "user_emails/gone@x.mx": {"primaryUserId": "gone"}, "user_emails/other@x.mx": {"primaryUserId": "u"},
            "user_emails/nobody@x.mx": {}, "user_emails/U@x.mx": {"primaryUserId": "u"},
        }
        for prune in (False, True):
            base = database(documents)
            found = expected.run(base, ["user-emails"], prune=prune)["user-emails"]["findings"]
            self.assertEqual({(f["document"], f["code"]) for f in found}, {
                ("users/none", "email-missing"), ("users/blank", "email-empty"), ("users/at", "email-no-at"),
                ("user_emails/u@x.mx", "entry-reassigned"), ("user_emails/gone@x.mx", "entry-orphan-user-gone"),
                ("user_emails/other@x.mx", "entry-orphan-other-email"),
                ("user_emails/nobody@x.mx", "entry-orphan-no-user"),
                ("user_emails/U@x.mx", "entry-orphan-not-normalised")})
            self.assertEqual(len(found), 8)

    def test_id_that_is_not_normalised(self):
        documents = {"users/a": {"email": "X@y.z"},
                     "user_emails/X@y.z": {"primaryUserId": "a", "email": "X@y.z", "createdAt": OLD}}
        self.assertEqual(self.index(documents), {
            "X@y.z": {"primaryUserId": "a", "email": "X@y.z", "createdAt": "2025-01-01T00:00:00Z"},
            "x@y.z": {"primaryUserId": "a", "email": "x@y.z", "createdAt": "SERVER_TIME"}})
        self.assertEqual(self.orphans(), [("user_emails/X@y.z", "id-not-normalised")])

    def test_not_indexable(self):
        long = "a" * 1495 + "@x.mx"
        for email, reason in [
            (None, "email-missing"), ("", "email-empty"), (" \n", "email-empty"), ("ana", "email-no-at"),
            ("a/b@x.mx", "email-slash"), ("é" + long, "email-too-long"), (".", "email-no-at"),
            ("__a@x__", "email-reserved"), (7, "email-wrong-type"),
        ]:
            with self.subTest(email=email):
                self.assertEqual(self.index({"users/u": {"email": email}}), {})
                self.assertEqual(self.report["lists"]["notIndexable"], [{"document": "users/u", "reason": reason}])
        self.assertEqual(len(long.encode()), 1500)
        self.assertEqual(list(self.index({"users/u": {"email": long}})), [long])
        self.index({"users/u": {}})
        self.assertEqual(self.report["lists"]["notIndexable"][0]["reason"], "email-missing")

    def test_lower_casing_is_scalar_by_scalar(self):
        self.assertEqual(list(self.index({"users/u": {"email": "ΑΣ@x.mx"}})), ["ας@x.mx".replace("ς", "σ")])


class IsActive(unittest.TestCase):
    def backfill(self, documents):
        base = database(documents)
        self.before = dict(base.lines)
        self.report = expected.run(base, ["is-active"])["is-active"]
        self.lines = base.lines
        return {name for name in base.lines if base.lines[name] != self.before[name]}

    def test_every_collection_that_has_it(self):
        for collection in ("users", "members", "membership_plans", "products", "classes", "exercises",
                           "routine_templates", "expenses", "groups"):
            with self.subTest(collection):
                changed = self.backfill({f"{collection}/absent": {"x": "1"}, f"{collection}/null": {"isActive": None},
                                         f"{collection}/no": {"isActive": False},
                                         f"{collection}/yes": {"isActive": True, "updatedAt": OLD}})
                self.assertEqual(changed, {f"{collection}/absent", f"{collection}/null"})
                self.assertEqual(json.loads(self.lines[f"{collection}/absent"])["fields"],
                                 {"isActive": {"booleanValue": True}, "x": {"stringValue": "1"},
                                  **({} if collection == "groups" else {"updatedAt": SERVER})})

    def test_never_elsewhere(self):
        self.assertEqual(self.backfill({
            "check_ins/a": {}, "payments/a": {}, "classBookings/a": {}, "classAttendance/a": {}, "user_emails/a@b": {},
            "app_config/setup": {}, "daily_routines/a": {}, "groups/g/members/u": {}, "other/o/users/u": {}}), set())

    def test_users_take_activo(self):
        changed = self.backfill({"users/a": {"activo": False}, "users/b": {"activo": True, "isActive": None},
                                 "users/c": {"activo": None}, "users/d": {"activo": True, "isActive": False}})
        self.assertEqual(changed, {"users/a", "users/b", "users/c"})
        self.assertEqual([plain(self.lines[f"users/{u}"])["isActive"] for u in "abcd"], [False, True, True, False])

    def test_activo_of_a_wrong_type(self):
        self.assertEqual(self.backfill({"users/a": {"activo": "si"}, "users/b": {"activo": 1, "isActive": True}}), set())
        self.assertEqual([(e["document"], e["field"], e["type"]) for e in self.report["lists"]["wrongType"]],
                         [("users/a", "activo", "stringValue"), ("users/b", "activo", "integerValue")])

    def test_activo_outside_users_means_nothing(self):
        self.backfill({"members/a": {"activo": False}})
        self.assertEqual(plain(self.lines["members/a"])["isActive"], True)


class WholeProgram(unittest.TestCase):
    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            before, after = Path(folder, "before"), Path(folder, "after")
            before.mkdir()
            # Numbers, order and spelling that a parser would be tempted to change.
            kept = '{"fields":{"n":{"doubleValue":1E3},"a":{"integerValue":"9007199254740993"}},"name":"things/ñ"}'
            (before / "one.jsonl").write_text(
                kept + '\n{"fields":{"d":{"doubleValue":2.50},"email":{"stringValue":"A@b"},'
                '"nombre":{"stringValue":"Zoé"},"primerApellido":{"stringValue":"Gil"}},"name":"users/u"}\n'
                '{"name":"things/a"}\n', encoding="utf-8")
            subprocess.run([sys.executable, Path(expected.__file__), before, "-o", after], check=True)
            self.assertEqual((after / "things.jsonl").read_text(encoding="utf-8"), '{"name":"things/a"}\n' + kept + "\n")
            self.assertEqual(
                (after / "users.jsonl").read_text(encoding="utf-8"),
                '{"fields":{"d":{"doubleValue":2.50},"email":{"stringValue":"A@b"},"firstName":{"stringValue":"Zoé"},'
                '"fullName":{"stringValue":"Zoé Gil"},"isActive":{"booleanValue":true},"nombre":{"stringValue":"Zoé"},'
                '"onboardingCompleted":{"booleanValue":false},"paternalLastName":{"stringValue":"Gil"},'
                '"primerApellido":{"stringValue":"Gil"},"updatedAt":{"timestampValue":"SERVER_TIME"}},'
                '"name":"users/u"}\n')
            self.assertTrue((after / "user_emails.jsonl").exists())
            report = json.loads((after / "report.json").read_text(encoding="utf-8"))["migrations"]
            self.assertEqual(list(report), ["is-active", "user-emails", "users-unify"])
            self.assertEqual([report[m]["written"] for m in report], [0, 1, 1])

    def test_order_and_choice(self):
        base = database({"users/u": {"activo": False}})
        report = expected.run(base, ["is-active", "users-unify"])
        self.assertEqual(list(report), ["users-unify", "is-active"])
        self.assertEqual([report[m]["written"] for m in report], [1, 0])


if __name__ == "__main__":
    unittest.main()

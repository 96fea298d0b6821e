#!/usr/bin/env python3
"""Tests of report_reference.py and report_damage.py; what is expected was worked out by hand."""

import json
import random
import subprocess
import sys
import tempfile
import unittest
from datetime import date
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import report_damage  # noqa: E402
import report_reference  # noqa: E402
from check_damage import NULL, double as d, integer as i, text as t  # noqa: E402

TRUE, FALSE = {"booleanValue": True}, {"booleanValue": False}


def at(value):
    return {"timestampValue": value}


def paid(amount, when="2026-01-15T18:00:00Z", **fields):
    """A completed payment; a field that is None is left out."""
    whole = {"status": t("completed"), "type": t("membership"), "method": t("cash"), "amount": amount,
             "completedAt": at(when), "createdAt": at("2020-01-01T18:00:00Z"), **fields}
    return {key: value for key, value in whole.items() if value is not None}


def spent(amount, when="2026-01-15T18:00:00Z", **fields):
    whole = {"category": t("rent"), "amount": amount, "date": at(when), "isActive": TRUE, **fields}
    return {key: value for key, value in whole.items() if value is not None}


class Gym(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.directory = Path(made.name)

    def write(self, **collections):
        """One file a collection, from lists of fields (with ids made up) or maps of ids to fields."""
        for collection, documents in collections.items():
            if not isinstance(documents, dict):
                documents = {f"d{place:03d}": fields for place, fields in enumerate(documents)}
            lines = (json.dumps({"name": f"{collection}/{key}", "fields": fields}, ensure_ascii=False)
                     for key, fields in documents.items())
            (self.directory / f"{collection}.jsonl").write_text("".join(line + "\n" for line in lines), "utf-8")

    def report(self, first="2026-01-01", last="2026-01-31", as_of="2026-03-02", role="admin", **collections):
        self.write(**collections)
        days = (date.fromisoformat(day) for day in (first, last, as_of))
        return report_reference.report(self.directory, *days, role)


class Cents(unittest.TestCase):
    def test_half_away_from_zero(self):
        # 0.125 is exact in binary, so it is 12.5 cents; 1.005 is a little less than it says, 0.005 a little more.
        for amount, expected in ((0.125, 13), (-0.125, -13), (0.375, 38), (1.005, 100), (0.005, 1), (-0.004, 0),
                                 (2.675, 267), (0.0, 0), (-0.0, 0), (450.0, 45000)):
            self.assertEqual(report_reference.cents(Fraction(amount)), expected, amount)

    def test_cents_are_rounded_once(self):
        self.assertEqual(report_reference.cents(Fraction(0.125) + Fraction(0.125)), 25)


class Income(Gym):
    def test_only_completed_counts(self):
        others = [t(s) for s in ("pending", "failed", "refunded", "cancelled", "Completed", "completed ")] + [NULL, TRUE, None]
        report = self.report(payments=[paid(d(450.0))] + [paid(d(1.0), status=status) for status in others])
        self.assertEqual((report["income"]["totalCents"], report["income"]["count"]), (45000, 1))
        self.assertEqual(report["unreadable"]["payments"], 0)

    def test_the_period_is_of_local_days(self):
        # January 2026 begins at 06:00 UTC and ends at 06:00 UTC of 1 February.
        report = self.report(payments=[
            paid(d(1.0), "2026-01-01T05:59:59.999999Z"), paid(d(2.0), "2026-01-01T06:00:00Z"),
            paid(d(4.0), "2026-02-01T05:59:59.999Z"), paid(d(8.0), "2026-02-01T06:00:00Z")])
        self.assertEqual(report["income"]["totalCents"], 600)
        self.assertEqual(report["income"]["byDay"], [["2026-01-01", 200], ["2026-01-31", 400]])
        self.assertEqual(report["income"]["byMonth"], [["2026-01", 600, 2]])

    def test_summer_time_before_2022(self):
        # In July 2021 midnight is 05:00 UTC; on 31 October, when the clocks go back, the day has 25 hours.
        report = self.report("2021-07-01", "2021-10-31", payments=[
            paid(d(1.0), "2021-07-01T04:59:59Z"), paid(d(2.0), "2021-07-01T05:00:00Z"),
            paid(d(4.0), "2021-08-01T04:59:59Z"), paid(d(8.0), "2021-08-01T05:00:00Z"),
            paid(d(16.0), "2021-10-31T04:59:59Z"), paid(d(32.0), "2021-10-31T05:00:00Z"),
            paid(d(64.0), "2021-11-01T05:59:59Z"), paid(d(128.0), "2021-11-01T06:00:00Z")])
        self.assertEqual(report["income"]["byMonth"],
                         [["2021-07", 600, 2], ["2021-08", 800, 1], ["2021-10", 11200, 3]])
        self.assertEqual(report["income"]["byDay"][-2:], [["2021-10-30", 1600], ["2021-10-31", 9600]])

    def test_the_day_when_the_clocks_go_forward(self):
        # 4 April 2021 goes from 06:00 UTC to 05:00 UTC of the next day.
        report = self.report("2021-04-04", "2021-04-04", payments=[
            paid(d(1.0), "2021-04-04T05:59:59Z"), paid(d(2.0), "2021-04-04T06:00:00Z"),
            paid(d(4.0), "2021-04-05T04:59:59Z"), paid(d(8.0), "2021-04-05T05:00:00Z")])
        self.assertEqual(report["income"]["totalCents"], 600)

    def test_no_summer_time_since_2023(self):
        report = self.report("2023-07-01", "2023-07-01", payments=[
            paid(d(1.0), "2023-07-01T05:59:59Z"), paid(d(2.0), "2023-07-01T06:00:00Z")])
        self.assertEqual(report["income"]["totalCents"], 200)

    def test_completed_at_else_created_at(self):
        january = at("2026-01-10T18:00:00Z")
        report = self.report(payments=[
            paid(d(1.0), createdAt=None),
            paid(d(2.0), "2025-12-10T18:00:00Z", createdAt=january),
            paid(d(4.0), completedAt=None, createdAt=january),
            paid(d(8.0), completedAt=NULL, createdAt=january),
            paid(d(16.0), completedAt=t("2025-12-10T18:00:00Z"), createdAt=january),
            paid(d(32.0), completedAt=None),
            paid(d(64.0), completedAt=None, createdAt=None),
            paid(NULL, completedAt=NULL, createdAt=i(5)),
            paid(d(1.0), completedAt=None, createdAt=None, status=t("pending"))])
        self.assertEqual((report["income"]["totalCents"], report["income"]["count"]), (2900, 4))
        self.assertEqual((report["undated"]["payments"], report["unreadable"]["payments"]), (2, 0))

    def test_amounts(self):
        report = self.report(payments=[
            paid(i(450)), paid(d(450)), paid(d(0.1)), paid(d(0.2)), paid(d(-60.0)),
            paid(d("NaN")), paid(d("Infinity")), paid(d("-Infinity")), paid(t("450")), paid(TRUE), paid(NULL),
            paid(None), paid({"mapValue": {}}), paid(d("NaN"), "2026-02-15T18:00:00Z")])
        self.assertEqual((report["income"]["totalCents"], report["income"]["count"]), (84030, 5))
        self.assertEqual(report["unreadable"]["payments"], 8)

    def test_exact_beyond_doubles(self):
        # As doubles 2^53 + 1 would be 2^53, and 1e17 would swallow the cent.
        report = self.report(payments=[paid(i(2**53 + 1)), paid(d(1e17)), paid(d(0.25)), paid(d(-1e17))])
        self.assertEqual(report["income"]["totalCents"], 900719925474099325)

    def test_groups(self):
        report = self.report(payments=[
            paid(d(10.0), type=t("product"), method=t("card")),
            paid(d(10.0), type=t("day_pass"), method=t("\U0001f3cb")),
            paid(d(10.0), type=t("day_pass"), method=t("\uff5e")),
            paid(d(5.0), type=None, method=NULL), paid(d(5.0), type=i(7), method=t("unknown")),
            paid(d(0.0), type=t(""), method=t("Cash"))])
        # Equal sums go by name; U+FF5E comes before U+1F3CB in UTF-8, though not in UTF-16.
        self.assertEqual(report["income"]["byType"],
                         [["day_pass", 2000, 2], ["product", 1000, 1], ["unknown", 1000, 2], ["", 0, 1]])
        self.assertEqual(report["income"]["byMethod"], [["card", 1000, 1], ["unknown", 1000, 2], ["\uff5e", 1000, 1],
                                                        ["\U0001f3cb", 1000, 1], ["Cash", 0, 1]])

    def test_each_sum_is_rounded_by_itself(self):
        report = self.report(payments=[paid(d(0.125), type=t("product")), paid(d(0.125), type=t("service"))])
        self.assertEqual(report["income"]["byType"], [["product", 13, 1], ["service", 13, 1]])
        self.assertEqual(report["income"]["totalCents"], 25)

    def test_the_ends_of_time(self):
        moments = ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "0900-05-01T12:00:00Z")
        report = self.report("0001-01-01", "9999-12-31", payments=[paid(d(1.0), moment) for moment in moments])
        # In Mexico the first of them is still in the year before year 1, so it is in no period.
        self.assertEqual(report["income"]["byDay"], [["0900-05-01", 100], ["9999-12-31", 100]])
        self.assertEqual(report["income"]["byMonth"], [["0900-05", 100, 1], ["9999-12", 100, 1]])
        self.assertEqual(report["undated"]["payments"], 0)


class Expenses(Gym):
    def test_active_by_date_and_category(self):
        report = self.report(
            payments=[paid(d(100.0))],
            expenses=[spent(d(30.0)), spent(d(7.5), isActive=None), spent(i(2), isActive=NULL),
                      spent(d(1000.0), isActive=FALSE), spent(d(1000.0), isActive=t("true")), spent(d(1000.0), isActive=i(1)),
                      spent(d(1000.0), "2025-12-31T18:00:00Z"), spent(d(50.0), "2026-01-02T18:00:00Z", category=NULL),
                      spent(t("30")), spent(t("30"), isActive=FALSE),
                      spent(d(30.0), date=None), spent(d(30.0), date=t("2026-01-15")), spent(d(30.0), date=None, isActive=FALSE)])
        self.assertEqual(report["expenses"], {"totalCents": 208950, "count": 6, "byMonth": [["2026-01", 208950, 6]],
                                              "byCategory": [["rent", 203950, 5], ["unknown", 5000, 1]]})
        self.assertEqual(report["profitCents"], -198950)
        self.assertEqual(report["undated"], {"payments": 0, "expenses": 2, "checkIns": 0, "memberships": 0})
        self.assertEqual(report["unreadable"], {"payments": 0, "expenses": 1})

    def test_profit_is_rounded_once(self):
        # 13 cents and 25 cents as printed, but 12.5 - 25 = -12.5 cents.
        report = self.report(payments=[paid(d(0.125))], expenses=[spent(d(0.25))])
        self.assertEqual(report["profitCents"], -13)

    def test_a_receptionist_sees_no_expenses(self):
        gym = {"payments": [paid(d(100.0))], "expenses": [spent(d(30.0)), spent(NULL), spent(d(1.0), date=NULL)]}
        whole, part = self.report(**gym), self.report(role="receptionist", **gym)
        self.assertEqual(sorted(part), ["checkIns", "income", "lowStock", "members", "undated", "unreadable"])
        self.assertEqual((part["undated"], part["unreadable"]), ({"payments": 0, "checkIns": 0, "memberships": 0}, {"payments": 0}))
        for key in ("income", "checkIns", "members", "lowStock"):
            self.assertEqual(part[key], whole[key])


class CheckIns(Gym):
    def came(self, when, member=t("m1")):
        return {key: value for key, value in (("checkInDate", at(when)), ("memberId", member)) if value}

    def test_days_and_hours(self):
        report = self.report(check_ins=[
            self.came("2026-01-01T05:59:59Z"), self.came("2026-01-01T06:00:00Z"), self.came("2026-01-01T06:59:59.999999Z"),
            self.came("2026-01-02T05:59:59Z"), self.came("2026-01-31T19:30:00Z"), self.came("2026-02-01T06:00:00Z"),
            {"checkInDate": t("2026-01-05T18:00:00Z"), "createdAt": at("2026-01-05T18:00:00Z")}, {}])
        self.assertEqual(report["undated"]["checkIns"], 2)
        report = report["checkIns"]
        self.assertEqual(report["total"], 4)
        self.assertEqual(report["byDay"], [["2026-01-01", 3], ["2026-01-31", 1]])
        self.assertEqual(report["byHour"], [2] + [0] * 12 + [1] + [0] * 9 + [1])

    def test_hours_of_summer_time(self):
        # 31 October 2021 has 01:30 twice: at 06:30 and at 07:30 UTC. 4 April has no 02:30; 08:30 UTC is 03:30.
        report = self.report("2021-04-01", "2021-10-31", check_ins=[
            self.came("2021-10-31T06:30:00Z"), self.came("2021-10-31T07:30:00Z"), self.came("2021-04-04T08:30:00Z"),
            self.came("2021-04-04T07:59:59Z")])["checkIns"]
        self.assertEqual(report["byHour"], [0, 3, 0, 1] + [0] * 20)

    def test_top_members(self):
        noon = "2026-01-15T18:00:00Z"
        visits = [self.came(noon, t("m1"))] * 3
        visits += [self.came(noon, t(f"k{n}")) for n in range(9)] * 2
        # Two visits each, like the k's; one place is left, and the smaller id takes it.
        visits += [self.came(noon, t("\uff5e")), self.came(noon, t("\U0001f3cb"))] * 2
        visits += [self.came(noon, member) for member in (t(""), NULL, None, i(5))] * 9
        visits += [self.came("2026-02-15T18:00:00Z", t("m2"))] * 9
        report = self.report(check_ins=visits, members={
            "m1": {"firstName": t("Ana"), "maternalLastName": t("Ruiz"), "paternalLastName": t("López"), "isActive": FALSE},
            "k0": {"firstName": t("  "), "paternalLastName": t("de la Cruz"), "maternalLastName": NULL},
            "k1": {"firstName": t(""), "paternalLastName": t("\u00a0\u3000"), "maternalLastName": i(5)},
            "k2": {}})["checkIns"]
        self.assertEqual(report["total"], 3 + 18 + 4 + 36)
        self.assertEqual(report["topMembers"], [["m1", "Ana López Ruiz", 3], ["k0", "de la Cruz", 2]] +
                         [[f"k{n}", None, 2] for n in range(1, 9)])
        report = self.report(check_ins=visits[:3] + visits[5:])["checkIns"]
        self.assertEqual([row[0] for row in report["topMembers"]], ["m1"] + [f"k{n}" for n in range(2, 9)] + ["\uff5e", "\U0001f3cb"])


class Members(Gym):
    def test_statuses(self):
        report = self.report(members=[
            {"membershipStatus": t("expired")}, {"membershipStatus": t("expired"), "isActive": NULL},
            {"membershipStatus": t("expired"), "isActive": FALSE}, {"membershipStatus": t("expired"), "isActive": t("true")},
            {"membershipStatus": t("active"), "isActive": TRUE}, {"membershipStatus": t("Active")}, {"membershipStatus": NULL},
            {"membershipStatus": i(1)}, {}, {"membershipStatus": t("")}])
        self.assertEqual(report["members"]["byStatus"],
                         [["expired", 3], ["unknown", 3], ["", 1], ["Active", 1], ["active", 1]])

    def test_ending_soon(self):
        def ends(when, **fields):
            return {"membershipStatus": t("active"), "membershipEndDate": at(when), "firstName": t("Ana"), **fields}
        report = self.report(as_of="2026-03-02", members={
            "before": ends("2026-03-02T05:59:59.999999Z"), "first": ends("2026-03-02T06:00:00Z"),
            "last": ends("2026-03-10T05:59:59.999999Z"), "after": ends("2026-03-10T06:00:00Z"),
            "a": ends("2026-03-09T06:00:00Z", firstName=NULL, isActive=NULL), "B": ends("2026-03-09T18:00:00Z"),
            "expired": ends("2026-03-05T18:00:00Z", membershipStatus=t("expired")),
            "inactive": ends("2026-03-05T18:00:00Z", isActive=FALSE), "typed": ends("2026-03-05T18:00:00Z", isActive=i(1)),
            "text": {**ends(""), "membershipEndDate": t("2026-03-05T18:00:00Z")}, "none": {"membershipStatus": t("active")}})
        self.assertEqual(report["undated"]["memberships"], 1)
        self.assertEqual(report["members"]["endingSoon"], [
            ["first", "Ana", "2026-03-02"], ["typed", "Ana", "2026-03-05"], ["B", "Ana", "2026-03-09"], ["a", None, "2026-03-09"], ["last", "Ana", "2026-03-09"]])

    def test_seven_days_across_a_change(self):
        # From 30 March 2021 (UTC-6) to 6 April (UTC-5), which ends at 05:00 UTC.
        report = self.report(as_of="2021-03-30", members={
            key: {"membershipStatus": t("active"), "membershipEndDate": at(when)}
            for key, when in (("in", "2021-04-07T04:59:59Z"), ("out", "2021-04-07T05:00:00Z"))})
        self.assertEqual(report["members"]["endingSoon"], [["in", None, "2021-04-06"]])


class Stock(Gym):
    def test_low_stock(self):
        report = self.report(products={
            "five": {"stock": i(5), "name": t("Agua")}, "Five": {"stock": d(5.0), "isActive": NULL}, "six": {"stock": i(6)},
            "half": {"stock": d(4.5)}, "text": {"stock": t("5")}, "less": {"stock": i(-1), "name": t(" ")},
            "nothing": {"stock": d(-0.0)}, "nan": {"stock": d("NaN")}, "minus": {"stock": d("-Infinity")}, "null": {"stock": NULL},
            "none": {}, "true": {"stock": TRUE}, "off": {"stock": i(5), "isActive": FALSE}, "typed": {"stock": i(5), "isActive": i(1)}})
        self.assertEqual(report["lowStock"], [["less", None, -1], ["nothing", None, 0], ["half", None, 4.5], ["Five", None, 5], ["five", "Agua", 5], ["typed", None, 5]])
        self.assertEqual([str(row[2]) for row in report["lowStock"]], ["-1", "0", "4.5", "5", "5", "5"])


class Documents(Gym):
    def test_only_top_level_collections(self):
        lines = [{"name": "groups/g/members/u", "fields": {"membershipStatus": t("active")}},
                 {"name": "members/m/payments/p", "fields": paid(d(1.0))},
                 {"name": "projects/p/databases/(default)/documents/payments/full", "fields": paid(d(2.0))},
                 {"name": "payments2/p", "fields": paid(d(4.0))}, {"name": "payments/none"}]
        (self.directory / "any.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n\n", "utf-8")
        (self.directory / "payments.json").write_text("not read")
        report = self.report()
        self.assertEqual(report["income"]["totalCents"], 200)
        self.assertEqual(report["members"]["byStatus"], [])

    def test_separators_of_lines_within_texts(self):
        (self.directory / "payments.jsonl").write_bytes(
            json.dumps({"name": "payments/p", "fields": paid(d(1.0), type=t("a\u2028b\u0085c"))}, ensure_ascii=False).encode())
        self.assertEqual(self.report()["income"]["byType"], [["a\u2028b\u0085c", 100, 1]])

    def test_bad_lines_end_the_run(self):
        for line in (b"{", b"[]", b"{}", b'{"name":"payments/a"}\n{"name":"payments/a"}'):
            (self.directory / "payments.jsonl").write_bytes(line)
            with self.assertRaises(SystemExit, msg=line):
                self.report()


class CommandLine(Gym):
    def run_it(self, *arguments):
        return subprocess.run([sys.executable, str(HERE / "report_reference.py"), str(self.directory), *arguments],
                              capture_output=True)

    def test_prints_sorted_json(self):
        self.write(payments=[paid(d(0.125), type=t("ñ"))])
        run = self.run_it("--from", "2026-01-15", "--to", "2026-01-15", "--as-of", "2026-01-15", "--role", "receptionist")
        self.assertEqual((run.returncode, run.stderr), (0, b""))
        printed = run.stdout.decode("utf-8")
        report = json.loads(printed)
        self.assertEqual(report, {
            "checkIns": {"byDay": [], "byHour": [0] * 24, "topMembers": [], "total": 0},
            "income": {"byDay": [{"day": "2026-01-15", "totalCents": 13}],
                       "byMethod": [{"method": "cash", "totalCents": 13, "count": 1}],
                       "byMonth": [{"month": "2026-01", "totalCents": 13, "count": 1}],
                       "byType": [{"type": "ñ", "totalCents": 13, "count": 1}], "count": 1, "totalCents": 13},
            "lowStock": [], "members": {"byStatus": [], "endingSoon": []},
            "undated": {"payments": 0, "checkIns": 0, "memberships": 0}, "unreadable": {"payments": 0}})
        self.assertEqual(printed, json.dumps(report, ensure_ascii=False, sort_keys=True, indent=1) + "\n")

    def test_refuses(self):
        good = {"--from": "2026-01-01", "--to": "2026-01-31", "--as-of": "2026-01-31"}
        for bad in ({"--from": "2026-02-30"}, {"--from": "20260101"}, {"--to": "2025-12-31"}, {"--role": "trainer"}):
            arguments = [word for pair in {**good, **bad}.items() for word in pair]
            self.assertEqual(self.run_it(*arguments).returncode, 2, bad)


class Damage(Gym):
    AS_OF = date(2026, 3, 2)

    def gym(self):
        self.write(
            payments=[paid(d(450.0 + n)) for n in range(200)], expenses=[spent(d(30.0)) for _ in range(100)],
            check_ins=[{"checkInDate": at("2026-01-15T18:00:00Z"), "memberId": t(f"d{n:03d}")} for n in range(100)],
            members=[{"firstName": t("Ana"), "membershipStatus": t("active"), "isActive": TRUE} for _ in range(120)],
            products=[{"stock": i(10), "isActive": TRUE} for _ in range(24)], classes=[{"nombre": t("Yoga")}])

    def damaged(self, name, seed, huge=False):
        target = self.directory / name
        target.mkdir()
        made = report_damage.damage(self.directory, target, seed, self.AS_OF, 0.35, huge)
        return {path.name: path.read_bytes() for path in sorted(target.iterdir())}, made

    def test_the_same_seed_gives_the_same_bytes(self):
        self.gym()
        one, two, other = (self.damaged(name, seed)[0] for name, seed in (("a", 1), ("b", 1), ("c", 2)))
        self.assertEqual(one, two)
        self.assertNotEqual(one, other)
        self.assertEqual(one["classes.jsonl"], (self.directory / "classes.jsonl").read_bytes())

    def test_every_kind_is_made(self):
        self.gym()
        _, made = self.damaged("a", 3, huge=True)
        kinds = {"payments": report_damage.payments(True), "expenses": report_damage.expenses(True),
                 "check_ins": report_damage.check_ins(), "members": report_damage.members(), "products": report_damage.products()}
        for collection, made_of in kinds.items():
            for kind in made_of:
                self.assertGreater(made[f"{collection}: {kind}"], 0, f"{collection}: {kind}")

    def test_no_document_is_lost_and_the_report_is_made(self):
        self.gym()
        for seed in range(5):
            copies, _ = self.damaged(str(seed), seed, huge=True)
            for name, content in copies.items():
                names = [json.loads(line)["name"] for line in content.splitlines() if line]
                kept = [json.loads(line)["name"] for line in (self.directory / name).read_bytes().splitlines()]
                self.assertEqual([name for name in names if name.count("/") == 1], kept)
                self.assertEqual(names, sorted(names))
            report = report_reference.report(self.directory / str(seed), date(1, 1, 1), date(9999, 12, 31), self.AS_OF)
            completed = sum(json.loads(line)["fields"].get("status") == t("completed")
                            for line in copies["payments.jsonl"].splitlines())
            counted = report["income"]["count"] + report["undated"]["payments"] + report["unreadable"]["payments"]
            # Only moments at the very start of year 1 are in no period at all.
            early = copies["payments.jsonl"].count(b'"completedAt":{"timestampValue":"0001-01-01T00:00:00Z"}')
            self.assertLessEqual(completed - counted, early)
            self.assertGreaterEqual(completed - counted, 0)

    def test_edges_lie_at_local_midnight(self):
        rng = random.Random(1)
        for _ in range(200):
            moment = report_damage.edge_of_month(rng, self.AS_OF).astimezone(report_reference.ZONE)
            edge = (moment.day == 1, moment.hour, moment.minute, moment.second)
            self.assertIn(edge, ((True, 0, 0, 0), (False, 23, 59, 59)))


if __name__ == "__main__":
    unittest.main()

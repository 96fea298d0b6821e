#!/usr/bin/env python3
"""Judges the owner's reports.

    owner_reports.py BINARY [SEED]

Loads gyms with breaks in them (refunds, missing dates and amounts, moments at the edges of days and months), and compares each
number that the program prints, and each cell and chart of its workbook, with what the reference of Tests/Oracle, which was
written from the domain page alone, works out over the same JSON Lines. Needs openpyxl.
"""
import json
import math
import random
import sys
import tempfile
from datetime import date, datetime, timedelta
from fractions import Fraction
from pathlib import Path

import openpyxl
import report_workbook
from judging import run_or_exit as run

ROOT = Path(__file__).resolve().parents[2]
ORACLE = ROOT / "Tests/Oracle"


def differences(expected, found, path=""):
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in sorted(expected.keys() | found.keys()):
            yield from differences(expected.get(key), found.get(key), f"{path}.{key}")
    elif expected != found:
        yield f"{path[1:]} is {json.dumps(found, ensure_ascii=False)[:300]}, not {json.dumps(expected, ensure_ascii=False)[:300]}"


def periods(rng):
    """Days, weeks, months and years, also of the years in which the clocks changed."""
    for _ in range(8):
        first = date(rng.choice([1996, 2019, 2021, 2022, 2024, 2025, 2026]), rng.randint(1, 12), rng.randint(1, 28))
        yield first, first + timedelta(days=rng.choice([0, 1, 6, 27, 30, 364]))
    yield date(1996, 1, 1), date(2030, 12, 31)


def numbers(value):
    if isinstance(value, (list, dict)):
        return sum(map(numbers, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int)


def amount(value):
    """The exact amount of a cell or of a field; 0 of what is no number, as a spreadsheet's SUM has it."""
    if isinstance(value, dict):
        text = value.get("integerValue", value.get("doubleValue"))
        value = None if text is None else float(text)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return 0
    return Fraction(value)


def judge_export(binary, work, seed):
    """The sheet before the tables of an export, and the sums of its columns of amounts."""
    days = ["--summary-from", "2025-03-01", "--summary-to", "2025-03-31"]
    run([binary, "export", "--all", "-e", "local", "-o", "gym.xlsx", "--summary", *days, "-q", "--no-progress"], work)
    book = openpyxl.load_workbook(work / "gym.xlsx")
    as_of = book["Resumen"]["B5"].value.date()
    if abs(as_of - datetime.now().date()) > timedelta(days=1):
        sys.exit(f"seed {seed}: the memberships of the export end after {as_of}")
    period = ["--from", "2025-03-01", "--to", "2025-03-31", "--as-of", as_of]
    expected = json.loads(run([sys.executable, ORACLE / "report_reference.py", "broken", *period], work))
    wrong = report_workbook.problems(work / "gym.xlsx", expected, "2025-03-01", "2025-03-31")
    for name in ("payments", "expenses"):
        rows = list(book[name].iter_rows(values_only=True))
        column = rows[0].index("amount")
        shown = sum(amount(row[column]) for row in rows[1:])
        documents = map(json.loads, (work / "broken" / f"{name}.jsonl").open(encoding="utf-8"))
        stored = sum(amount(document["fields"].get("amount")) for document in documents)
        if shown != stored:
            wrong.append(f"the amounts of {name} are {float(shown)}, not {float(stored)}")
    if wrong:
        sys.exit(f"seed {seed}, the export:\n" + "\n".join(wrong[:10])[:5000])
    return numbers(expected)


def judge(binary, seed):
    rng = random.Random(seed)
    compared = 0
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        as_of = date(2026, 3, 2) + timedelta(days=rng.randint(-40, 40))
        run([sys.executable, ROOT / "samples/gym/generate.py", "--out", "gym", "--users", rng.randint(40, 200), "--seed", seed], work)
        run([sys.executable, ORACLE / "report_damage.py", "gym", "-o", "broken", "--seed", seed, "--as-of", as_of], work)
        run([binary, "import", *sorted((work / "broken").glob("*.jsonl")), "-e", "local", "-q", "--validate", "off"], work)
        for first, last in periods(rng):
            days = ["--from", first, "--to", last, "--as-of", as_of]
            role = rng.choice([[], [], ["--role", "receptionist"]])
            expected = json.loads(run([sys.executable, ORACLE / "report_reference.py", "broken", *days, *role], work))
            found = json.loads(run([binary, "report", "owner", *days, *role, "-e", "local", "--json", "-q"], work))
            for key, value in (("from", first), ("to", last), ("asOf", as_of)):
                if found.pop(key) != str(value):
                    sys.exit(f"seed {seed}: {key} is not {value}")
            wrong = list(differences(expected, found))
            if wrong:
                sys.exit(f"seed {seed}, {first} to {last} {' '.join(role)}:\n" + "\n".join(wrong[:10]))
            run([binary, "report", "owner", *days, *role, "-e", "local", "-o", "report.xlsx", "-q"], work)
            wrong = report_workbook.problems(work / "report.xlsx", expected, first, last)
            if wrong:
                sys.exit(f"seed {seed}, {first} to {last} {' '.join(role)}, the workbook:\n" + "\n".join(wrong[:10])[:5000])
            compared += 2 * numbers(expected)
        compared += judge_export(binary, work, seed)
    return compared


def main():
    binary = str(Path(sys.argv[1]).resolve())
    seeds = [int(sys.argv[2])] if len(sys.argv) > 2 else range(1, 11)
    for seed in seeds:
        print(f"ok      seed {seed}: {judge(binary, seed)} numbers")


if __name__ == "__main__":
    main()

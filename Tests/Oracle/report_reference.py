#!/usr/bin/env python3
"""The owner's report of a gym, from JSON Lines of Firestore REST documents: a reference to judge others by.

    report_reference.py DIR --from YYYY-MM-DD --to YYYY-MM-DD --as-of YYYY-MM-DD [--role receptionist]

Reads every *.jsonl of DIR and prints one JSON object. Both days of the period are included; days, months
and hours are those of America/Mexico_City. Money is summed exactly and rounded once, to whole cents, half
away from zero. A comment marked OPEN names a reading that the rules leave open.
"""

import argparse
import json
import math
import re
import sys
from collections import Counter
from datetime import date, datetime, timedelta, timezone
from fractions import Fraction
from pathlib import Path
from zoneinfo import ZoneInfo

ZONE = ZoneInfo("America/Mexico_City")
COLLECTIONS = ("payments", "expenses", "check_ins", "members", "products")
LOW_STOCK = 5
DAYS_AHEAD = 7
TOP = 10

# The code points with the property White_Space. str.isspace also takes U+001C to U+001F, which lack it.
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"

TIMESTAMP = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII)


# --- Values -------------------------------------------------------------------------------------


def text(fields, key):
    """The text of a field; None for every other value."""
    value = fields.get(key, {}).get("stringValue")
    return value if isinstance(value, str) else None


def words(fields, key):
    """The text of a field, as it stands; None for a blank text and every other value."""
    value = text(fields, key)
    return value if value is not None and value.strip(WHITE_SPACE) else None


def tidied(part):
    """Without white space at the ends, and with one space for each run of it; None of None."""
    return part and " ".join(word for word in re.split(f"[{WHITE_SPACE}]", part) if word)


def number(fields, key):
    """The exact number of a field; None for NaN, infinities and values that are not numbers."""
    value = fields.get(key, {})
    if "integerValue" in value:
        return Fraction(int(value["integerValue"]))
    if "doubleValue" in value:
        # NaN and the infinities are spelled as texts. A double without a fraction may stand without a point.
        double = float(value["doubleValue"])
        return Fraction(double) if math.isfinite(double) else None
    return None


def in_pesos(fields):
    """Whether an amount is in MXN, which it is where no currency is named."""
    value = fields.get("currency", {"nullValue": None})
    if "nullValue" in value:
        return True
    name = text(fields, "currency")
    return name is not None and name.strip(WHITE_SPACE).upper() in ("", "MXN")


def has_timestamp(fields, key):
    return "timestampValue" in fields.get(key, {})


def local(fields, key):
    """The local date and time of a field that is a timestamp; None where that is before the year 1."""
    # OPEN: a timestampValue that is no RFC 3339 time ends the run. The service does not write one.
    spelled = fields[key]["timestampValue"]
    match = TIMESTAMP.fullmatch(spelled)
    if not match:
        raise ValueError(f"{key}: not a timestamp: {spelled!r}")
    # A fraction of a second changes neither the day nor the hour.
    moment = datetime.fromisoformat(match[1])
    try:
        if match[2]:
            offset = timedelta(hours=int(match[3]), minutes=int(match[4]))
            moment += -offset if match[2] == "+" else offset
        return moment.replace(tzinfo=timezone.utc).astimezone(ZONE)
    except OverflowError:
        return None


def is_active(fields):
    """Whether it is not false: absent, null and a value of another type are active."""
    return fields.get("isActive", {}).get("booleanValue") is not False


def cents(amount):
    """An exact amount in whole cents, half away from zero."""
    rounded = math.floor(abs(amount) * 100 + Fraction(1, 2))
    return -rounded if amount < 0 else rounded


def by_bytes(name):
    return name.encode("utf-8")


# --- Documents ----------------------------------------------------------------------------------


def documents(directory):
    """Collection, id and fields of each document that the report looks at."""
    seen = set()
    for path in sorted(Path(directory).glob("*.jsonl")):
        # Bytes are split at line feeds alone; a text may hold other line separators.
        with path.open("rb") as lines:
            for place, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    document = json.loads(line)
                    name = document["name"]
                    if name.startswith("projects/"):
                        name = name.partition("/documents/")[2]
                    # A subcollection's documents have longer names: groups/{id}/members is not members.
                    collection, _, identifier = name.partition("/")
                    if collection not in COLLECTIONS or "/" in identifier:
                        continue
                    # OPEN: the same document twice ends the run, as neither one is known to be right.
                    if name in seen:
                        raise ValueError(f"twice: {name}")
                    seen.add(name)
                    # OPEN: ids are those of the documents' names; the field id is not read.
                    yield collection, identifier, document.get("fields", {})
                except (AttributeError, KeyError, TypeError, ValueError) as error:
                    raise SystemExit(f"{path.name}, line {place}: {error!r}") from error


# --- The report ---------------------------------------------------------------------------------


class Sums:
    """Exact sums and counts by name."""

    def __init__(self):
        self.amounts, self.counts = {}, Counter()

    def add(self, name, amount):
        self.amounts[name] = self.amounts.get(name, Fraction(0)) + amount
        self.counts[name] += 1

    def rows(self):
        return [[name, cents(amount), self.counts[name]] for name, amount in self.amounts.items()]

    def largest_first(self):
        # OPEN: sorted by the rounded cents that are printed, so a smaller exact sum may come first by its name.
        return sorted(self.rows(), key=lambda row: (-row[1], by_bytes(row[0])))

    def in_order(self):
        # OPEN: a month or day stands where a payment or expense counts, also where its sum is zero.
        return sorted(self.rows())


class Money:
    """One side of the books: what counts in the period, and what could not be counted."""

    def __init__(self, *groups):
        self.total, self.count, self.undated, self.unreadable = Fraction(0), 0, 0, 0
        self.by = {group: Sums() for group in groups}
        self.by_month, self.by_day = Sums(), Sums()

    def add(self, period, fields, dates):
        """Counts a document by the first of the dates that is a timestamp."""
        key = next((key for key in dates if has_timestamp(fields, key)), None)
        if key is None:
            # OPEN: undated comes first; the amount of an undated document is not looked at.
            self.undated += 1
            return
        moment = local(fields, key)
        if not period.holds(moment):
            return
        # The gym's currency is MXN: an amount in another one is none. OPEN: negative amounts are added as they stand.
        amount = number(fields, "amount") if in_pesos(fields) else None
        if amount is None:
            self.unreadable += 1
            return
        self.total += amount
        self.count += 1
        for group, sums in self.by.items():
            # OPEN: an empty or blank text is a name of its own, not "unknown"; a text "unknown" joins the unknown.
            name = text(fields, group)
            sums.add("unknown" if name is None else name, amount)
        day = moment.date().isoformat()
        self.by_month.add(day[:7], amount)
        self.by_day.add(day, amount)


class Period:
    def __init__(self, first, last):
        self.first, self.last = first, last

    def holds(self, moment):
        return moment is not None and self.first <= moment.date() <= self.last


def full_name(fields):
    # OPEN: surplus white space around or in a part is left out, as the page has it where names are written.
    parts = (tidied(words(fields, key)) for key in ("firstName", "paternalLastName", "maternalLastName"))
    return " ".join(part for part in parts if part is not None) or None


def report(directory, first, last, as_of, role="admin"):
    period = Period(first, last)
    income, expenses = Money("type", "method"), Money("category")
    check_in_days, check_in_hours, check_in_members = Counter(), [0] * 24, Counter()
    names, statuses, ending, low = {}, Counter(), [], []
    undated_check_ins = undated_memberships = 0

    for collection, identifier, fields in documents(directory):
        if collection == "payments":
            if text(fields, "status") == "completed":
                # OPEN: createdAt is the field alone; a document's own createTime does not stand in for it.
                income.add(period, fields, ("completedAt", "createdAt"))
        elif collection == "expenses":
            # OPEN: the cost of products sold belongs here, but no document records it: a payment of type
            # product names no product and no quantity. It is not in these numbers, nor in the profit.
            if is_active(fields):
                expenses.add(period, fields, ("date",))
        elif collection == "check_ins":
            # OPEN: check-ins of guests and visitors count like those of members. Those without a date are counted apart.
            undated_check_ins += not has_timestamp(fields, "checkInDate")
            moment = local(fields, "checkInDate") if has_timestamp(fields, "checkInDate") else None
            if period.holds(moment):
                check_in_days[moment.date().isoformat()] += 1
                check_in_hours[moment.hour] += 1
                # OPEN: a blank memberId is a text that is not empty, so it counts.
                if text(fields, "memberId"):
                    check_in_members[text(fields, "memberId")] += 1
        elif collection == "members":
            # OPEN: members who are not active keep their names among the most frequent.
            names[identifier] = full_name(fields)
            if not is_active(fields):
                continue
            # OPEN: an empty or blank status is a name of its own, not "unknown".
            status = text(fields, "membershipStatus")
            statuses["unknown" if status is None else status] += 1
            if status == "active" and has_timestamp(fields, "membershipEndDate"):
                end = local(fields, "membershipEndDate")
                if end is not None and 0 <= (end.date() - as_of).days <= DAYS_AHEAD:
                    ending.append([identifier, names[identifier], end.date().isoformat()])
            elif status == "active" and "nullValue" not in fields.get("membershipEndDate", {"nullValue": None}):
                undated_memberships += 1
        elif is_active(fields):
            # OPEN: products of every category, services too. 5.0 is printed as 5. A blank name is none.
            stock = number(fields, "stock")
            if stock is not None and stock <= LOW_STOCK:
                low.append([identifier, words(fields, "name"), int(stock) if stock.denominator == 1 else float(stock)])

    top = sorted(check_in_members.items(), key=lambda item: (-item[1], by_bytes(item[0])))[:TOP]
    result = {
        "income": {
            "totalCents": cents(income.total),
            "count": income.count,
            "byType": income.by["type"].largest_first(),
            "byMethod": income.by["method"].largest_first(),
            "byMonth": income.by_month.in_order(),
            "byDay": [row[:2] for row in income.by_day.in_order()],
        },
        "expenses": {
            "totalCents": cents(expenses.total),
            "count": expenses.count,
            "byCategory": expenses.by["category"].largest_first(),
            "byMonth": expenses.by_month.in_order(),
        },
        # OPEN: the exact difference is rounded, so it may differ by a cent from that of the two rounded totals.
        "profitCents": cents(income.total - expenses.total),
        "checkIns": {
            "total": sum(check_in_hours),
            "byDay": sorted(map(list, check_in_days.items())),
            "byHour": check_in_hours,
            "topMembers": [[identifier, names.get(identifier), count] for identifier, count in top],
        },
        "members": {
            "byStatus": sorted(map(list, statuses.items()), key=lambda row: (-row[1], by_bytes(row[0]))),
            "endingSoon": sorted(ending, key=lambda row: (row[2], by_bytes(row[0]))),
        },
        "lowStock": sorted(low, key=lambda row: (row[2], by_bytes(row[0]))),
        "undated": {"payments": income.undated, "expenses": expenses.undated, "checkIns": undated_check_ins,
                    "memberships": undated_memberships},
        "unreadable": {"payments": income.unreadable, "expenses": expenses.unreadable},
    }
    if role == "receptionist":
        del result["expenses"], result["profitCents"], result["undated"]["expenses"], result["unreadable"]["expenses"]
    return result


MONEY = ("totalCents", "count")
NAMES = {
    "income.byType": ("type", *MONEY), "income.byMethod": ("method", *MONEY), "income.byMonth": ("month", *MONEY),
    "income.byDay": ("day", "totalCents"), "expenses.byCategory": ("category", *MONEY), "expenses.byMonth": ("month", *MONEY),
    "checkIns.byDay": ("day", "count"), "checkIns.topMembers": ("id", "name", "count"), "members.byStatus": ("status", "count"),
    "members.endingSoon": ("id", "name", "day"), "lowStock": ("id", "name", "stock"),
}


def named(result):
    """The report as it is printed: no number without a name."""
    for place, names in NAMES.items():
        *above, member = place.split(".")
        owner = result.get(above[0]) if above else result
        if owner is not None:
            owner[member] = [dict(zip(names, row, strict=True)) for row in owner[member]]
    return result


def day(argument):
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", argument, re.ASCII):
        raise argparse.ArgumentTypeError(f"not a day (YYYY-MM-DD): {argument}")
    try:
        return date.fromisoformat(argument)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"no such day: {argument}") from error


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", metavar="DIR", type=Path)
    parser.add_argument("--from", dest="first", metavar="DAY", type=day, required=True, help="first day of the period")
    parser.add_argument("--to", dest="last", metavar="DAY", type=day, required=True, help="last day of the period")
    parser.add_argument("--as-of", metavar="DAY", type=day, required=True, help="the day that memberships end soon from")
    parser.add_argument("--role", choices=("admin", "receptionist"), default="admin", help="who reads the report")
    args = parser.parse_args()
    if args.last < args.first:
        parser.error("--to is before --from")
    if not args.directory.is_dir():
        parser.error(f"not a directory: {args.directory}")
    try:
        result = report(args.directory, args.first, args.last, args.as_of, args.role)
    except ValueError as error:
        raise SystemExit(f"error: {error}") from error
    printed = json.dumps(named(result), ensure_ascii=False, sort_keys=True, indent=1)
    sys.stdout.buffer.write(printed.encode("utf-8") + b"\n")


if __name__ == "__main__":
    main()

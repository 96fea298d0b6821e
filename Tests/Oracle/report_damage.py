#!/usr/bin/env python3
"""A copy of a gym with random breaks and near misses in what the owner's report reads.

    report_damage.py DIR -o DIR --seed N [--as-of YYYY-MM-DD] [--share P] [--huge]

The same gym and arguments give the same bytes. Every kind of break is used about equally often, so even a
small gym gets most of them. Documents that are not broken keep their bytes; all documents remain valid.
"""

import argparse
import json
import random
import shutil
import sys
from collections import Counter
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

ZONE = ZoneInfo("America/Mexico_City")
ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)
MISSING = None
NULL = {"nullValue": None}

# Changes of daylight saving in the zone: the first one, some before 2022, and the last two.
CHANGES = ("1996-04-07T08:00:00", "2019-04-07T08:00:00", "2019-10-27T07:00:00", "2020-04-05T08:00:00",
           "2020-10-25T07:00:00", "2021-04-04T08:00:00", "2021-10-31T07:00:00", "2022-04-03T08:00:00",
           "2022-10-30T07:00:00")


# --- Values -------------------------------------------------------------------------------------


def text(value):
    return {"stringValue": value}


def integer(value):
    return {"integerValue": str(value)}


def double(value):
    return {"doubleValue": value}


def ts(moment):
    """A moment as the service spells it: with no digits of the second's fraction, or three, or six."""
    moment = moment.astimezone(timezone.utc)
    fraction = f"{moment.microsecond:06d}"
    fraction = "" if fraction == "000000" else "." + (fraction[:3] if fraction.endswith("000") else fraction)
    return {"timestampValue": moment.replace(tzinfo=None).isoformat(timespec="seconds") + fraction + "Z"}


def midnight(day):
    return datetime(day.year, day.month, day.day, tzinfo=ZONE).astimezone(timezone.utc)


SECOND = timedelta(seconds=1)
MICRO = timedelta(microseconds=1)
LAST_INSTANTS = (SECOND, MICRO, timedelta(milliseconds=1))
FIRST_INSTANTS = (timedelta(0), MICRO, SECOND - MICRO)

WRONG = (text("450.00"), text(""), {"booleanValue": True}, {"arrayValue": {"values": [double(450.0)]}},
         {"mapValue": {"fields": {"amount": double(450.0)}}}, {"timestampValue": "2026-01-15T18:00:00Z"},
         {"bytesValue": "NDUw"}, {"geoPointValue": {"latitude": 19.4, "longitude": -99.1}})
NOT_FINITE = (double("NaN"), double("Infinity"), double("-Infinity"))
NOT_TEXT = (integer(7), {"booleanValue": True}, {"arrayValue": {}}, {"mapValue": {}}, double(1.5), double("NaN"))
NOT_TIME = (text("2026-01-15T18:00:00Z"), text("2026-01-15"), integer(1768500000), double(1768500000.0),
            {"booleanValue": False}, {"mapValue": {"fields": {"seconds": integer(1768500000)}}})
NOT_ACTIVE = (text("true"), text("si"), integer(1), double(1.0), {"arrayValue": {}}, {"mapValue": {}})

# Doubles whose cents end in exactly a half, and such as only look like it.
HALVES = (0.125, 0.375, 10.625, 99.875, -0.125, -10.625)
NEAR_HALVES = (1.005, 2.675, 0.005, 8.575, 1.115, 0.1, 0.7, 1e-9)
HUGE = (integer(2**53 + 1), integer(2**63 - 1), integer(-(2**63)), double(1e300), double(-1e300), double(5e-324),
        double(9007199254740992.0), double(1e17))


def put(fields, key, value):
    """Sets a field; MISSING takes it away."""
    if value is MISSING:
        fields.pop(key, None)
    else:
        fields[key] = value


def put_one_of(key, values):
    return lambda rng, fields, _: put(fields, key, rng.choice(values))


# --- Moments ------------------------------------------------------------------------------------


def edge_of_day(rng, as_of):
    """The last or the first second of a local day of the two years before."""
    start = midnight(as_of - timedelta(days=rng.randrange(730)))
    return start - rng.choice(LAST_INSTANTS) if rng.random() < 0.5 else start + rng.choice(FIRST_INSTANTS)


def edge_of_month(rng, as_of):
    """The last or the first second of a local month, of the two years before or of a summer before 2022."""
    year, month = divmod(as_of.year * 12 + as_of.month - 1 - rng.randrange(24), 12)
    if rng.random() < 0.4:
        year, month = rng.randrange(2015, 2022), rng.randrange(4, 11)
    start = midnight(date(year, month + 1, 1))
    return start - rng.choice(LAST_INSTANTS) if rng.random() < 0.5 else start + rng.choice(FIRST_INSTANTS)


def around_a_change(rng, as_of):
    """Just before or after a change of daylight saving, or at an edge of its local day or of the next."""
    change = datetime.fromisoformat(rng.choice(CHANGES)).replace(tzinfo=timezone.utc)
    day = change.astimezone(ZONE).date()
    around = rng.choice((change, change - timedelta(hours=1), change + timedelta(hours=1),
                         midnight(day), midnight(day + timedelta(days=1)), midnight(day + timedelta(days=2))))
    return around - rng.choice(LAST_INSTANTS) if rng.random() < 0.5 else around + rng.choice(FIRST_INSTANTS)


def between_the_zones(rng, as_of):
    """A moment that is one day in UTC and another in the gym's zone."""
    return midnight(as_of - timedelta(days=rng.randrange(730))) - timedelta(seconds=rng.randrange(1, 6 * 3600))


def far_away(rng, as_of):
    """The very ends of what a timestamp holds, and the epoch."""
    return rng.choice(("0001-01-01T00:00:00Z", "0001-01-01T06:36:36Z", "1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z",
                       "1921-12-31T12:00:00Z", "9999-12-31T23:59:59.999999Z"))


def moments(key):
    """One kind of break for each sort of moment."""
    def kind(make):
        def apply(rng, fields, as_of):
            moment = make(rng, as_of)
            fields[key] = {"timestampValue": moment} if isinstance(moment, str) else ts(moment)
        return apply
    return {f"{key} {make.__name__.replace('_', ' ')}": kind(make)
            for make in (edge_of_day, edge_of_month, around_a_change, between_the_zones, far_away)}


# --- Breaks, by collection ----------------------------------------------------------------------


def amounts(huge):
    kinds = {
        "amount missing": put_one_of("amount", (MISSING,)),
        "amount null": put_one_of("amount", (NULL,)),
        "amount of another type": put_one_of("amount", WRONG),
        "amount not finite": put_one_of("amount", NOT_FINITE),
        "amount integer": put_one_of("amount", (integer(450), integer(1), integer(0), integer(-30))),
        "amount integral double": put_one_of("amount", (double(450), double(450.0), double(0.0), double(-0.0))),
        "amount half a cent": put_one_of("amount", tuple(map(double, HALVES))),
        "amount near half a cent": put_one_of("amount", tuple(map(double, NEAR_HALVES))),
        "currency": put_one_of("currency", (MISSING, NULL, text("USD"), text("mxn"), text(" "), text("MXN "), integer(1))),
        "amount negative": put_one_of("amount", (double(-60.0), double(-0.01))),
    }
    if huge:
        kinds["amount huge or tiny"] = put_one_of("amount", HUGE)
    return kinds


def names_of(key, known):
    """Breaks of a field that the report groups by."""
    return {
        f"{key} missing": put_one_of(key, (MISSING,)),
        f"{key} null": put_one_of(key, (NULL,)),
        f"{key} not a text": put_one_of(key, NOT_TEXT),
        f"{key} of no list": put_one_of(key, tuple(map(text, (
            "", " ", known.upper(), known + " ", "unknown", "otro método", "ñandú", "\uff5e", "\U0001f3cb")))),
    }


ACTIVE = {
    "isActive missing": put_one_of("isActive", (MISSING,)),
    "isActive null": put_one_of("isActive", (NULL,)),
    "isActive false": put_one_of("isActive", ({"booleanValue": False},)),
    "isActive of another type": put_one_of("isActive", NOT_ACTIVE),
}


def completed_without_moment(rng, fields, as_of):
    fields["status"] = text("completed")
    put(fields, "completedAt", rng.choice((MISSING, NULL, *NOT_TIME)))
    put(fields, "createdAt", rng.choice((MISSING, NULL, *NOT_TIME)))


def completed_in_another_month(rng, fields, as_of):
    fields["status"] = text("completed")
    fields["completedAt"] = ts(edge_of_month(rng, as_of))
    fields["createdAt"] = ts(edge_of_month(rng, as_of))


def payments(huge):
    return {
        "status other": put_one_of("status", tuple(map(text, ("refunded", "pending", "failed", "cancelled")))),
        "status near completed": put_one_of("status", tuple(map(text, ("Completed", "completed ", "complete", "COMPLETED", "")))),
        "status no text": put_one_of("status", (MISSING, NULL, {"booleanValue": True}, {"arrayValue": {"values": [text("completed")]}})),
        **amounts(huge), **names_of("type", "product"), **names_of("method", "cash"),
        "completedAt missing": put_one_of("completedAt", (MISSING,)),
        "completedAt null": put_one_of("completedAt", (NULL,)),
        "completedAt not a timestamp": put_one_of("completedAt", NOT_TIME),
        "createdAt missing": put_one_of("createdAt", (MISSING, NULL, *NOT_TIME)),
        "no moment": completed_without_moment,
        "two moments": completed_in_another_month,
        **moments("completedAt"),
    }


def expenses(huge):
    return {
        **amounts(huge), **names_of("category", "rent"), **ACTIVE, **moments("date"),
        "date missing": put_one_of("date", (MISSING,)),
        "date null": put_one_of("date", (NULL,)),
        "date not a timestamp": put_one_of("date", NOT_TIME),
    }


def favourites(rng, fields, ids):
    """Visits of a few members, so that the top ten has ties."""
    if ids:
        fields["memberId"] = text(rng.choice(ids[:14]))


def check_ins():
    return {
        **moments("checkInDate"),
        "checkInDate missing": put_one_of("checkInDate", (MISSING, NULL)),
        "checkInDate not a timestamp": put_one_of("checkInDate", NOT_TIME),
        "memberId missing": put_one_of("memberId", (MISSING, NULL)),
        "memberId empty": put_one_of("memberId", (text(""),)),
        "memberId not a text": put_one_of("memberId", NOT_TEXT),
        "memberId of nobody": put_one_of("memberId", tuple(map(text, ("nobody", "NOBODY", "ñobody", "\uff5e", "\U0001f3cb")))),
    }


NAME = ("firstName", "paternalLastName", "maternalLastName")


def name_part(values):
    return lambda rng, fields, _: put(fields, rng.choice(NAME), rng.choice(values))


def nameless(rng, fields, _):
    for key in NAME:
        put(fields, key, rng.choice((MISSING, NULL, text(""), text("  "), text("\u00a0\t"))))


def ends(days):
    def apply(rng, fields, as_of):
        start = midnight(as_of + timedelta(days=days))
        last = midnight(as_of + timedelta(days=days + 1))
        fields["membershipEndDate"] = ts(rng.choice(
            [start + instant for instant in FIRST_INSTANTS] + [last - instant for instant in LAST_INSTANTS]))
        if rng.random() < 0.8:
            fields["membershipStatus"] = text("active")
    return apply


def members():
    return {
        "a name part missing": name_part((MISSING, NULL)),
        "a name part blank": name_part((text(""), text(" "), text("\u00a0"), text("\u3000\n"))),
        "a name part not a text": name_part(NOT_TEXT),
        "a name part untidy": name_part((text(" Ana  María "), text("\u200b"), text("Peña\nRuiz"))),
        "no name": nameless,
        **names_of("membershipStatus", "active"), **ACTIVE,
        "membershipEndDate missing": put_one_of("membershipEndDate", (MISSING, NULL)),
        "membershipEndDate not a timestamp": put_one_of("membershipEndDate", NOT_TIME),
        "membershipEndDate far away": moments("membershipEndDate")["membershipEndDate far away"],
        **{f"ends in {days} days": ends(days) for days in (-1, 0, 1, 6, 7, 8)},
    }


def stock(*values):
    def apply(rng, fields, _):
        fields["stock"] = rng.choice(values)
        fields["isActive"] = {"booleanValue": True}
    return apply


def products():
    return {
        "stock 5": stock(integer(5)),
        "stock 6": stock(integer(6)),
        "stock 5.0": stock(double(5.0), double(5)),
        "stock 5.5": stock(double(5.5), double(4.5), double(5.000000000000001), double(0.5)),
        "stock as text": stock(text("5")),
        "stock negative": stock(integer(-1), double(-1.0)),
        "stock zero": stock(integer(0), double(-0.0)),
        "stock missing": put_one_of("stock", (MISSING, NULL)),
        "stock not finite": stock(*NOT_FINITE),
        "stock of another type": stock({"booleanValue": False}, {"arrayValue": {}}, {"mapValue": {}}),
        "name none": put_one_of("name", (MISSING, NULL, text(""), text(" "), integer(5))),
        # Where the stock is low, what stands in isActive shows.
        **{f"low, {kind}": lambda rng, fields, as_of, apply=apply: (stock(integer(5))(rng, fields, as_of), apply(rng, fields, as_of))
           for kind, apply in ACTIVE.items()},
    }


class Bag:
    """Kinds in random order, each one once before any comes again."""

    def __init__(self, rng, kinds):
        self.rng, self.kinds, self.left = rng, list(kinds), []

    def draw(self):
        if not self.left:
            self.left = self.rng.sample(self.kinds, len(self.kinds))
        return self.left.pop()


def nested(rng, member, as_of):
    """A payment below a member: a collection of the same name that is not payments."""
    fields = {"amount": double(1000.0), "status": text("completed"), "type": text("membership"), "method": text("cash"),
              "createdAt": ts(edge_of_day(rng, as_of)), "currency": text("MXN")}
    return {"fields": fields, "name": f"{member}/payments/{rng.randrange(10**12):012d}"}


def damage(source, target, seed, as_of, share, huge):
    """Copies the gym and returns how often each kind was applied."""
    made = Counter()
    kinds = {"payments": payments(huge), "expenses": expenses(huge), "check_ins": check_ins(),
             "members": members(), "products": products()}
    # Few expenses and products, so most of them are broken.
    shares = {"expenses": max(share, 0.7), "products": max(share, 0.9)}
    ids = []
    if (source / "members.jsonl").is_file():
        with (source / "members.jsonl").open("rb") as lines:
            for line, _ in zip(lines, range(14)):
                ids.append(json.loads(line)["name"].rpartition("/")[2])
    for path in sorted(source.glob("*.jsonl")):
        collection = path.stem
        if collection not in kinds:
            shutil.copyfile(path, target / path.name)
            continue
        rng = random.Random(f"{seed}:{collection}")
        bag = Bag(rng, kinds[collection])
        with path.open("rb") as lines, (target / path.name).open("wb") as out:
            for line in lines:
                document = json.loads(line) if line.strip() else {}
                if document.get("name", "").count("/") != 1:
                    out.write(line)
                    continue
                fields = document.setdefault("fields", {})
                changed = False
                if rng.random() < shares.get(collection, share):
                    # Sometimes two breaks meet in one document.
                    for _ in range(2 if rng.random() < 0.15 else 1):
                        kind = bag.draw()
                        kinds[collection][kind](rng, fields, as_of)
                        made[f"{collection}: {kind}"] += 1
                    changed = True
                if collection == "check_ins" and rng.random() < 0.1:
                    favourites(rng, fields, ids)
                    made["check_ins: memberId of a favourite"] += 1
                    changed = True
                out.write(ENCODER.encode(document).encode() + b"\n" if changed else line)
                if collection == "members" and rng.random() < 0.02:
                    out.write(ENCODER.encode(nested(rng, document["name"], as_of)).encode() + b"\n")
                    made["members: a payment below"] += 1
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="DIR", type=Path)
    parser.add_argument("-o", dest="target", metavar="DIR", type=Path, required=True, help="where the copy goes")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--as-of", metavar="DAY", type=date.fromisoformat, default=date(2026, 3, 2),
                        help="the day that end dates and moments are laid around (2026-03-02)")
    parser.add_argument("--share", type=float, default=0.35, help="the part of the documents that are broken (0.35)")
    parser.add_argument("--huge", action="store_true", help="also amounts at the ends of integers and doubles")
    args = parser.parse_args()
    if not args.source.is_dir():
        parser.error(f"not a directory: {args.source}")
    args.target.mkdir(parents=True, exist_ok=True)
    if args.target.samefile(args.source):
        parser.error("-o is the gym itself")
    made = damage(args.source, args.target, args.seed, args.as_of, args.share, args.huge)
    for kind, count in sorted(made.items()):
        print(f"{count:6d}  {kind}", file=sys.stderr)


if __name__ == "__main__":
    main()

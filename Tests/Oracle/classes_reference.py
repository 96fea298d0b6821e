#!/usr/bin/env python3
"""The week of classes and the attendance at them, computed in the plainest way.

An oracle: written from the text of the pages, sharing no code with the tool that it judges.

    classes_reference.py DIR week YYYY-MM-DD              the classes of the week, Monday to Sunday, that holds this date
    classes_reference.py DIR attendance --class ID        who came to a class
    classes_reference.py DIR attendance --member ID       where a member or a user came
    classes_reference.py DIR attendance --month YYYY-MM   who came in a month

DIR holds *.jsonl files of REST documents. Days and months are those of America/Mexico_City. A JSON object is printed
for each class or record; attendance ends with a line of sums.
Readings where the pages leave something open are marked OPEN.
"""

import argparse
import datetime
import json
import re
import sys
import zoneinfo
from collections import Counter, defaultdict

import app_reader
from app_reader import boolean, cast, full_name, joined, text, words

ZONE = zoneinfo.ZoneInfo("America/Mexico_City")


def day_of(fields, field):
    """The local date of an instant as YYYY-MM-DD, None where the field is no time."""
    spelled = cast(fields, field, app_reader.time)
    if spelled is None:
        return None
    # A fraction of a second moves no date.
    instant = datetime.datetime.fromisoformat(spelled[:19]).replace(tzinfo=datetime.timezone.utc)
    try:
        return instant.astimezone(ZONE).date().isoformat()
    except OverflowError:
        # The first hours of the year 1 are still the year before in Mexico.
        return "0000-12-31"


def key(fields, field):
    """A text that can be an id, None otherwise: an empty text is none."""
    return cast(fields, field, text) or None


def nulls_last(value):
    return (value is None, (value or "").encode())


def hour(start):
    """An hour as it is sorted: 7:00 as 07:00."""
    return "0" + start if start and re.match("[0-9]:", start) else start


class Gym:
    def __init__(self, documents):
        self.kinds = defaultdict(dict)
        for path, fields in documents.items():
            if path.count("/") == 1:
                collection, identifier = path.split("/")
                self.kinds[collection][identifier] = fields

    def week(self, date):
        monday = date - datetime.timedelta(days=date.weekday())
        days = [(monday + datetime.timedelta(days=i)).isoformat() for i in range(7)]
        booked = Counter(cast(fields, "classId", text) for fields in self.kinds["classBookings"].values()
                         if cast(fields, "estado", text) == "activa")
        lines = []
        for identifier, fields in self.kinds["classes"].items():
            _, read = app_reader.read(f"classes/{identifier}", fields)
            day = day_of(fields, "fecha")
            # OPEN: name and start that are missing are those of the app's reader: "".
            if day in days and read["isActive"]:
                lines.append({"day": day, "start": read["startTime"], "id": identifier, "name": read["name"],
                              "booked": booked[identifier], "capacity": cast(fields, "capacidadMax", app_reader.integer),
                              "minutes": cast(fields, "duracionMin", app_reader.integer)})
        return sorted(lines, key=lambda line: [text.encode() for text in (line["day"], hour(line["start"]), line["name"], line["id"])])

    def person(self, fields):
        """(id, name) of who came."""
        member, user = key(fields, "memberId"), key(fields, "userId")
        # OPEN: an empty id is nobody.
        own, account = self.kinds["members"].get(member), self.kinds["users"].get(user)
        # A member without any part of a name has none, like a user.
        name = None if own is None else joined(words(own, part) for part in app_reader.UNIFIED_NAMES)
        if name is None and account is not None:
            name = full_name(account)
        return member or user, name

    def selected(self, fields, class_id, member, month):
        if class_id is not None:
            return key(fields, "classId") == class_id
        if member is not None:
            linked = key(self.kinds["members"].get(member, {}), "linkedUserId")
            user = key(fields, "userId")
            account = self.kinds["users"].get(user, {})
            return (key(fields, "memberId") == member or user == member or user is not None and user == linked
                    or key(account, "linkedMemberId") == member)
        # OPEN: a class without a date counts as missing here. A record without any date is of no month.
        day = day_of(self.kinds["classes"].get(key(fields, "classId"), {}), "fecha") or day_of(fields, "timestamp")
        return day is not None and day[:7] == month

    def attendance(self, class_id=None, member=None, month=None):
        lines = []
        for identifier, fields in self.kinds["classAttendance"].items():
            if not self.selected(fields, class_id, member, month):
                continue
            held = self.kinds["classes"].get(key(fields, "classId"), {})
            person, name = self.person(fields)
            # OPEN: a missing classId is the app's reader's "". A class whose nombre or horaInicio is missing has null there.
            lines.append({"id": identifier, "classId": cast(fields, "classId", text, ""), "class": cast(held, "nombre", text),
                          "day": day_of(held, "fecha"), "start": cast(held, "horaInicio", text), "person": person,
                          "name": name, "attended": cast(fields, "asistio", boolean, False)})
        # OPEN: a start that is null comes last among those of its day.
        lines.sort(key=lambda line: (nulls_last(line["day"]), nulls_last(hour(line["start"])), line["classId"].encode(),
                                     nulls_last(line["name"]), line["id"].encode()))
        attended = sum(line["attended"] for line in lines)
        return [*lines, {"records": len(lines), "attended": attended, "rate": attended / len(lines) if lines else None}]


def month(spelled):
    if not re.fullmatch("[0-9]{4}-(0[1-9]|1[0-2])", spelled):
        raise argparse.ArgumentTypeError("a month is YYYY-MM")
    return spelled


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR")
    reports = parser.add_subparsers(dest="report", required=True)
    reports.add_parser("week").add_argument("date", metavar="YYYY-MM-DD", type=datetime.date.fromisoformat)
    which = reports.add_parser("attendance").add_mutually_exclusive_group(required=True)
    which.add_argument("--class", metavar="ID", dest="class_id")
    which.add_argument("--member", metavar="ID")
    which.add_argument("--month", metavar="YYYY-MM", type=month)
    options = parser.parse_args()
    sys.stdout.reconfigure(encoding="utf-8")
    gym = Gym(app_reader.load(options.folder))
    if options.report == "week":
        lines = gym.week(options.date)
    else:
        lines = gym.attendance(options.class_id, options.member, options.month)
    for line in lines:
        print(json.dumps(line, ensure_ascii=False, separators=(",", ":")))


if __name__ == "__main__":
    main()

"""Dates and times as people type them, and what moments they are."""

import datetime
import re
import zoneinfo

from rest_values import MOMENT

YEAR_LAST = re.compile(r"(?a)(\d{1,2})([/.-])(\d{1,2})\2(\d{4})")
YEAR_FIRST = re.compile(r"(?a)(\d{4})([/-])(\d{1,2})\2(\d{1,2})")
CLOCK = re.compile(r"(?a)(\d{1,2}):(\d\d)(?::(\d\d))?( [ap]\. m\.)?(?: ?([Zz]|UTC|[+-]\d\d(?::?\d\d)?))?")
UTC = datetime.timezone.utc


def stamp(moment):
    return {"timestampValue": moment.astimezone(UTC).isoformat().replace("+00:00", "Z")}


def order_of(pattern):
    """Which of the first two numbers is the day; None where the year is to be first."""
    return {"dd": "day", "MM": "month"}.get(re.split(r"[/.-]", pattern)[0])


def split_date(cell):
    """The numbers of a date, whether its year is last, and the rest of the cell; None where it is none."""
    date, _, clock = cell.partition(" ")
    if clock and not CLOCK.fullmatch(clock):
        return None
    if found := YEAR_FIRST.fullmatch(date):
        return (int(found[1]), int(found[3]), int(found[4])), False, clock
    if found := YEAR_LAST.fullmatch(date):
        return (int(found[4]), int(found[3]), int(found[1])), True, clock
    return None


def local_time(parts, clock, zone):
    """The moment of a date and a time of day in a zone; None where there is no such time."""
    hour = minute = second = 0
    if clock:
        found = CLOCK.fullmatch(clock)
        hour, minute, second = int(found[1]), int(found[2]), int(found[3] or 0)
        if found[4]:
            if not 1 <= hour <= 12:
                return None
            hour = hour % 12 + (12 if "p" in found[4] else 0)
    try:
        local = datetime.datetime(*parts, hour, minute, second)
    except ValueError:
        return None
    if clock and (given := found[5]):
        digits = given[1:].replace(":", "")
        east = 0 if given in ("Z", "z", "UTC") else (1 if given[0] == "+" else -1) * (int(digits[:2]) * 60 + int(digits[2:] or 0))
        return local.replace(tzinfo=datetime.timezone(datetime.timedelta(minutes=east)))
    return in_zone(local, zone)


def in_zone(local, zone):
    """Of an hour that comes twice the first; None for a time that the clocks leave out."""
    moment = local.replace(tzinfo=zoneinfo.ZoneInfo(zone), fold=0)
    try:
        return moment if moment.astimezone(UTC).astimezone(moment.tzinfo).replace(tzinfo=None) == local else None
    except OverflowError:
        return None


def moment(cell, order, options):
    """A moment of RFC 3339, or a date whose order is given; None where it is none."""
    if MOMENT.fullmatch(cell):
        try:
            return datetime.datetime.fromisoformat(cell.replace("Z", "+00:00"))
        except ValueError:
            return None
    if not (found := split_date(cell)):
        return None
    parts, last, clock = found
    if last:
        if order is None:
            return None
        if order == "month":
            parts = (parts[0], parts[2], parts[1])
    return local_time(parts, clock, options.zone)


def loose_moment(cell, order, options):
    """A moment in forms of which the page says nothing: `2026.12.31`, `6:30 p.m.`, `2026-12-31T18:30`, parts of seconds."""
    cell = re.sub(r"(?a)^(\d{4})\.(\d{1,2})\.(\d{1,2})(?=\D|$)", r"\1/\2/\3", cell)
    cell = re.sub(r"\s*([apAP])\.?\s*[mM]\.?$", lambda found: f" {found[1].lower()}. m.", cell)
    cell = re.sub(r"(?a)(?<=\d)(\s+|\s*[tT,]\s*)(?=\d)", " ", cell)
    part = re.search(r"(?a)(?<=:\d\d)\.\d+", cell)
    found = moment(cell.replace(part[0], "") if part else cell, order, options)
    return found + datetime.timedelta(seconds=float(part[0])) if found and part else found

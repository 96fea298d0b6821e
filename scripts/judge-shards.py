#!/usr/bin/env python3
"""Judges what shards left in an embedded store, by its tables and by what the runs said.

    judge-shards.py STORE wait DATABASE WRITES        returns once so many writes to documents are stored
    judge-shards.py STORE extent DATABASE             prints the numbers of documents and of their former versions
    judge-shards.py STORE keep DATABASE FILE          writes the fields of all documents to FILE
    judge-shards.py STORE kept DATABASE FILE          fails unless they are what was kept
    judge-shards.py STORE same ONE MANY               fails unless every document has been through the same in both
    judge-shards.py STORE pace DATABASE LIMIT FIRST   fails if more writes than that were stored within any second, of
                                                      those after so many
    judge-shards.py STORE accounts ONE.json MANY.json fails unless both summaries count the same, and add up

STORE is FILE,PROJECT.
"""
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))

from store_tables import StoreTables

SETTLED = ("written", "unchanged", "skipped", "superseded", "rejected", "conflicted")
SECOND = 1_000_000


def store():
    path, project = sys.argv[1].rsplit(",", 1)
    return StoreTables(path, None, project)


def wait(database, writes):
    deadline = time.monotonic() + 300
    while len(store().write_times(database)) < int(writes):
        if time.monotonic() > deadline:
            sys.exit(f"{database} did not come to {writes} writes within 300 s")
        time.sleep(0.2)


def extent(database):
    print(*store().extent(database))


def keep(database, file):
    with open(file, "w") as out:
        json.dump(store().fields(database), out)


def kept(database, file):
    with open(file) as before:
        compare(json.load(before), store().fields(database), "as before")


def same(one, many):
    tables = store()
    compare(tables.histories(one), tables.histories(many), "as one process leaves it")


def compare(expected, found, what):
    names = sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))
    if names:
        name = names[0]
        sys.exit(f"{len(names)} documents are not {what}, as {name}: {found.get(name)}, not {expected.get(name)}")
    print(f"  {len(found):,} documents are {what}")


def pace(database, limit, before):
    times = store().write_times(database)[int(before):]
    first, most = 0, 0
    for last, moment in enumerate(times):
        while moment - times[first] >= SECOND:
            first += 1
        most = max(most, last - first + 1)
    length = (times[-1] - times[0]) / SECOND if times else 0
    print(f"  {len(times):,} writes in {length:.1f} s, at most {most} within a second; allowed are {limit}")
    if most > int(limit):
        sys.exit("more writes were stored within a second than one run's ramp allows")


def accounts(one, many):
    with open(one) as first, open(many) as second:
        one, many = json.load(first), json.load(second)
    for summary in (one, many):
        totals = summary["totals"]
        if totals["read"] + totals["created"] != sum(totals[name] for name in SETTLED):
            sys.exit(f"the accounts do not add up: {totals}")
    if one["totals"] != many["totals"] or one["exitCode"] != many["exitCode"]:
        sys.exit(f"the accounts are {many['totals']} ({many['exitCode']}), not {one['totals']} ({one['exitCode']})")
    print(f"  accounts {many['totals']}")


commands = {each.__name__: each for each in (wait, extent, keep, kept, same, pace, accounts)}
if len(sys.argv) < 3 or sys.argv[2] not in commands:
    sys.exit(__doc__)
commands[sys.argv[2]](*sys.argv[3:])

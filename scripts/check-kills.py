#!/usr/bin/env python3
"""Kills the program at random moments of an import, a migration and an undo, takes the runs up again, and judges what is left.

    scripts/check-kills.py [--binary FILE] [--points N] [--documents N] [--users N] [--seed N]
                           [--work import|apply|undo|program|its-program|all]

The program under test works against a second process of it that serves an embedded store, so a kill (-9) takes nothing but
the client. For every point, in a database of its own: the run is started and killed after a random time, looked at, resumed
again (killed again sometimes), and compared with an uninterrupted run.

- The moments are spread evenly over the length of an uninterrupted run, which is measured anew every some points, because
  other load comes and goes. Where the run ended before its kill, another moment is drawn; only kills of a run that was at
  work count.
- `program` is a migration that asks two processes of a program, `its-program` the same, but one of these processes is killed: gymmigrate
  ends in 65 then. At the end the run is undone, and the documents have to be those from before.
- After a kill, what `runs list` and `migrate status` say has to be true: a run that wrote is `killed` and can be resumed, it is in
  the ledger and holds the lease; a ledger that says that the run is done has all of it in the store.
- At the end, the store's tables have to be those of an uninterrupted run: every document, every version that it ever had, and
  which of its times are the server's. A write or a server-time transform that was applied twice is a version more. After an
  undo, the documents have to be those from before the apply, byte for byte, server times included.
- The run's folder (state, exit code, accounts, lists) and the ledger (states, accounts, no lease, nothing half-way) have to be
  those of an uninterrupted run, too.

Ends in 1 where anything differs.
"""
import argparse
import collections
import contextlib
import glob
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [f"{here}/scripts/lib", f"{here}/Tests/Judges"]

from judging import Store, Wrong
from store_tables import StoreTables

PROJECT = "kills"
# Points between two measurements of an uninterrupted run.
MEASURES = 20
# Kills of one run at the most.
KILLS = 4


class Tool:
    """The program under test, each database with a state folder of its own."""

    def __init__(self, binary, folder, host):
        self.binary, self.folder, self.host = binary, folder, host
        # Runs that did nothing, and are not looked at.
        self.empty = set()

    def state(self, database):
        return f"{self.folder}/{database}"

    def arguments(self, command, database):
        place = [] if command[0] == "runs" else [
            "--project", PROJECT, "--database", database, "--endpoint", f"http://{self.host}",
            "--schema", "gym",
        ]
        return [self.binary, *command, *place, "--state-dir", self.state(database)]

    def run(self, command, database):
        return subprocess.run(self.arguments(command, database), capture_output=True, text=True)

    def json(self, command, database):
        result = self.run([*command, "--json"], database)
        if result.returncode != 0:
            raise Wrong(f"{' '.join(command)} ends in {result.returncode}: {result.stderr}")
        return json.loads(result.stdout)

    def killed(self, command, database, after, victim=lambda process: process.pid):
        """Starts a command and kills it, or another victim, after a time: its exit code, and what it said."""
        with tempfile.TemporaryFile("w+") as errors:
            process = subprocess.Popen(self.arguments(command, database), stdout=subprocess.DEVNULL, stderr=errors)
            try:
                process.wait(timeout=after)
            except subprocess.TimeoutExpired:
                chosen = victim(process)
                with contextlib.suppress(ProcessLookupError):
                    if chosen:
                        os.kill(chosen, signal.SIGKILL)
                process.wait()
            errors.seek(0)
            return process.returncode, errors.read()

    def runs(self, database):
        return [run for run in self.json(["runs", "list"], database) if run["runId"] not in self.empty]

    def ledger(self, database):
        """What the ledger says, without the imports, which hold no lease."""
        ledger = self.json(["migrate", "status"], database)
        ledger["runs"] = [
            run for run in ledger["runs"] if "-import-" not in run["runId"] and run["runId"] not in self.empty
        ]
        return ledger

    def ending(self, database):
        """What the folder of the last run and the ledger say, without what differs between any two runs."""
        runs, ledger = self.runs(database), self.ledger(database)
        ids = {run["runId"]: number for number, run in enumerate(runs)}
        folder = f"{self.state(database)}/runs/{runs[-1]['runId']}"
        with open(f"{folder}/summary.json") as file:
            summary = json.load(file)
        found = {
            "runs": [[run[key] for key in ("status", "canGoOn", "exitCode", "totals")] for run in runs],
            "run shown": self.json(["runs", "show", runs[-1]["runId"]], database)["status"],
            "summary": [summary["status"], summary["exitCode"], summary["totals"]],
            "collections": sorted(summary["collections"], key=lambda part: part["name"]),
            "lease": ledger["lease"],
            "ledger": [
                [ids.get(run["runId"], run["runId"]), run["status"], run["isHalfWay"], run["totals"],
                 ids.get(run.get("undoes")), ids.get(run.get("undoneBy"))]
                for run in ledger["runs"]
            ],
        }
        for name in ("rejects.jsonl", "review.csv", "findings.csv", "findings.jsonl"):
            path = f"{folder}/{name}"
            lines = sorted(open(path, newline="")) if os.path.exists(path) else []
            found[name] = lines
        # The same command lists rejected documents as they are by then, with what later migrations wrote.
        rejects = [json.loads(line) for line in found["rejects.jsonl"]]
        found["rejects.jsonl"] = sorted([reject["code"], reject["path"], reject["message"]] for reject in rejects)
        return found


def awkward(users, folder):
    """Files with users to import: some are there before, some of those are other ones, some lines are none, some cannot be
    stored, one comes twice."""
    lines = open(users).read().splitlines()
    with open(f"{folder}/there.jsonl", "w") as there, open(f"{folder}/users.jsonl", "w") as file:
        for number, line in enumerate(lines):
            if number % 10 == 3:
                other = {"fields": {"x": {"integerValue": "1"}}, "name": json.loads(line)["name"]}
                there.write((line if number % 30 == 3 else json.dumps(other)) + "\n")
            file.write(line + "\n")
            if number % 1999 == 1998:
                bad = {"fields": {"__reserved__": {"nullValue": None}}, "name": f"users/bad{number}"}
                file.write('{"name":\n' + json.dumps(bad) + "\n")
        file.write(lines[5] + "\n")
    return f"{folder}/there.jsonl", f"{folder}/users.jsonl"


def text_of(name):
    """What a file of a process holds; nothing where the process is gone."""
    try:
        with open(name) as file:
            return file.read()
    except OSError:
        return ""


def program(folder):
    """A migration whose program answers everything that one can."""
    with open(f"{folder}/roles.yaml", "w") as file:
        file.write("id: roles\nsummary: Roles.\ncollection: users\nsteps: [{run: [python3, roles.py]}]\n")
    with open(f"{folder}/roles.py", "w") as file:
        file.write(PROGRAM)
    words = ["--processes", "2", "--max-delete", "100000", "--allow-schema-breaks", "-q"]
    return ["migrate", "apply", f"{folder}/roles.yaml", *words]


PROGRAM = """
import json, sys, zlib
for line in sys.stdin:
    document = json.loads(line)
    number = zlib.crc32(document["name"].encode()) % 50
    document["fields"]["seen"] = {"integerValue": str(number)}
    answers = {0: {"skip": "no"}, 1: {"review": "who?"}, 2: {"reject": "bad"}, 3: {"delete": True}, 4: {"same": True}}
    print(json.dumps(answers.get(number, document)), flush=True)
"""


class Work:
    """One kind of run, and how to take it up again."""

    def __init__(self, name, command, prepare, ledger, again, is_undone=False, kills_program=False):
        self.name, self.command, self.prepare = name, command, prepare
        # Whether the ledger knows it, and whether the same command takes it up as `runs resume` does.
        self.ledger, self.again = ledger, again
        # Whether it is undone at its end, and whether its program is killed in its place: the exit code then, and the state.
        self.is_undone, self.kills_program = is_undone, kills_program
        self.code, self.state = (65, "failed") if kills_program else (-signal.SIGKILL, "killed")


class Judge:
    """Kills one kind of work again and again."""

    def __init__(self, tool, store, work, options):
        self.tool, self.store, self.work, self.options = tool, store, work, options
        self.chance = random.Random(f"{options.seed} {work.name}")
        self.counts = collections.Counter()

    def ready(self, database):
        """A database with what the work begins from; what it holds before the apply that an undo undoes."""
        before = None
        for command in self.work.prepare:
            if command[0] == "migrate":
                before = self.store.fields(database)
            result = self.tool.run(command, database)
            if result.returncode not in (0, 2):
                sys.exit(f"{command}: {result.stderr}")
            if command[0] == "import":
                shutil.rmtree(f"{self.tool.state(database)}/runs")
        if self.work.is_undone:
            before = self.store.fields(database)
        self.own = sum(command[0] != "import" for command in self.work.prepare)
        self.prepared = self.store.extent(database)
        return before

    def leave(self, database):
        self.store.clear(database)
        shutil.rmtree(self.tool.state(database), ignore_errors=True)

    def measure(self, database):
        """An uninterrupted run: how long it takes, and what it leaves."""
        before = self.ready(database)
        began = time.monotonic()
        result = self.tool.run(self.work.command, database)
        self.length = time.monotonic() - began
        if result.returncode not in (0, 2):
            sys.exit(f"{self.work.command}: {result.stderr}")
        self.final = self.store.extent(database)
        left = self.left(database, before)
        self.leave(database)
        return left

    def left(self, database, before):
        left = self.tool.ending(database)
        left["documents"] = self.store.histories(database)
        if self.work.is_undone:
            left["undo"] = self.tool.run(["migrate", "undo", "last", "-q"], database).returncode
        if before is not None:
            left["as before"] = self.store.fields(database) == before
        return left

    def killed(self, command, database, after):
        """As the tool's: a process of the program is killed where the work says so, if there is one."""
        def program(process):
            # Each thread has its own.
            lists = glob.glob(f"/proc/{process.pid}/task/*/children")
            children = sorted(child for name in lists for child in text_of(name).split())
            return int(self.chance.choice(children)) if children else None

        if self.work.kills_program:
            return self.tool.killed(command, database, after, program)
        return self.tool.killed(command, database, after)

    def assert_true(self, database, counts):
        """Judges what is said of a run that was just killed: whether there is one to resume."""
        runs = self.tool.runs(database)[self.own:]
        extent = self.store.extent(database)
        if len(runs) > 1:
            raise Wrong(f"{len(runs)} runs where there is one")
        own = runs[0] if runs else None
        if own and own["status"] != self.work.state:
            # The kill came when all was over.
            if not own["status"] in ("done", "incomplete") or own["canGoOn"] or extent != self.final:
                raise Wrong(f"a killed run is {own['status']}")
            return None
        if own and not own["canGoOn"]:
            # A run that failed before it wrote anything keeps nobody away, and the same command begins another.
            ledger = self.tool.ledger(database)
            is_open = not ledger["lease"] and not any(run["isHalfWay"] for run in ledger["runs"])
            if not self.work.kills_program or extent != self.prepared or not is_open:
                raise Wrong("a killed run that cannot be resumed")
            self.tool.empty.add(own["runId"])
            counts["before"] += 1
            return None
        where = "before" if extent == self.prepared else "after" if extent == self.final else "during"
        counts[where] += 1
        if not own and where != "before":
            raise Wrong("there are writes and no run")
        if not self.work.ledger:
            return own
        ledger = self.tool.ledger(database)
        *others, entry = ledger["runs"] if own and len(ledger["runs"]) > self.own else [*ledger["runs"], None]
        if len(others) != self.own or (entry and entry["runId"] != own["runId"]):
            raise Wrong(f"the ledger knows {[run['runId'] for run in ledger['runs']]}")
        if entry is None:
            if where != "before":
                raise Wrong("there are writes and no entry in the ledger")
        elif entry["status"] == "failed" and self.work.kills_program:
            if entry["isHalfWay"] != (where != "before") or ledger["lease"]:
                raise Wrong(f"a run that failed {where} its writes: {ledger}")
        elif entry["status"] == "running":
            if entry["isHalfWay"] or (ledger["lease"] or {}).get("runId") != own["runId"]:
                raise Wrong(f"a run that is at work does not hold the lease: {ledger}")
        elif where != "after" or entry["status"] not in ("done", "incomplete"):
            raise Wrong(f"the ledger says {entry['status']} of a run that was killed {where} its writes")
        for other in others:
            if other["status"] == "undone" and where != "after":
                raise Wrong("the ledger calls undone what is not")
            if other["status"] not in ("done", "incomplete", "undone") or other["isHalfWay"]:
                raise Wrong(f"the ledger calls the run before it {other['status']}")
        return own

    def play(self, point, database, share):
        """Kills one run, takes it up to its end: whether the kill came in time."""
        began = time.monotonic()
        code, errors = self.killed(self.work.command, database, share * self.length)
        if code != self.work.code:
            # The machine is less busy by now.
            self.length = time.monotonic() - began
            return False
        counts = collections.Counter()
        own = self.assert_true(database, counts)
        if not counts:
            return False
        self.counts += counts
        kills = 1
        while True:
            command = self.work.command
            if own and (not self.work.again or (point + kills) % 2):
                command = ["runs", "resume", "last"]
            # Killed again sometimes, but not for ever.
            if kills < KILLS and self.chance.random() < 0.4:
                code, errors = self.killed(command, database, self.chance.uniform(0, self.length))
            else:
                result = self.tool.run(command, database)
                code, errors = result.returncode, result.stderr
            if code != self.work.code:
                if code not in (0, 2):
                    raise Wrong(f"{' '.join(command)} ends in {code}: {errors}")
                return True
            own, was = self.assert_true(database, collections.Counter()), own
            kills += 1
            self.counts["again"] += 1
            if own is None and was is not None and self.tool.runs(database)[-1]["status"] != self.work.state:
                return True

    def run(self):
        """All points; how many went wrong."""
        name, options, began = self.work.name, self.options, time.monotonic()
        expected = self.measure(f"{name}-base")
        self.say(f"{name}: {self.length:.2f} s uninterrupted, accounts {expected['summary']}")
        self.assert_expected(expected)
        # Each point has its share of the length, in an order of chance.
        shares = list(range(options.points))
        self.chance.shuffle(shares)
        for point, share in enumerate(shares):
            if point % MEASURES == MEASURES - 1:
                self.compare("uninterrupted", self.measure(f"{name}-measure-{point}"), expected)
                self.say(f"{name}: {point} points, {self.sums()}, {self.length:.2f} s uninterrupted")
            share = (share + self.chance.random()) / options.points
            attempt = 0
            while True:
                database = f"{name}-{point}-{attempt}"
                before = self.ready(database)
                try:
                    is_in_time = self.play(point, database, share)
                    problems = self.differences(self.left(database, before), expected)
                except Wrong as wrong:
                    is_in_time, problems = True, [str(wrong)]
                if problems:
                    self.counts["wrong"] += 1
                    self.say(f"{name} point {point} ({share:.3f} of {self.length:.2f} s): " + "; ".join(problems))
                    if options.keep:
                        shutil.copytree(self.tool.state(database), f"{options.keep}/{database}", dirs_exist_ok=True)
                self.leave(database)
                if is_in_time:
                    break
                self.counts["late"] += 1
                attempt += 1
                share = self.chance.random()
        self.say(f"{name}: {options.points} points, {self.sums()}, {time.monotonic() - began:.0f} s")
        return self.counts["wrong"]

    def assert_expected(self, left):
        """What has to hold of an uninterrupted run itself."""
        is_done = "incomplete" if left["summary"][1] == 2 else "done"
        states = {"import": [], "undo": ["undone", is_done]}.get(self.work.name, [is_done])
        if left["lease"] or [run[1] for run in left["ledger"]] != states or any(run[2] for run in left["ledger"]):
            sys.exit(f"the ledger of an uninterrupted run: {left['lease']} {left['ledger']}")
        if [run[0] for run in left["runs"]] != (states or [is_done]) or not left.get("as before", True) or left.get("undo"):
            sys.exit(f"an uninterrupted run: {left['runs']}, as before: {left.get('as before')}, undo: {left.get('undo')}")

    def differences(self, left, expected):
        """What of a database and its runs is not as expected."""
        problems = []
        for key, value in expected.items():
            if left[key] == value:
                continue
            if key != "documents":
                problems.append(f"{key}: {left[key]}, not {value}" if len(str(value)) < 2000 else key)
                continue
            names = [path for path in sorted(value.keys() | left[key].keys()) if value.get(path) != left[key].get(path)]
            some = names[0]
            problems.append(f"{len(names)} documents, as {some}: {left[key].get(some)}, not {value.get(some)}")
        return problems

    def compare(self, what, left, expected):
        problems = self.differences(left, expected)
        if problems:
            self.counts["wrong"] += 1
            self.say(f"{self.work.name} {what}: " + "; ".join(problems))

    def sums(self):
        counts = self.counts
        return (
            f"kills: {counts['before']} before the first write, {counts['during']} between writes, {counts['after']} after "
            f"the last, {counts['again']} of runs that were resumed; {counts['late']} came too late and do not count; "
            f"{counts['wrong']} wrong"
        )

    def say(self, text):
        print(text, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="bin/gymmigrate")
    parser.add_argument("--points", type=int, default=200, help="kills of each kind of work")
    parser.add_argument("--documents", type=int, default=20000, help="documents of the import")
    parser.add_argument("--users", type=int, default=3000, help="users of the migration and its undo")
    parser.add_argument("--seed", type=int, default=1)
    works = ["import", "apply", "undo", "program", "its-program", "all"]
    parser.add_argument("--work", choices=works, default="all")
    parser.add_argument("--keep", help="a folder for the state of points that went wrong")
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    folder = tempfile.mkdtemp()
    data = f"{folder}/store.sqlite"
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        host = stack.enter_context(Store(binary, options=["--data", data])).host
        files = {}
        for number in (options.documents, options.users):
            files[number] = f"{folder}/data-{number}"
            subprocess.run(
                [sys.executable, f"{here}/samples/gym/generate.py", "--out", files[number], "--users", str(number)],
                check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
        there, users = awkward(f"{files[options.documents]}/users.jsonl", folder)
        gym = files[options.users]
        # One commit after the other, so that the documents are of the same age in every database.
        prepare = ["import", f"{gym}/users.jsonl", f"{gym}/user_emails.jsonl", "-q", "--in-flight", "1"]
        apply = ["migrate", "apply", "users-unify", "user-emails", "is-active", "--prune", "--max-delete", "100000", "-q"]
        undo = ["migrate", "undo", "last", "-q"]
        works = [
            # An import that is given again is a new run.
            Work(
                "import", ["import", users, "--parse-errors", "skip-row", "-q"], [["import", there, "-q", "--in-flight", "1"]],
                False, False,
            ),
            Work("apply", apply, [prepare], True, True),
            Work("undo", undo, [prepare, apply], True, True),
            Work("program", program(folder), [prepare], True, True, is_undone=True),
            Work("its-program", program(folder), [prepare], True, True, is_undone=True, kills_program=True),
        ]
        tool, store = Tool(binary, folder, host), StoreTables(data, host, PROJECT)
        wrong = [Judge(tool, store, work, options).run() for work in works if options.work in (work.name, "all")]
        sys.exit(1 if any(wrong) else 0)


if __name__ == "__main__":
    main()

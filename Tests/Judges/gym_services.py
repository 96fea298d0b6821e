#!/usr/bin/env python3
"""Holds the commands for groups and classes to a reference of its own, on a service that fails.

    python3 gym_services.py path/to/gymmigrate [seed]

Between the program and its embedded store stands a proxy that loses a fifth of requests and answers, or answers 503, 429
or ABORTED, and that looks at every group after every commit: `memberCount` is the number of its members, ten at most.
What the store holds afterwards is compared with a model of groups, and with the calendar of Python's `datetime` and
`zoneinfo`. Needs nothing but Python's own library.
"""

import datetime
import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import zoneinfo

from judging import Handler, Server, Store, need, run_judge, scratch, text

ROOT = "projects/p/databases/(default)"
ZONE = zoneinfo.ZoneInfo("America/Mexico_City")
WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


# The store.


class Gym(Store):
    """The program's own store, asked directly."""

    def call(self, method, target, body=None):
        connection = http.client.HTTPConnection(self.host, timeout=60)
        headers = {"Authorization": "Bearer owner", "Content-Type": "application/json"}
        connection.request(method, f"/v1/{ROOT}/{target}", body and json.dumps(body), headers)
        response = connection.getresponse()
        answer = json.loads(response.read() or "{}")
        connection.close()
        need(response.status == 200, f"{target}: {response.status} {answer}")
        return answer

    def put(self, path, fields):
        write = {"update": {"name": f"{ROOT}/documents/{path}", "fields": fields}}
        self.call("POST", "documents:commit", {"writes": [write]})

    def clear(self):
        names = [{"delete": document["name"]} for document in self.all("", every=True)]
        for start in range(0, len(names), 400):
            self.call("POST", "documents:commit", {"writes": names[start : start + 400]})

    def all(self, collection, parent="", every=False, descendants=False):
        source = {"collectionId": collection} if collection else {}
        if descendants or every:
            source["allDescendants"] = True
        answer = self.call("POST", f"documents{parent}:runQuery", {"structuredQuery": {"from": [source]}})
        return [part["document"] for part in answer if "document" in part]

    def groups(self):
        """What every group says its number of members is, and the ids of those it has."""
        groups = {}
        for document in self.all("groups"):
            id = document["name"].rsplit("/", 1)[1]
            groups[id] = [int(document["fields"]["memberCount"]["integerValue"]), set()]
        for document in self.all("members", descendants=True):
            parts = document["name"].removeprefix(f"{ROOT}/documents/").split("/")
            if len(parts) == 4:
                groups.setdefault(parts[1], [None, set()])[1].add(parts[3])
        return groups


class Proxy:
    """Passes requests on to the store, some of them badly, and looks at the groups after each commit."""

    def __init__(self, store, random):
        self.share, self.commits, self.on_commit, self.wrong = 0.0, 0, None, []
        gate = threading.Lock()
        proxy = self

        class Passing(Handler):
            def pass_on(self):
                body = self.body()
                with gate:
                    fault = None
                    if random.random() < proxy.share:
                        fault = random.choice(["request", "answer", 503, 429, 409])
                    if fault == "request":
                        return self.hang_up()
                    if isinstance(fault, int):
                        status = {503: "UNAVAILABLE", 429: "RESOURCE_EXHAUSTED", 409: "ABORTED"}[fault]
                        error = {"error": {"code": fault, "message": "a fault", "status": status}}
                        return self.respond(fault, json.dumps(error).encode())
                    status, answer, type = self.asked(store.host, body)
                    is_commit = self.path.partition("?")[0].endswith(":commit") and b"/documents/_gymmigrate" not in body
                    if is_commit and status == 200:
                        proxy.commits += 1
                        for id, (count, members) in store.groups().items():
                            if count != len(members) or len(members) > 10:
                                proxy.wrong.append(f"{id}: memberCount {count}, {len(members)} members")
                        if proxy.on_commit:
                            proxy.on_commit(proxy.commits)
                    if fault == "answer":
                        return self.hang_up()
                    self.respond(status, answer, type)

            do_GET = do_POST = do_PATCH = do_DELETE = pass_on

        self.endpoint = Server(Passing).endpoint


class Program:
    def __init__(self, program, folder, proxy):
        self.program, self.folder, self.proxy = program, folder, proxy
        (folder / "places.yaml").write_text(
            f"project: p\nschema: gym\nenvironments:\n  stage: {{ endpoint: '{proxy.endpoint}' }}\n"
        )

    def start(self, *arguments, place=True):
        place = ["-e", "stage", "--config", "places.yaml"] if place else []
        return subprocess.Popen(
            [self.program, *arguments, *place], cwd=self.folder, text=True,
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder)},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )

    def end(self, process, ends=(0,)):
        output, errors = process.communicate(timeout=300)
        need(process.returncode in ends, f"{process.args} ended in {process.returncode}:\n{errors[-2000:]}")
        need(not self.proxy.wrong, f"{process.args}: {self.proxy.wrong}")
        return output, errors

    def __call__(self, *arguments, ends=(0,), place=True):
        return self.end(self.start(*arguments, place=place), ends)

    def killed(self, *arguments, at):
        """Runs a command that is killed when the store has made a number of commits; then resumes it."""
        process = self.start(*arguments)
        first = self.proxy.commits
        self.proxy.on_commit = lambda commits: commits - first == at and process.send_signal(signal.SIGKILL)
        process.communicate(timeout=300)
        self.proxy.on_commit = None
        need(process.returncode == -signal.SIGKILL, f"{arguments} ended in {process.returncode} before it was killed")
        return self("runs", "resume", "last", place=False, ends=(0, 2))

    def undo(self):
        """Undoes the last run, of which each transaction is undone in one: the counts are right after every commit."""
        self("runs", "undo", "last", place=False)


# Groups.


class Model:
    """Groups as domain.md has them: at most ten members, an active admin as long as there is a group."""

    def __init__(self, users):
        self.users, self.groups, self.admins, self.current = set(users), {}, {}, {}

    def add(self, group, user, admin):
        if group not in self.groups:
            return "group-not-found"
        if user not in self.users:
            return "user-not-found"
        if user in self.groups[group]:
            return "already-member"
        if len(self.groups[group]) >= 10:
            return "group-full"
        self.groups[group].add(user)
        if admin:
            self.admins[group].add(user)

    def remove(self, group, user):
        if group not in self.groups:
            return "group-not-found"
        if user not in self.groups[group]:
            return "not-member"
        if not self.admins[group] - {user}:
            return "last-admin"
        self.groups[group].remove(user)
        self.admins[group].discard(user)
        if self.current.get(user) == group:
            del self.current[user]

    def delete(self, group):
        if group not in self.groups:
            return "group-not-found"
        for user in self.groups.pop(group):
            if self.current.get(user) == group:
                del self.current[user]
        del self.admins[group]

    def create(self, group, user):
        if user not in self.users:
            return "user-not-found"
        self.groups[group], self.admins[group] = {user}, {user}


def seed_users(store, names):
    for name in names:
        store.put(f"users/{name}", {"fullName": text(f"Persona {name}"), "role": text("member"), "isActive": {"booleanValue": True}})


def compare(store, model, what):
    found = {id: members for id, (_, members) in store.groups().items()}
    need(found == model.groups, f"{what}: the groups are {found}, not {model.groups}")
    admins = {id: set() for id in found}
    for document in store.all("members", descendants=True):
        parts = document["name"].removeprefix(f"{ROOT}/documents/").split("/")
        if document["fields"]["role"] == text("admin"):
            admins[parts[1]].add(parts[3])
        need(document["fields"]["isActive"] == {"booleanValue": True}, f"{what}: {parts} is not active")
        need("timestampValue" in document["fields"]["joinedAt"], f"{what}: {parts} has no joinedAt")
    need(admins == model.admins, f"{what}: the admins are {admins}, not {model.admins}")
    current = {
        document["name"].rsplit("/", 1)[1]: document["fields"]["currentGroupId"]["stringValue"]
        for document in store.all("users") if "currentGroupId" in document["fields"]
    }
    need(current == model.current, f"{what}: the current groups are {current}, not {model.current}")


def rejects(program):
    """The codes of the last run's rejects, by document."""
    found = {}
    for run in sorted((program.folder / ".gymmigrate/runs").iterdir(), key=lambda run: (run / "run.json").stat().st_mtime)[-1:]:
        path = run / "rejects.jsonl"
        for line in path.read_text().splitlines() if path.exists() else []:
            reject = json.loads(line)
            found.setdefault(reject["path"].rsplit("/documents/", 1)[-1], []).append(reject["code"])
    return found


def refusals(store, program):
    """Each refusal once, in an order that does not hang on chance."""
    store.clear()
    users = [f"u{n}" for n in range(12)]
    seed_users(store, users)
    model = Model(users)

    def step(expected, kind, group, user):
        command = ["groups", "create", "Grupo", "--owner", user] if kind == "create" else ["groups", kind, group, user]
        output, _ = program(*command, ends=(2,) if expected else (0,))
        if kind == "create":
            need(bool(expected) != bool(output.split()), f"create {user} printed {output!r}")
            group = None if expected else output.split()[0]
        refused = {"create": model.create, "remove": model.remove}.get(kind, lambda *to: model.add(*to, False))(group, user)
        need(refused == expected, f"the model refuses {kind} {user} with {refused}, not {expected}")
        found = [code for codes in rejects(program).values() for code in codes]
        need(found == [expected] * bool(expected), f"{kind} {user}: the rejects are {found}, not {expected}")
        compare(store, model, f"{kind} {user}")
        return group

    step("user-not-found", "create", None, "stranger")
    group = step(None, "create", None, "u0")
    step("group-not-found", "add", "nobody", "u1")
    step("group-not-found", "remove", "nobody", "u1")
    step("user-not-found", "add", group, "stranger")
    step("already-member", "add", group, "u0")
    step("not-member", "remove", group, "u1")
    step("last-admin", "remove", group, "u0")
    for user in users[1:10]:
        step(None, "add", group, user)
    step("group-full", "add", group, "u10")
    step(None, "remove", group, "u1")
    step(None, "add", group, "u10")


def sequence(store, program, random, steps):
    """Random operations one after the other, half of which should be refused, each refusal with its code."""
    store.clear()
    users = [f"u{n}" for n in range(16)]
    seed_users(store, users)
    model, seen = Model(users), {}
    for _ in range(steps):
        group = "nobody" if random.random() < 0.1 or not model.groups else random.choice(list(model.groups))
        user = random.choice([*users, "stranger"])
        kind = random.choices(["create", "add", "fill", "remove", "delete", "current"], [2, 8, 2, 5, 1, 3])[0]
        if not model.groups:
            kind = "create"
        elif kind == "create" and len(model.groups) == 3:
            kind = "fill"
        if kind == "create":
            output, _ = program("groups", "create", f"Grupo {user}", "--owner", user, ends=(0, 2))
            refused = model.create(output.split()[0] if output.split() else None, user)
            expected = {None: [refused]} if refused else {}
        elif kind == "current":
            if group in model.groups and user in model.groups[group]:
                fields = {"fullName": text(user), "currentGroupId": text(group), "isActive": {"booleanValue": True}}
                store.put(f"users/{user}", fields)
                model.current[user] = group
            continue
        elif kind == "delete":
            refused = model.delete(group)
            program("groups", "delete", group, "--max-delete", "11", ends=(2,) if refused else (0,))
            expected = {f"groups/{group}": [refused]} if refused else {}
        else:
            chosen = random.sample(users, 6) if kind == "fill" else [user]
            admin = random.random() < 0.2
            expected = {}
            for one in chosen:
                refused = model.remove(group, one) if kind == "remove" else model.add(group, one, admin)
                if refused:
                    expected[f"groups/{group}/members/{one}"] = [refused]
            command = ["groups", "remove" if kind == "remove" else "add", group, *chosen]
            if admin and kind != "remove":
                command.append("--admin")
            program(*command, ends=(2,) if expected else (0,))
        found = rejects(program)
        if None in expected:
            need([codes for codes in found.values()] == [expected[None]], f"{kind}: {found}, not {expected}")
        else:
            need(found == expected, f"{kind} {group} {user}: the rejects are {found}, not {expected}")
        for codes in expected.values():
            for code in codes:
                seen[code] = seen.get(code, 0) + 1
        compare(store, model, f"{kind} {group} {user}")
    return seen


def rivals(store, program, random):
    """Two commands at once want the places that are left: just so many get one."""
    store.clear()
    users = [f"u{n}" for n in range(30)]
    seed_users(store, users)
    group = program("groups", "create", "Llenos", "--owner", "u0")[0].split()[0]
    program("groups", "add", group, *users[1:4])
    start = [program.start("groups", "add", group, *chosen) for chosen in (users[4:9], users[9:14])]
    errors = [program.end(process, (0, 2, 75)) for process in start]
    members = store.groups()[group][1]
    need(len(members) == 10, f"{len(members)} members after two writers:\n{errors}")
    need(sum(text.count("group-full.") for _, text in errors) == 4, f"not four were told that it is full:\n{errors}")


def table(users, group):
    return "groupId,userId,displayName,photoURL,role\n" + "".join(f"{group},{user},Persona {user},,member\n" for user in users)


def interrupted_groups(store, program, random):
    """Killed at every commit of adding, and of deleting; resumed; undone."""
    users = [f"u{n}" for n in range(14)]
    for at in range(1, 7):
        store.clear()
        seed_users(store, users)
        model = Model(users)
        group = program("groups", "create", "Interrumpidos", "--owner", "u0")[0].split()[0]
        model.create(group, "u0")
        (program.folder / "members.csv").write_text(table(users[1:7], group))
        program.killed("groups", "add", "--from", "members.csv", at=at)
        before = Model(users)
        before.create(group, "u0")
        for user in users[1:7]:
            model.add(group, user, False)
        compare(store, model, f"resumed after commit {at}")
        program("check", "groups", "groups/*/members")
        program.undo()
        compare(store, before, f"undone after commit {at}")
    program.killed("groups", "delete", group, "--max-delete", "11", at=1)
    need(store.groups() == {}, "a killed deletion, resumed, leaves something")
    program.undo()
    compare(store, before, "an undone deletion")


# Classes.


def reference(series):
    """The documents of a series: day by day, each at the start of its day where the gym is."""
    day, found = series["from"], []
    while day <= series["to"]:
        if WEEKDAYS[day.weekday()] in series["days"]:
            moment = datetime.datetime(day.year, day.month, day.day, tzinfo=ZONE).astimezone(datetime.timezone.utc)
            found.append(
                (series["nombre"], moment.strftime("%Y-%m-%dT%H:%M:%SZ"), series["start"], series["minutes"], series["capacity"])
            )
        day += datetime.timedelta(days=1)
    return found


def classes(store):
    """The classes in the store as the reference has them; with their series, and the names with their update times."""
    rows, series, names = [], set(), {}
    for document in store.all("classes"):
        fields = document["fields"]
        need(set(fields) <= {"nombre", "fecha", "horaInicio", "duracionMin", "capacidadMax", "gymId", "createdAt", "updatedAt",
                             "isActive", "recurrenceGroupId", "description"}, f"unknown fields in {fields}")
        need(fields["gymId"] == text("sajarubox"), f"the gym is {fields['gymId']}")
        need(fields["createdAt"] == fields["updatedAt"], "the times are not those of one commit")
        need(fields["isActive"] == {"booleanValue": True}, "a class is not active")
        series.add(fields["recurrenceGroupId"]["stringValue"])
        names[document["name"]] = document["updateTime"]
        rows.append((
            fields["nombre"]["stringValue"], fields["fecha"]["timestampValue"], fields["horaInicio"]["stringValue"],
            int(fields["duracionMin"]["integerValue"]), int(fields["capacidadMax"]["integerValue"]),
        ))
    return sorted(rows), series, names


def generate(series):
    return [
        "classes", "generate", "--nombre", series["nombre"], "--days", ",".join(series["days"]),
        "--from", str(series["from"]), "--to", str(series["to"]), "--start", series["start"],
        "--minutes", str(series["minutes"]), "--capacity", str(series["capacity"]),
    ]


def some_series(random):
    date = datetime.date
    ranges = [
        (date(2021, 3, 29), date(2021, 4, 11)),  # The clocks go forward on 2021-04-04,
        (date(2021, 10, 25), date(2021, 11, 7)),  # and back on 2021-10-31.
        (date(2025, 12, 22), date(2026, 1, 11)),
        (date(2024, 2, 26), date(2024, 3, 3)),
        (date(2023, 2, 27), date(2023, 3, 2)),
        (date(2026, 1, 1), date(2026, 12, 31)),
    ]
    for _ in range(12):
        first = date(1997, 1, 1) + datetime.timedelta(days=random.randrange(14_000))
        ranges.append((first, first + datetime.timedelta(days=random.randrange(7, 400))))
    for number, (first, last) in enumerate(ranges):
        yield {
            "nombre": f"Clase {number}", "from": first, "to": last,
            "days": WEEKDAYS if number < 2 else random.sample(WEEKDAYS, random.randint(1, 7)),
            "start": f"{random.randrange(24):02}:{random.randrange(60):02}", "minutes": random.randint(1, 300),
            "capacity": random.randint(1, 60),
        }


def calendars(store, program, random):
    for series in some_series(random):
        store.clear()
        expected = sorted(reference(series))
        if not expected:
            continue
        output, _ = program(*generate(series), "-n")
        need(re.match(rf"{len(expected)} class", output), f"{series}: {output.splitlines()[0]}, not {len(expected)}")
        need(classes(store)[0] == [], f"{series}: -n wrote something")
        program(*generate(series))
        rows, ids, names = classes(store)
        need(rows == expected, f"{series}: {rows[:3]}…, not {expected[:3]}…")
        need(len(ids) == 1, f"{series}: {len(ids)} series")
        program(*generate(series), ends=(0, 2))
        need(classes(store) == (rows, ids, names), f"{series}: a second run changes something")


def interrupted_classes(store, program, random):
    series = {
        "nombre": "Larga", "from": datetime.date(2026, 1, 1), "to": datetime.date(2028, 12, 31), "days": WEEKDAYS,
        "start": "06:00", "minutes": 60, "capacity": 20,
    }
    for at in (1, 2, 3):
        store.clear()
        program.killed(*generate(series), "--batch-size", "100", at=at)
        rows, ids, names = classes(store)
        need(rows == sorted(reference(series)), f"killed at commit {at} and resumed: {len(rows)} classes")
        need(len(ids) == 1, f"{len(ids)} series")
    longer = dict(series, to=datetime.date(2029, 1, 31))
    program(*generate(longer), ends=(0, 2))
    rows, later, after = classes(store)
    need(rows == sorted(reference(longer)) and later == ids, "a longer range does not continue the series")
    need(names.items() <= after.items(), "a longer range changes what was there")


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    # The proxy draws as often as requests come, which is not the same each time; the sequences draw for themselves.
    chance, faults = random.Random(seed), random.Random(seed + 1)
    with scratch(sys.argv[1], Gym) as (folder, program, store):
        proxy = Proxy(store, faults)
        run = Program(program, folder, proxy)
        calendars(store, run, chance)
        interrupted_classes(store, run, chance)
        refusals(store, run)
        seen = sequence(store, run, chance, 60)
        # A fault costs a wait, so fewer steps meet them.
        for share, steps in ((0.0, 60), (0.2, 15)):
            proxy.share = share
            for code, count in sequence(store, run, chance, steps).items():
                seen[code] = seen.get(code, 0) + count
            rivals(store, run, chance)
        proxy.share = 0.0
        interrupted_groups(store, run, chance)
        print(f"gym services: seed {seed}, {proxy.commits} commits looked at, refusals {seen}")


if __name__ == "__main__":
    run_judge("gym services", main)

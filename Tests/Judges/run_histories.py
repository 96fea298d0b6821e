#!/usr/bin/env python3
"""Holds runs that write, their resumption and their undo to a model, in random histories.

    python3 run_histories.py path/to/gymmigrate [histories [seed]]
    python3 run_histories.py --self-check path/to/gymmigrate

A history is two databases and a dozen steps: imports in every mode from lines and tables, copies with and without deletions, fixes,
migrations, plan files, deletions, restores, and undos of any run by its id or by `last`. A proxy fails their requests or kills the
program at one of them, bills are bounded; other programs write in between. Runs that stopped are resumed, undone, cleared or left
for later. After each command the database has to be what the model of run_model.py says, and so have exit codes, counts, lists of
rejects, and what `runs list` and `runs show` say of each run. The rules are those of docs/importing.md, fix.md, runs.md and
undoing.md. Beside each history, a command on groups or classes and its undo are played twice, with faults and without, and have to
end the same. A failure names the seed, which plays the same history alone. RUN_HISTORIES=N takes N histories. With `--self-check`
the model is told a wrong document, and then documents are deleted behind the program's back: both have to be found. Needs nothing
but Python's own library.
"""

import csv
import io
import json
import os
import random
import sys

from failing_runs import Runs, counts, now, shape
from judging import Store, Wrong, integer, report, run_judge, scratch, seeds_asked, text
from mirror_service import moment
from run_model import (
    FIELDS, IDS, SAME, Steps, a_path, becomes, depth, fixed, imported, left, some_fields, stepped,
)

BOUND = ["--max-delete", "100"]
STEPS = 12


def number_of(fields):
    return int(fields["n"]["integerValue"]) if "integerValue" in fields.get("n", {}) else None


class History(Runs):
    """Random commands on two databases, and what other programs write in between."""

    def lines(self, documents):
        lines = (json.dumps({"name": path, "fields": fields}, ensure_ascii=False) for path, fields in documents)
        return self.file("jsonl", "".join(f"{line}\n" for line in lines))

    def some_documents(self, environment):
        """Documents to import, some of them as they are."""
        chance, state, found = self.random, self.read(environment), {}
        for _ in range(chance.randint(1, 6)):
            path = a_path(chance) if not state or chance.random() < 0.6 else chance.choice(sorted(state))
            found[path] = dict(state[path].fields) if path in state and chance.random() < 0.3 else some_fields(chance)
        documents = list(found.items())
        chance.shuffle(documents)
        return documents

    # Other programs.

    def others_write(self):
        chance, base = self.random, self.bases["a"]
        for _ in range(chance.randint(1, 2)):
            state = self.read("a")
            path = chance.choice(sorted(state)) if state and chance.random() < 0.7 else a_path(chance)
            if path in state and chance.random() < 0.4:
                base.remove(path)
                self.note("others delete", path)
            else:
                fields = dict(state[path].fields) if path in state and chance.random() < 0.3 else some_fields(chance)
                base.put(path, fields)
                self.note("others write", path, fields)

    def source(self):
        """The fields of what can be copied."""
        state = self.read("b")
        if not state or self.random.random() < 0.5:
            path, fields = a_path(self.random), some_fields(self.random)
            self.bases["b"].put(path, fields)
            self.note("others write to b", path, fields)
            state = self.read("b")
        return {path: document.fields for path, document in state.items()}

    # Imports and copies.

    def bring(self, kind, arguments, documents, mode, table=False, **more):
        def decide(path, current):
            return imported(mode, documents[path], current, table)

        self.carry_out(kind, [*arguments, "--mode", mode], decide, lambda _: list(documents), **more)

    def a_mode(self):
        return self.random.choice(["create", "upsert", "merge", "replace"])

    def import_lines(self, environment="a"):
        documents = self.some_documents(environment)
        self.bring("import", ["import", self.lines(documents)], dict(documents), self.a_mode(), environment=environment)

    def import_elsewhere(self):
        self.import_lines("b")

    def import_table(self):
        """A table in CSV: an empty cell is a field that the row lacks."""
        chance, documents = self.random, {}
        for _ in range(chance.randint(1, 6)):
            cells = {field: chance.choice([integer(chance.randint(0, 4)), text("q w"), text('a;"b"\nc')]) for field in FIELDS}
            documents["c/" + chance.choice(IDS)] = {field: cell for field, cell in cells.items() if chance.random() < 0.7}
        table = io.StringIO()
        rows = csv.writer(table)
        rows.writerow(["__name__", *FIELDS])
        for name, fields in documents.items():
            cells = [next(iter(fields[field].values())) if field in fields else "" for field in FIELDS]
            rows.writerow([name.removeprefix("c/"), *cells])
        path = self.file("csv", table.getvalue())
        self.bring("import", ["import", path, "--collection", "c"], documents, self.a_mode(), table=True)

    def import_twice(self):
        """importing.md: `--duplicates last` (or `first`) imports one of the documents with the same path."""
        chance = self.random
        documents = [(a_path(chance), some_fields(chance)) for _ in range(chance.randint(2, 6))]
        which, half = chance.choice(["first", "last"]), chance.randint(1, len(documents))
        files = [self.lines(part) for part in (documents[:half], documents[half:]) if part]
        chosen = dict(documents if which == "last" else reversed(documents))
        self.bring("import", ["import", *files, "--duplicates", which], chosen, chance.choice(["upsert", "merge"]))

    def import_rejects(self):
        """runs.md: `rejects.jsonl` has "the `document`, which can be imported"."""
        def documents(run):
            return [reject["document"] for reject in run.rejects if "document" in reject]

        runs = [run for run in self.runs if run.kind == "import" and run.environment == "a" and not run.is_pruned]
        found = [run for run in runs if documents(run)]
        if not found:
            return
        run = self.random.choice(found)
        names = [(one["name"].rpartition("/documents/")[2], one.get("fields", {})) for one in documents(run)]
        self.need(len(dict(names)) == len(names), f"{run.id} lists a document twice")
        path = f".gymmigrate/runs/{run.id}/rejects.jsonl"
        self.bring("import", ["import", path], dict(names), self.random.choice(["upsert", "merge", "create"]))

    def copy(self):
        self.bring("copy", ["copy", "--all", "--from", "b", "--to", "a"], self.source(), self.a_mode(), place=False)

    def copy_with_deletions(self):
        """copying.md: `--delete-extraneous` deletes what the source lacks."""
        source = self.source()
        if not any(path.startswith("c/") for path in source):
            return

        def decide(path, current):
            if path in source:
                return imported("upsert", source[path], current)
            return becomes(None) if current else SAME

        self.carry_out(
            "copy with deletions", ["copy", "c", "--from", "b", "--to", "a", "--mode", "upsert", "--delete-extraneous", *BOUND],
            decide, lambda state: sorted({*state, *source}), place=False,
        )

    # Exports and restores.

    def export(self):
        name = f"x{len(self.exports)}/"
        code = self.command("export", "--all", "-e", "a", "-o", name, "--format", "jsonl", "--json").code
        self.need(code == 0, "an export failed")
        self.exports.append((name, {path: document.fields for path, document in self.read("a").items()}))

    def restore(self):
        """restoring.md: what the export lacks is deleted, all else becomes what it was."""
        if not self.exports:
            return self.export()
        name, exported = self.random.choice(self.exports)
        if not exported:
            return

        def decide(path, current):
            if path not in exported:
                return becomes(None) if current else SAME
            return imported("upsert", exported[path], current)

        self.carry_out("restore", ["restore", "--all", "--from", name, *BOUND], decide, lambda state: sorted({*state, *exported}))

    # Fixes, migrations and deletions.

    def a_collection(self):
        """The words that name a collection, and how deep its documents lie."""
        return self.random.choices([(["c"], 1), (["c/*/s"], 3), (["t", "--group"], 5)], [5, 3, 2])[0]

    def a_condition(self):
        """A condition and whether fields match it; none for all documents."""
        least = self.random.randint(0, 3)
        return self.random.choices([
            (None, lambda fields: True),
            (f"n > {least}", lambda fields: number_of(fields) is not None and number_of(fields) > least),
            ("k == q", lambda fields: fields.get("k") == text("q")),
        ], [4, 3, 3])[0]

    def some_steps(self):
        chance, steps = self.random, Steps()
        if chance.random() < 0.3:
            steps.move = (*chance.sample(FIELDS, 2), chance.random() < 0.3)
        if chance.random() < 0.3:
            steps.set_if_missing = {chance.choice(FIELDS): integer(chance.randint(0, 9))}
        if chance.random() < 0.5 or not (steps.move or steps.set_if_missing):
            steps.set = {chance.choice([*FIELDS, "z"]): integer(chance.randint(0, 9))}
        field = chance.choice(FIELDS)
        if chance.random() < 0.3 and field not in (*steps.set, *steps.set_if_missing, *(steps.move or ())[1:2]):
            steps.unset = [field]
        return steps

    def options(self, steps):
        words = []
        if steps.move:
            source, target, overwrite = steps.move
            words += ["--rename", f"{source}={target}", *(["--overwrite"] if overwrite else [])]
        for option, values in (("--set-if-missing", steps.set_if_missing), ("--set", steps.set)):
            words += [word for name, value in values.items() for word in (option, f"{name}={value['integerValue']}")]
        return words + [word for name in steps.unset for word in ("--unset", name)]

    def migration(self, collection, condition, steps):
        """A file of a migration with the same steps."""
        lines = [f"id: m{self.files}", "summary: Changes fields.", f'collection: "{collection}"']
        lines += [f"where: '{condition}'"] if condition else []
        lines.append("steps:")
        if steps.move:
            source, target, overwrite = steps.move
            lines.append(f"  - move: {{ from: {source}, to: {target}, overwrite: {str(overwrite).lower()} }}")
        for key, values in (("set-if-missing", steps.set_if_missing), ("set", steps.set)):
            lines += [f"  - {key}: {{ {name}: {value['integerValue']} }}" for name, value in values.items()]
        lines += [f"  - unset: {name}" for name in steps.unset]
        return self.file("yaml", "\n".join(lines) + "\n")

    def fix(self):
        (words, below), (condition, matches), steps = self.a_collection(), self.a_condition(), self.some_steps()
        which = ["--where", condition] if condition else ["--all-documents"]

        def candidates(state):
            return [path for path, document in state.items() if depth(path) == below and matches(document.fields)]

        def decide(_, current):
            return fixed(steps, matches, current)

        self.carry_out("fix", ["fix", *words, *which, *self.options(steps)], decide, candidates)

    def delete(self):
        """fix.md: a document with subcollections is listed as `has-subcollections`, without `--leave-subcollections`."""
        (words, below), (condition, matches) = self.a_collection(), self.a_condition()
        which = ["--where", condition] if condition else ["--all-documents"]
        leave, before = self.random.random() < 0.2, self.read("a")

        def candidates(state):
            return [path for path, document in state.items() if depth(path) == below and matches(document.fields)]

        def decide(path, current):
            if current is None or not matches(current.fields):
                return SAME
            if not leave and any(other.startswith(f"{path}/") for other in before):
                return left("has-subcollections")
            return becomes(None)

        more = ["--leave-subcollections"] if leave else []
        self.carry_out("delete", ["delete", *words, *which, "--hard", *BOUND, *more], decide, candidates)

    def plan(self):
        (words, below), (condition, matches), steps = self.a_collection(), self.a_condition(), self.some_steps()
        if "--group" in words:
            return
        state, path = self.read("a"), f"p{len(self.plans)}.jsonl"
        code = self.command("migrate", "plan", self.migration(words[0], condition, steps), "-e", "a", "-o", path, "--json").code
        self.need(code in (0, 2), f"a plan ended in {code}")
        decisions = {name: fixed(steps, matches, document) for name, document in state.items() if depth(name) == below}
        changes = {name: (state[name].updated, one.fields) for name, one in decisions.items() if one.what == "write"}
        self.plans.append((path, changes))

    def apply(self):
        """undoing.md: "A document that changed since is left alone, and listed with the code `conflict`. The second apply finds
        everything done"."""
        if not self.plans:
            return self.plan()
        path, changes = self.random.choice(self.plans)
        if not changes:
            return

        def decide(name, current):
            seen, fields = changes[name]
            if current and current.updated == seen:
                return becomes(fields)
            return SAME if current and current.fields == fields else left("conflict")

        self.carry_out("apply", ["migrate", "apply", "--plan", path], decide, lambda _: list(changes))

    def apply_several(self):
        """Two or three migrations, each on the result of those before it."""
        chance, found, files = self.random, [], []
        for _ in range(chance.choice([2, 3])):
            least = chance.choice([None, chance.randint(0, 4)])
            steps = Steps(set={chance.choice(["f", "g", "n"]): integer(chance.randint(0, 9))})
            files.append(self.migration("c", None if least is None else f"n > {least}", steps))
            found.append((least, steps))

        def results(fields):
            for least, steps in found:
                if least is None or number_of(fields) is not None and number_of(fields) > least:
                    fields = stepped(fields, steps)
                yield fields

        def decide(_, current):
            last = list(results(current.fields))[-1] if current else None
            return SAME if current is None or last == current.fields else becomes(last)

        # A document that changes and changes back is written twice, and counts as written.
        for document in self.read("a").values():
            states = list(results(document.fields))
            if states[-1] == document.fields and any(state != document.fields for state in states):
                return
        self.carry_out(
            "migrations", ["migrate", "apply", *files], decide, lambda state: [path for path in state if depth(path) == 1]
        )

    # What becomes of the runs before.

    def undo_one(self):
        found = [run for run in self.runs if not (run.undo_of or run.is_pruned or run.is_given_up)]
        if found:
            self.undo(self.random.choice(found[-4:] if self.random.random() < 0.7 else found))

    def undo_last(self):
        """undoing.md: "`last` is the last run that wrote something that has not been undone; with `-e`, the last one in that
        environment"."""
        environment = self.random.choice(["a", "a", "b"])
        known = [run for run in self.runs if run.environment == environment and not run.undo_of]
        if self.block or any(run.is_given_up for run in self.runs):
            return
        # Whether a run that was killed at its first write has written is its journal's to say.
        if any(run.was_stopped and not run.writes and run.status != "undone" for run in known):
            return
        found = [run for run in known if run.writes and run.status != "undone" and not run.is_skipped and not run.is_pruned]
        code, _, output, errors = self.command("runs", "undo", "last", "-n", "--json", "-e", environment)
        if not found:
            nothing = code == 66 and not any(run.writes for run in self.runs)
            return self.need(code == 64 or nothing, f"undo last ended in {code}, and there is nothing to undo")
        self.need(found[-1].id in output + errors, f"undo last -n is not about {found[-1].id}")
        self.undo(found[-1], "last")

    def resume_later(self):
        """A run without a lease that was left is resumed after others have written."""
        found = [run for run in self.runs if run.is_stopped and run.kind in ("import", "copy") and not run.cannot_resume]
        found = [run for run in found if not run.is_pruned]
        if found:
            run = self.random.choice(found)
            run.was_edited = True
            self.resume(run)

    def decide_about_block(self):
        """undoing.md, "It says 75": the rest of it, nothing of it, or leave it as it is."""
        run, number = self.block, self.random.random()
        if not run:
            return
        if number < 0.5:
            run.was_edited = True
            for _ in range(8):
                if run.is_stopped:
                    self.resume(run)
        elif number < 0.8:
            self.undo(run)
        else:
            run.doubt(self.read(run.environment))
            self.clear(run)
            self.check_list()

    def refused(self):
        """runs.md and undoing.md, 64: what is done cannot be resumed, and an undo cannot be undone."""
        states = {name: self.read(name) for name in self.bases}
        kept = [run for run in self.runs if not run.is_pruned]
        ended = [run for run in kept if run.status in ("done", "incomplete", "undone")]
        undos = [run for run in kept if run.undo_of]
        for found, verb in ((ended, "resume"), (undos, "undo")):
            if found:
                run = self.random.choice(found)
                code = self.command("runs", verb, run.id).code
                self.need(code == 64, f"{verb} of {run.id}, which is {run.status}, ended in {code}")
        self.need({name: self.read(name) for name in self.bases} == states, "what was refused wrote")
        for run in kept[-3:]:
            code, shown, _, _ = self.command("runs", "show", run.id, "--json")
            self.need(code == 0 and shown["status"] == run.status, f"runs show {run.id}: {shown}, not {run.status}")

    def prune(self):
        """runs.md: what can be undone or resumed stays without `--yes`, and what wrote after it: "its journal shows that a later
        write was the tool's own". That is held where both wrote a document; without one in common, nothing is lost by either."""
        if self.random.random() < 0.5 or not self.run_ids():
            return
        self.command("runs", "prune", "--older-than", "1ms")
        kept = self.run_ids()
        for number, run in enumerate(self.runs):
            if run.id in kept or run.is_pruned:
                continue
            run.is_pruned = True
            is_useful = run.writes and run.status not in ("undone", "cleared") and not run.undo_of
            self.need(not is_useful, f"prune removed {run.id}, which is {run.status}")
            for other in self.runs[:number]:
                can_be_undone = other.id in kept and other.status != "undone" and not other.undo_of
                shares = other.environment == run.environment and set(other.writes) & set(run.writes)
                self.need(not (can_be_undone and shares), f"prune removed {run.id}, which wrote after {other.id}")

    # The history.

    def play(self):
        chances = {
            self.import_lines: 4, self.import_elsewhere: 2, self.import_table: 2, self.import_twice: 2, self.import_rejects: 1,
            self.copy: 2, self.copy_with_deletions: 2, self.export: 1, self.restore: 1, self.fix: 2, self.delete: 2, self.plan: 1,
            self.apply: 2, self.apply_several: 3, self.others_write: 2, self.undo_one: 7, self.undo_last: 3, self.resume_later: 3,
            self.decide_about_block: 4, self.refused: 2, self.prune: 1,
        }
        for _ in range(4):
            self.bases["a"].put(a_path(self.random), some_fields(self.random))
        self.note("at first:", {path: document.fields for path, document in self.read("a").items()})
        for _ in range(STEPS):
            step = self.random.choices(list(chances), list(chances.values()))[0]
            self.note(f"[{step.__name__}]")
            step()


# Groups and classes, by their own rules.

MADE = {"timestampValue": "2025-01-01T00:00:00Z"}
ACTIVE = {"booleanValue": True}
GROUPS = ["g0", "g1"]


def a_club(chance):
    """Six users, two groups with members, classes and bookings: the users, and all documents by path."""
    users = [f"u{number}" for number in range(6)]
    club = {
        f"users/{user}": {
            "id": text(user), "fullName": text(f"N {user}"), "email": text(f"{user}@x.mx"), "role": text("member"),
            "isActive": ACTIVE, "createdAt": MADE, "updatedAt": MADE,
        }
        for user in users
    }
    for group in GROUPS:
        members = chance.sample(users, chance.randint(1, 4))
        club[f"groups/{group}"] = {
            "name": text(group), "createdAt": MADE, "createdBy": text(members[0]), "memberCount": integer(len(members)),
            "isActive": ACTIVE,
        }
        for member in members:
            role = "admin" if member == members[0] or chance.random() < 0.3 else "member"
            club[f"groups/{group}/members/{member}"] = {
                "displayName": text(member), "joinedAt": MADE, "role": text(role), "isActive": ACTIVE,
            }
            if chance.random() < 0.3:
                club[f"users/{member}"]["currentGroupId"] = text(group)
        if chance.random() < 0.2:
            club[f"groups/{group}/members/{members[-1]}/notes/x"] = {"n": integer(1)}
        if chance.random() < 0.1:
            club[f"groups/{group}/posts/x"] = {"n": integer(1)}
    for number in range(5):
        club[f"classes/k{number}"] = {
            "nombre": text("Y"), "fecha": {"timestampValue": f"2026-03-0{number + 1}T06:00:00Z"}, "horaInicio": text("07:00"),
            "duracionMin": integer(60), "capacidadMax": integer(5), "gymId": text("sajarubox"),
            "createdAt": MADE, "updatedAt": MADE,
            **({"recurrenceGroupId": text("R")} if number < 3 else {}),
        }
        for user in users[: chance.randint(0, 2)]:
            club[f"classBookings/b{number}{user}"] = {
                "classId": text(f"k{number}"), "userId": text(user), "gymId": text("sajarubox"),
                "estado": text(chance.choice(["activa", "cancelada"])), "createdAt": MADE,
            }
    return users, club


def ageless(value, since):
    """A value whose times after a moment are all the same."""
    if isinstance(value, dict):
        if "timestampValue" in value:
            return "new" if moment(value["timestampValue"]) > since else value
        return {name: ageless(inner, since) for name, inner in value.items()}
    return value


class ClubRun(Runs):
    """One command on groups or classes, what others write then, and its undo, with faults or without."""

    def __init__(self, binary, store, folder, seed, fails):
        super().__init__(binary, store, folder, f"{seed}-club{int(fails)}-", "gym")
        # The same club, command and edits for both.
        self.random = random.Random(seed)
        self.accidents = random.Random(f"accidents of {seed}") if fails else None
        self.users, self.club = a_club(self.random)
        self.began = now()
        self.bases["a"].commit([self.bases["a"].set(path, fields) for path, fields in self.club.items()])
        self.first = self.read("a")

    def a_command(self):
        chance, group = self.random, self.random.choice(GROUPS)
        users = chance.sample(self.users, chance.randint(1, 4))
        current = ["--current"] if chance.random() < 0.4 else []
        admin = ["--admin"] if chance.random() < 0.3 else []
        rows = "".join(f"{chance.choice(GROUPS)},{user},,,{chance.choice(['member', 'admin', ''])}\n" for user in users)
        days = ["--days", "mon,wed,fri", "--from", "2026-01-05", "--to", "2026-01-18"]
        commands = [
            (["groups", "create", "G", "--owner", users[0], *current], 10),
            (["groups", "add", group, *users, *current, *admin], 15),
            (["groups", "add", "--from", self.file("csv", "groupId,userId,displayName,photoURL,role\n" + rows), *current], 15),
            (["groups", chance.choice(["promote", "demote"]), group, *users], 10), (["groups", "remove", group, *users], 15),
            (["groups", "delete", group, "--max-delete", str(chance.choice([5, 9]))], 10),
            (["classes", "cancel", chance.choice(["k0", "k1", "k4"])], 8),
            (["classes", "cancel", "--series", "R", "--from", "2026-03-02"], 4),
            (["classes", "cancel-series", "R", "--from", "2026-03-02"], 5),
            (["classes", "generate", "--nombre", "Sp", *days, "--start", "07:00", "--minutes", "60", "--capacity", "20"], 8),
        ]
        return chance.choices(*zip(*commands))[0]

    def faults_now(self):
        chance = self.accidents
        kinds = ["kill-after", "kill-before", "kill-after", "lost", "503", "half", "409"]
        return [None] * chance.choice([0, 0, 1, 2]) + [chance.choice(kinds)] if chance else []

    def to_its_end(self, *arguments):
        """The run's id, its exit code, counts and rejects; where something failed, after as many resumes as it needs."""
        known = self.run_ids()
        batch = self.accidents.choice([None, 1, 2]) if self.accidents else None
        outcome = self.command(*arguments, "--json", commits=self.faults_now(), batch=batch)
        ids = sorted(self.run_ids() - known)
        for _ in range(6):
            if outcome.code in (0, 2, 64, 66) or not ids or not self.accidents:
                break
            commits = self.faults_now() if self.accidents.random() < 0.4 else []
            outcome = self.command("runs", "resume", ids[-1], "--json", commits=commits)
            counts["resumes"] += 1
        counts["runs"] += 1
        path = self.folder / ".gymmigrate/runs" / (ids[-1] if ids else "none") / "rejects.jsonl"
        rejects = [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()] if path.exists() else []
        listed = sorted((self.known_path(reject.get("path") or ""), reject["code"]) for reject in rejects)
        totals = outcome.summary and {name: value for name, value in outcome.summary.get("totals", {}).items() if value}
        return ids[-1] if ids else None, outcome.code, totals, listed

    def known_path(self, path):
        """A new group has another id each time."""
        parts = path.split("/")
        return "/".join([parts[0], "new", *parts[2:]]) if parts[0] == "groups" and parts[1] not in GROUPS else path

    def state(self):
        found = {path: document.fields for path, document in self.read("a").items()}
        new = [path.split("/")[1] for path in found if self.known_path(path) != path]
        told = json.dumps({self.known_path(path): ageless(fields, self.began) for path, fields in found.items()})
        for id in new:
            told = told.replace(id, "new")
        return json.loads(told)

    def check_counts(self):
        """groups.md: "A count is right at every commit"."""
        state = self.read("a")
        for path, document in state.items():
            if path.startswith("groups/") and depth(path) == 1:
                members = sum(other.startswith(f"{path}/members/") and depth(other) == 3 for other in state)
                said = document.fields["memberCount"]["integerValue"]
                self.need(said == str(members), f"{path} says {said} members, and has {members}")

    def edits(self):
        chance = self.random
        if chance.random() < 0.5:
            return {}
        paths = chance.sample(sorted(self.club), chance.randint(1, 3))
        return {path: {"x": integer(7)} if chance.random() < 0.7 else None for path in paths}

    def play(self):
        """All that has to be the same with faults and without."""
        command, edits = self.a_command(), self.edits()
        id, *ends = self.to_its_end(*command, "-e", "a")
        written = self.state()
        self.check_counts()
        found = {"command": command, "ends": ends, "written": written}
        if id is None or shape(self.read("a")) == shape(self.first):
            return found
        state = self.read("a")
        for path, more in edits.items():
            if path in state and more:
                self.bases["a"].put(path, {**state[path].fields, **more})
            elif path in state:
                self.bases["a"].remove(path)
        _, code, _, listed = self.to_its_end("runs", "undo", id)
        counts["undos"] += 1
        if not edits:
            restored = {path: document.fields for path, document in self.read("a").items()}
            what = f"{command}: its undo ended in {code} and left {restored}, not {self.club}"
            self.need(code == 0 and restored == self.club, what)
        return {**found, "undo": (code, listed), "undone": self.state()}


def play(binary, store, folder, seed, **more):
    """Plays the history of a seed; a difference names the seed and what came before."""
    history = History(binary, store, folder / f"h{seed}", seed)
    vars(history).update(more)
    try:
        history.play()
    except Wrong as wrong:
        raise Wrong(f"seed {seed}: {wrong}\nafter\n" + "\n".join(history.log))
    finally:
        history.proxy.close()
    counts["histories"] += 1


def play_club(binary, store, folder, seed):
    """A run that failed and was resumed ends "as if it had not been interrupted" (runs.md), and so does its undo."""
    runs = [ClubRun(binary, store, folder / f"c{seed}{fails}", seed, fails) for fails in (False, True)]
    try:
        whole, failing = (run.play() for run in runs)
        for name, value in whole.items():
            other = failing.get(name)
            if isinstance(value, dict) and isinstance(other, dict):
                paths = {path for path in value.keys() | other.keys() if value.get(path) != other.get(path)}
                value, other = ({path: side.get(path) for path in paths} for side in (value, other))
            if value != other:
                raise Wrong(f"{name} without faults: {value}\n{name} with faults: {other}")
    except Wrong as wrong:
        raise Wrong(f"seed {seed}, groups and classes: {wrong}\nafter\n" + "\n".join(runs[0].log + runs[1].log))
    finally:
        for run in runs:
            run.proxy.close()
    counts["runs on groups and classes"] += 1


def isolated_store(binary, folder):
    return Store(binary, folder, environment={"PATH": os.environ["PATH"], "HOME": folder})


def check_itself(binary):
    """A judge that finds nothing of what is wrong on purpose is no judge."""
    with scratch(binary, isolated_store) as (folder, binary, store):
        for number, fault in enumerate(("is_told_wrong", "has_vandal")):
            for seed in range(100 * number + 1, 100 * number + 6):
                try:
                    play(binary, store, folder, seed, **{fault: True})
                except Wrong as wrong:
                    print(f"{fault}: found: {str(wrong).splitlines()[0][:200]}")
                    break
            else:
                raise Wrong(f"{fault}: not found in 5 histories")


def main():
    if sys.argv[1:2] == ["--self-check"]:
        return check_itself(sys.argv[2])
    asked, number, first = seeds_asked("RUN_HISTORIES", 6)
    counts.update(histories=0, runs=0, undos=0, resumes=0, kills=0)
    with scratch(asked, isolated_store) as (folder, binary, store):
        for seed in range(first, first + number):
            play(binary, store, folder, seed)
            play_club(binary, store, folder, seed)
    report("run histories", first, counts)


if __name__ == "__main__":
    run_judge("run histories", main)

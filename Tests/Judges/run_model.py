"""A model of what runs that write do to a database, and of what their undo does, written from the pages of docs/ alone.

The model knows documents as their fields, their update time and their creation time. For each document that a command is about
there is a decision: it becomes something, stays as it is, or stays and is listed with a code. A run remembers what it wrote, so
that its undo has decisions, too. Nothing here runs the program.
"""

import collections
import dataclasses

from judging import integer, text

Document = collections.namedtuple("Document", "fields updated created")
# What becomes of a document: `what` is one of these words; `fields` are None for a deletion; `code` is that of `rejects.jsonl`.
Decision = collections.namedtuple("Decision", "what fields code", defaults=(None, None))
SAME = Decision("same")
# For a person, in `review.csv`; nothing is written.
REVIEW = Decision("review")
# Both to write and to leave it is right by the pages.
EITHER = Decision("either")
# It stays; whether it is listed is open, as whether the run wrote it cannot be known.
KEPT = Decision("kept")

IDS = ["a", "b", "x%41", "é", "07", "a b", "zz", "e\u0301"]
FIELDS = ["n", "k", "m", "o"]


def becomes(fields):
    return Decision("write", fields)


def left(code):
    return Decision("left", None, code)


def fields_of(document):
    return document and document.fields


def updated(document):
    return document and document.updated


# Random documents.


def a_map(fields):
    return {"mapValue": {"fields": fields}}


def a_value(random):
    chance = random.random()
    if chance < 0.5:
        return integer(random.randint(0, 4))
    if chance < 0.7:
        return text(random.choice(["q", "w", ""]))
    if chance < 0.8:
        return {"nullValue": None}
    if chance < 0.9:
        return a_map({"x": integer(random.randint(0, 2)), "y": text("v")})
    return {"arrayValue": {"values": [integer(1), text("z")]}}


def some_fields(random):
    return {field: a_value(random) for field in FIELDS if random.random() < 0.6}


def a_path(random):
    """The path of a document in `c`, or below one at one or two more levels."""
    path = "c/" + random.choice(IDS)
    if random.random() < 0.5:
        path += "/s/" + random.choice(["1", "2", "é"])
        if random.random() < 0.3:
            path += "/t/" + random.choice(["z", "y"])
    return path


def depth(path):
    return path.count("/")


# Imports and copies.


def merged(old, new):
    """The fields after a merge: maps are merged, all else is replaced (importing.md, the table of modes)."""
    result = dict(old)
    for name, value in new.items():
        if "mapValue" in value and "mapValue" in result.get(name, {}):
            inner = value["mapValue"].get("fields", {})
            result[name] = a_map(merged(result[name]["mapValue"].get("fields", {}), inner)) if inner else result[name]
        else:
            result[name] = value
    return result


def loses_structure(old, new):
    """Whether a value of a table would replace a map or an array (importing.md, `structure-lost`)."""
    return any("mapValue" in old.get(name, {}) or "arrayValue" in old.get(name, {}) for name in new)


def imported(mode, fields, current, table=False):
    """What an import or a copy in a mode makes of a document (importing.md, the table of modes)."""
    if current is None:
        return left("NOT_FOUND") if mode == "replace" else becomes(fields)
    result = merged(current.fields, fields) if mode == "merge" else fields
    if mode != "merge" and current.fields == fields:
        return SAME
    if mode == "create":
        return left("ALREADY_EXISTS")
    if table and loses_structure(current.fields, fields):
        return left("structure-lost")
    return SAME if result == current.fields else becomes(result)


# Steps of fixes and migrations (fix.md).


@dataclasses.dataclass
class Steps:
    """One step of each kind, in the order in which a fix carries them out; `move` is `--rename`."""

    move: tuple = None  # from, to, whether it overwrites
    set_if_missing: dict = dataclasses.field(default_factory=dict)
    set: dict = dataclasses.field(default_factory=dict)
    unset: list = dataclasses.field(default_factory=list)


def is_missing(value):
    """A field that is absent, null or an empty text counts as missing."""
    return value is None or "nullValue" in value or value.get("stringValue", "x").strip() == ""


def moved(fields, source, target, overwrite):
    """Moves a field in place; False if the target holds something else (`target-taken`)."""
    if source not in fields:
        return True
    if is_missing(fields[source]):
        value = fields.pop(source)
        fields.setdefault(target, value)
        return True
    if not overwrite and not is_missing(fields.get(target)) and fields[target] != fields[source]:
        return False
    fields[target] = fields.pop(source)
    return True


def stepped(fields, steps):
    """The fields after the steps, or None where a person has to decide."""
    fields = dict(fields)
    if steps.move and not moved(fields, *steps.move):
        return None
    for name, value in steps.set_if_missing.items():
        if is_missing(fields.get(name)):
            fields[name] = value
    fields.update(steps.set)
    for name in steps.unset:
        fields.pop(name, None)
    return fields


def fixed(steps, matches, current):
    """What a fix makes of a document (fix.md, `target-taken` and `not-at-rest`)."""
    if current is None or not matches(current.fields):
        return SAME
    result = stepped(current.fields, steps)
    if result is None:
        return REVIEW
    if result == current.fields:
        return SAME
    if matches(result) and stepped(result, steps) != result:
        return left("not-at-rest")
    return becomes(result)


# Runs and their undo.


@dataclasses.dataclass(eq=False)
class Run:
    """A run that writes: what it was to do when it began, and what it did up to now."""

    kind: str
    environment: str
    arguments: list
    id: str = None
    began: object = None
    undo_of: "Run" = None
    decide: object = None
    candidates: object = None
    before: dict = dataclasses.field(default_factory=dict)
    paths: list = dataclasses.field(default_factory=list)
    plan: dict = dataclasses.field(default_factory=dict)
    refused: set = dataclasses.field(default_factory=set)
    # Whether each document's decision is certain, so that lists and counts are.
    is_exact: bool = True
    is_bounded: bool = False
    status: str = None
    # What it wrote: the document before and after, by path.
    writes: dict = dataclasses.field(default_factory=dict)
    # The database when its process of now began.
    last: dict = dataclasses.field(default_factory=dict)
    # Somebody wrote to its documents while it was stopped.
    was_edited: bool = False
    was_stopped: bool = False
    had_faults: bool = False
    resumes: int = 0
    cannot_resume: bool = False
    # What an undo put back, and what may have been written by the run or by somebody else.
    settled: set = dataclasses.field(default_factory=set)
    doubtful: set = dataclasses.field(default_factory=set)
    rejects: list = dataclasses.field(default_factory=list)
    # `last` skips it: its undo left conflicts, and nothing later was undone since.
    is_skipped: bool = False
    # The model does not know enough about it any more.
    is_given_up: bool = False
    is_pruned: bool = False

    @property
    def is_stopped(self):
        return self.status in ("killed", "failed")

    @property
    def has_lease(self):
        """undoing.md, "Who holds the lock?": runs without a lease are `import`, `copy` and others that are not in here."""
        return self.kind not in ("import", "copy", "copy with deletions")

    def doubt(self, state):
        """Before a resume or an undo: runs.md, "If it is not known whether the run wrote it, because the answer is missing"; and
        undoing.md, "one that the run wrote twice, as several migrations do, if somebody changed it in between"."""
        for path in self.plan:
            found = updated(state.get(path))
            if path not in self.writes and found != updated(self.before.get(path)):
                self.doubtful.add(path)
            if self.kind == "migrations" and path in self.writes and found != updated(self.writes[path][1]):
                self.doubtful.add(path)


def undone_document(run, path, current, version):
    """What an undo makes of one document, whatever lies below it (undoing.md, "I want it back")."""
    before, after = run.writes[path]
    # Somebody made of it what the undo would; whether that is listed is open.
    conflict = EITHER if before and current and current.fields == before.fields else left("conflict")
    if after is None:
        return becomes(before.fields) if current is None else conflict
    if current is None:
        return EITHER if before is None else left("conflict")
    # "The update time of a document decides whether somebody changed it. What undos wrote does not count as a change."
    if version(path, current) != version(path, after):
        return conflict
    return becomes(fields_of(before))


def undone(run, state, version):
    """What an undo of a run makes of each document, by path, the deepest first: "What the run itself created below is deleted
    first". `version` says what counts as the same version of a document, whichever undos put it back."""
    found, remaining = {}, dict(state)
    for path in sorted(set(run.writes) | run.doubtful, key=lambda path: -depth(path)):
        if path in run.settled:
            continue  # "What an earlier undo of the run put back is settled".
        current = state.get(path)
        if path in run.doubtful:
            wanted = fields_of(run.writes[path][1]) if path in run.writes else run.plan.get(path)
            found[path] = EITHER if fields_of(current) == wanted or run.kind == "migrations" else KEPT
            continue
        found[path] = undone_document(run, path, current, version)
        if found[path] == becomes(None):
            # "A document that the run created stays, too, if something was created below it since the run began".
            if any(below.startswith(f"{path}/") and remaining[below].created >= run.began for below in remaining):
                found[path] = left("has-subcollections")
            else:
                remaining.pop(path)
    # Above what is in doubt and may stay, a deletion may have to stay out.
    for path, decision in found.items():
        uncertain = (below for below in found if below.startswith(f"{path}/") and found[below] in (EITHER, KEPT))
        if decision == becomes(None) and any(uncertain):
            found[path] = EITHER
    return found

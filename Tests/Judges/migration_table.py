"""Reads the ledgers of environments and the files of a folder, from docs/promoting.md alone, and says what became of each migration.

    migration_table.py FOLDER ENVIRONMENT=LEDGER.jsonl... < TABLE.json

LEDGER.jsonl has a document of `_gymmigrate_runs` a line, as Firestore's REST API has them. What `migrate status --environments --json`
prints is compared with it; each difference is a line, and the exit code is 1 where there is one.

    migration_table.py --gate BEFORE RULE FOLDER LEDGER-BEFORE.jsonl LEDGER.jsonl

What a gate `after: BEFORE` refuses of the whole folder, a line each; RULE is `applied`, `verified` or `rehearsed`.
"""

import hashlib
import json
import pathlib
import re
import sys


def plain(value):
    (kind, content), = value.items()
    if kind == "integerValue":
        return int(content)
    if kind == "arrayValue":
        return [plain(item) for item in content.get("values", [])]
    if kind == "mapValue":
        return {name: plain(item) for name, item in content.get("fields", {}).items()}
    return content


def ledger(path):
    runs = []
    for line in pathlib.Path(path).read_text().splitlines():
        document = json.loads(line)
        run = {name: plain(value) for name, value in document["fields"].items()}
        run["id"] = document["name"].rsplit("/", 1)[-1]
        runs.append(run)
    return sorted(runs, key=lambda run: (run["startedAt"], run["id"]))


def blocks(run):
    return run["status"] == "running" or run["status"] in ("failed", "interrupted") and run["hasChanged"]


def taken_back(runs, migration):
    """The runs that say nothing any more: they began after a run of the migration, and before its undo."""
    places = {run["id"]: place for place, run in enumerate(runs)}
    back = set()
    for run in runs:
        own = "undoes" not in run and any(item["id"] == migration for item in run["migrations"])
        if own and run["status"] == "undone" and run.get("undoneBy") in places:
            back |= {other["id"] for other in runs[places[run["id"]] : places[run["undoneBy"]]]}
    return back


def word(migration, checksum, runs):
    """The status of a migration, whether its file changed since, the run that decides, and the one whose numbers count."""
    decisive = None
    writer = None
    back = taken_back(runs, migration)
    for run in runs:
        if "undoes" in run or all(item["id"] != migration for item in run["migrations"]):
            continue
        if run["status"] in ("failed", "interrupted", "cleared") and not run["hasChanged"]:
            continue
        if run["status"] != "undone" and run["totals"]["written"] > 0:
            writer = run
        stands = run["status"] != "undone" and run["id"] not in back
        # What earlier runs or a baseline said is true no more.
        wrote = run["status"] == "undone" and run["hasChanged"]
        if stands or wrote or decisive is None:
            decisive = run
    planned = any(blocks(run) and migration in run.get("planned", []) for run in runs)
    if decisive is None:
        return ("planned" if planned else "pending"), False, None, None
    status = decisive["status"]
    item = next(item for item in decisive["migrations"] if item["id"] == migration)
    applied = item.get("accepted", item.get("checksum"))
    changed = status != "undone" and applied is not None and applied != checksum
    if status in ("done", "incomplete"):
        status = "by hand" if decisive.get("byHand") else "verified" if "verifiedAt" in item else "applied"
    elif status in ("undone", "cleared") and planned:
        status = "planned"
    elif status == "interrupted":
        status = "failed"
    in_force = decisive["status"] in ("done", "incomplete")
    return status, changed, decisive, writer if in_force and writer else decisive


def files_of(folder):
    """The name of each file, the id of its migration, and its checksum."""
    for file in sorted(pathlib.Path(folder).glob("*.yaml"), key=lambda file: file.stem.encode()):
        text = file.read_bytes()
        migration = re.search(rb"^id: (\S+)", text, re.MULTILINE).group(1).decode()
        yield file.stem, migration, hashlib.sha256(text).hexdigest()


def refused(before, rule, folder, former, own):
    runs = ledger(former)
    rehearsed = [item for run in runs + ledger(own) for item in run.get("rehearsed", [])]
    for name, migration, checksum in files_of(folder):
        status, changed, _, _ = word(migration, checksum, runs)
        if status not in ("applied", "verified", "by hand"):
            yield f"{name} is {status} in {before}"
        elif changed:
            yield f"{name} was applied in {before} from another file"
        elif rule == "verified" and status != "verified":
            yield f"{name} is not verified in {before}"
        elif rule == "rehearsed" and {"id": migration, "checksum": checksum} not in rehearsed:
            yield f"{name} was not rehearsed in the last 7d"


def main():
    if sys.argv[1] == "--gate":
        print("\n".join(refused(*sys.argv[2:])))
        return 0
    folder, *environments = sys.argv[1:]
    table = json.load(sys.stdin)
    files = list(files_of(folder))
    differences = []

    def compare(what, expected, found):
        if expected != found:
            differences.append(f"{what}: {expected!r} by the ledger, {found!r} in the table")

    compare("rows", [name for name, _, _ in files], [row["name"] for row in table["migrations"]])
    for column, argument in enumerate(environments):
        name, path = argument.split("=", 1)
        runs = ledger(path)
        for (stem, migration, checksum), row in zip(files, table["migrations"]):
            status, changed, decisive, run = word(migration, checksum, runs)
            state = row["states"][column]
            place = f"{stem} in {name}"
            compare(f"{place}: environment", name, state["environment"])
            compare(f"{place}: status", status, state["status"])
            compare(f"{place}: changed", changed, state["changedSince"])
            compare(f"{place}: run", run and run["id"], state.get("runId"))
            compare(f"{place}: by", run and run["holder"], state.get("holder"))
            compare(f"{place}: override", decisive and decisive.get("override"), state.get("override"))
            if "totals" in state:
                counts = {key: run["totals"][key] for key in ("written", "review", "rejected", "conflicted")}
                compare(f"{place}: totals", counts, {key: state["totals"][key] for key in counts})
    print("\n".join(differences))
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())

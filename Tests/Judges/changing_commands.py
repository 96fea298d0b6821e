"""For strict_requests.py: the commands that copy, compare, migrate, mend, delete, undo and resume.

Whether they did what they say is asked of others: an export that must be as before, a comparison.
"""

import json
import signal

from strict_messages import need

DATABASES = ("data", "copy", "stage")


def change(run, samples):
    """Runs them all; returns an export of the copy of the database of strict_requests.py."""
    places = "".join(f"  {name}: {{ database: {name}, endpoint: '{run.proxy.endpoint}' }}\n" for name in DATABASES)
    run.write("places.yaml", f"project: p\nschema: gym\nenvironments:\n{places}")
    copied = copies(Place(run, "copy"))
    stage = Place(run, "stage")
    stage("stage", "import", *gym(run, samples))
    stage("doctor", "doctor")
    stage("check", "check", "-o", "findings.jsonl", ends=1)
    tables(stage)
    plan_file(stage)
    catalogue(stage)
    declared(stage, samples)
    mending(stage)
    interrupted(stage)
    return copied


class Place:
    """Commands on one of the databases."""

    def __init__(self, run, name):
        self.run, self.name = run, name

    def __call__(self, phase, *arguments, **more):
        return self.run(phase, *arguments, place=["-e", self.name, "--config", "places.yaml"], **more)

    def summary(self, phase, *arguments, **more):
        return json.loads(self(phase, *arguments, "--json", **more))

    def between(self, phase, command, *arguments, **more):
        """A command from the database that everything was imported into to this one."""
        places = ["--from", "data", "--to", self.name, "--config", "places.yaml"]
        return self.run(phase, command, *arguments, place=places, **more)

    def everything(self, phase):
        """Every document but gymmigrate's own, a line each."""
        return self(f"export {phase}", "export", "--all", "--subcollections", "-o", "-", "--format", "jsonl")


def gym(run, samples):
    """Files of some of the sample gym, with what its migrations look for and it does not have."""
    names = []
    for path in sorted(samples.glob("*.jsonl")):
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
        if path.stem == "payments":
            lines = [line for line in lines if "membershipPlanSnapshot" in line["fields"]]
            for line in lines[:20]:
                del line["fields"]["membershipPlanSnapshot"]
        if path.stem not in ("groups", "members"):
            lines = lines[:60]
        names.append(run.write(path.name, "".join(json.dumps(line) + "\n" for line in lines)))
    odd = [
        {"name": "groups/odd", "fields": {"memberCount": {"integerValue": "7"}}},
        {"name": "groups/odd/members/one", "fields": {"role": {"stringValue": "member"}}},
        {"name": "products/without id", "fields": {"name": {"stringValue": "Cuerda"}}},
    ]
    return [*names, run.write("odd.jsonl", "".join(json.dumps(line) + "\n" for line in odd))]


def copies(copy):
    everything = ["--all", "--no-ramp"]
    copy.between("dry copy", "copy", "--all", "--dry-run")
    copy.between("copy", "copy", *everything)
    copied = copy.everything("of the copy")
    copy.between("diff", "diff", "--all")
    copy.between("copy again", "copy", *everything, "--mode", "upsert")
    copy("unlike", "fix", "kinds", "--where", "v != null", "--set", "v=unlike", "--no-touch")
    copy("more", "import", copy.run.write("more.jsonl", '{"name":"kinds/more","fields":{}}\n'))
    copy.between("diff lists", "diff", "kinds", "--detail", "--show-equal", "-o", "diff.txt", ends=1)
    copy.between("copy refused", "copy", "kinds", ends=2)
    copy.between("copy merges", "copy", "kinds", "--mode", "merge", "--where", "v is-nan", "--limit", "3")
    extraneous = ["kinds", "--mode", "replace", "--delete-extraneous"]
    copy.between("copy deletes", "copy", *extraneous, "--max-delete", "1")
    copy.between("diff again", "diff", "kinds")
    copy("undo of a copy", "runs", "undo", "last")
    copy.between("diff after an undo", "diff", "kinds", ends=1)
    return copied


def tables(stage):
    before = stage.everything("before tables")
    for format in ("csv", "xlsx"):
        stage(f"export {format}", "export", "products", "-o", f"products.{format}")
        # Some products of the sample gym break the schema on purpose.
        stage(f"import {format}", "import", f"products.{format}", "--mode", "upsert", "--validate", "off")
    need(stage.everything("after tables") == before, "a table changes what it was exported from")


def plan_file(stage):
    before = stage.everything("before a plan")
    stage("plan file", "migrate", "plan", "users-unify", "-o", "plan.jsonl")
    stage("partial apply of a file", "migrate", "apply", "--plan", "plan.jsonl")
    need(stage.everything("after a plan") != before, "a plan changes nothing")
    stage("verify a run", "migrate", "verify", "--run", "last")
    stage("dry undo", "migrate", "undo", "last", "--dry-run")
    stage("undo", "migrate", "undo", "last")
    need(stage.everything("after an undo") == before, "an undo leaves something else")


def catalogue(stage):
    runs = {}
    for migration in json.loads(stage.run("list", "migrate", "list", "--json", place=[])):
        name = migration["id"]
        before = stage.everything(f"before {name}")
        applied = stage.summary(f"partial apply {name}", "migrate", "apply", name, ends=(0, 2))
        need(applied["totals"]["written"] > 0, f"{name} has nothing to do")
        stage(f"verify {name}", "migrate", "verify", name)
        runs[name] = applied["runId"]
    stage("status", "migrate", "status")
    stage("undo of the last", "migrate", "undo", "last")
    need(stage.everything("after undoing the last") == before, "undoing the last migration leaves something else")
    stage("undo of transactions", "migrate", "undo", runs["groups-recount"])
    need('"7"' in stage("undone", "export", "groups", "-o", "-", "--format", "jsonl", "--where", "memberCount == 7"), "no 7")


def declared(stage, samples):
    files = [str(path) for path in sorted((samples.parent / "migrations").glob("*.yaml"))]
    stage("plan of YAML", "migrate", "plan", *files)
    stage("partial apply of YAML", "migrate", "apply", *files, "--max-delete", "50", ends=(0, 2))
    stage("partial apply of YAML again", "migrate", "apply", *files, "--max-delete", "50", ends=(0, 2))
    stage("undo of YAML", "migrate", "undo", "last")


def mending(stage):
    before = stage.everything("before mending")
    stage("partial fix", "fix", "members", "--group", "--all-documents", "--set", "note=seen", "--unset", "phone")
    stage("undo of a fix", "migrate", "undo", "last")
    need(stage.everything("after undoing a fix") == before, "undoing a fix leaves something else")
    stage("partial soft delete", "delete", "products", "--where", "isActive == true")
    stage("groups stay", "delete", "groups", "--all-documents", "--hard", "--max-delete", "10", ends=2)
    stage("hard delete", "delete", "payments", "--all-documents", "--hard", "--max-delete", "60", "--allow-immutable")
    need(stage("count", "count", "payments").strip().endswith("0"), "deleted payments are there")
    stage("undo of a delete", "migrate", "undo", "last")
    stage("find", "find", "0", "--collection", "members", "--where", "isActive == true", "--limit", "3")


def interrupted(stage):
    small = ["--batch-size", "10", "--in-flight", "1"]
    changed = "".join(f'{{"name":"slow/{n:03}","fields":{{}}}}\n' for n in range(60))
    load = ["import", stage.run.write("slow.jsonl", changed), *small]
    stage("interrupted import", *load, ends=130, stop=(signal.SIGINT, 2))
    stage.run("resume", "runs", "resume", "last", place=[])
    stage("undo of an import", "runs", "undo", "last")
    before = stage.everything("before a kill")
    fix = ["fix", "members", "--all-documents", "--set", "note=killed", *small]
    stage("partial killed", *fix, ends=-signal.SIGKILL, stop=(signal.SIGKILL, 2))
    killed = holder(stage)
    stage("locked", "migrate", "apply", "is-active", ends=75)
    stage("unlock", "migrate", "unlock", "--yes")
    stage.run("partial resumed", "runs", "resume", killed, place=[])
    noted = stage("notes", "count", "members", "--where", "note == killed")
    need(noted == stage("members", "count", "members"), "a killed run that was resumed leaves documents out")
    stage("undo of a resumed run", "migrate", "undo", killed)
    need(stage.everything("after undoing a resumed run") == before, "undoing a resumed run leaves something else")
    stage("partial killed again", *fix, ends=-signal.SIGKILL, stop=(signal.SIGKILL, 1))
    killed = holder(stage)
    stage("unlock again", "migrate", "unlock", "--yes")
    stage("clear", "migrate", "unlock", killed, "--yes")
    stage("partial after a clear", "migrate", "apply", "is-active", ends=(0, 2))


def holder(stage):
    """The id of the run that holds the lease."""
    return stage.summary("status of a killed run", "migrate", "status")["lease"]["runId"]

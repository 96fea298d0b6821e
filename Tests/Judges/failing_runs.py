"""Runs of the program under judgment whose requests fail, each held to the model of run_model.py.

A proxy before the embedded store makes chosen requests fail, and kills the program at chosen ones. What it is told fails, one
entry a request and None for one that passes:

- `drop`, `garbage`, `409`, `503`: the request does not reach the store, and the connection is closed, or another answer comes
- `lost`, `half`, `lost-503`: the store carries it out, and the answer is lost, comes in part, or is an error
- `kill-before`, `kill-after`: the program is killed with SIGKILL before the store has the request, or once it has carried it out
- `vandal`: the store carries it out, and what it wrote first is deleted at once, which no program can see; for self-checks

Pages and their words that are cited are those of docs/; a citation without a page is of undoing.md or runs.md.
"""

import collections
import datetime
import gzip
import http.client
import json
import os
import random
import signal
import subprocess
import threading

from judging import Handler, Server, Wrong, integer, need
from mirror_service import Database, moment
from run_model import EITHER, KEPT, SAME, Document, Run, becomes, fields_of, some_fields, undone, updated

KILLED = -signal.SIGKILL
Outcome = collections.namedtuple("Outcome", "code summary output errors")
counts = collections.Counter()
ERRORS = {"409": (409, "ABORTED"), "503": (503, "UNAVAILABLE"), "lost-503": (503, "UNAVAILABLE")}
SETTLED = "/settled"
NOT_PASSED_ON = ("drop", "garbage", "409", "503", "kill-before")


def is_commit(path):
    return path.partition("?")[0].endswith((":commit", ":batchWrite"))


def written_names(body, encoding):
    """The names of the documents that a commit writes, deletes or verifies."""
    plain = gzip.decompress(body) if encoding == "gzip" else body
    writes = json.loads(plain).get("writes", [])
    return [write.get("update", {}).get("name") or write.get("delete") or write.get("verify") or "" for write in writes]


class CountingServer(Server):
    """A server that knows how many connections are open, from the moment that each is accepted."""

    def __init__(self, handler):
        self.open, self.gate = 0, threading.Condition()
        super().__init__(handler)

    def process_request(self, request, client_address):
        with self.gate:
            self.open += 1
        super().process_request(request, client_address)

    def process_request_thread(self, request, client_address):
        super().process_request_thread(request, client_address)
        with self.gate:
            self.open -= 1
            self.gate.notify_all()

    def is_left_alone(self):
        with self.gate:
            return self.gate.wait_for(lambda: self.open == 0, timeout=60)


class FailingProxy:
    """Passes requests to a store on. Commits of documents fail by one list, and all that is no commit by another."""

    def __init__(self, store):
        self.store = store
        self.gate = threading.Lock()
        self.program = None
        self.tell([], [])
        proxy = self

        class Passing(Handler):
            def pass_on(self):
                body = self.whole_body()
                if body is None:
                    return
                if self.path == SETTLED:
                    return self.respond(200, b"{}")
                self.carry_out(body, proxy.fault(self.path, body, self.headers.get("Content-Encoding")))

            def carry_out(self, body, fault):
                if fault in NOT_PASSED_ON:
                    return self.fail(fault)
                answer = self.asked(store.host, body)
                if fault == "vandal":
                    proxy.destroy(self, written_names(body, self.headers.get("Content-Encoding"))[0])
                elif fault:
                    return self.fail(fault, answer[1])
                self.respond(*answer)

            def fail(self, fault, answer=b""):
                if fault.startswith("kill"):
                    proxy.kill()
                if fault in ERRORS:
                    code, status = ERRORS[fault]
                    error = {"error": {"code": code, "status": status, "message": "a fault"}}
                    return self.respond(code, json.dumps(error).encode())
                if fault == "garbage":
                    return self.respond(200, b"<html>bad gateway</html>", "text/html")
                if fault == "half":
                    return self.respond(200, answer[: len(answer) // 2] or b"{")
                self.hang_up()

            do_GET = do_POST = do_PATCH = do_DELETE = pass_on

        self.server = CountingServer(Passing)
        self.endpoint = self.server.endpoint

    def tell(self, commits, others):
        """What becomes of the next commits of documents, and of the next requests that are no commits."""
        with self.gate:
            self.commits, self.others = list(commits), list(others)
            self.ready = threading.Event()

    def began(self, process):
        """The program that is to be killed; no request is passed on before."""
        self.program = process
        self.ready.set()

    def fault(self, path, body, encoding):
        self.ready.wait(60)
        if not is_commit(path):
            faults = self.others
        elif all("/_gymmigrate" in name for name in written_names(body, encoding)):
            return None  # The ledger's and the lease's own.
        else:
            faults = self.commits
        with self.gate:
            return faults.pop(0) if faults else None

    def kill(self):
        self.program.send_signal(signal.SIGKILL)
        self.program.wait()

    def destroy(self, handler, name):
        handler.path = "/v1/" + name.partition("/documents/")[0] + "/documents:commit"
        del handler.headers["Content-Encoding"]
        handler.asked(self.store.host, json.dumps({"writes": [{"delete": name}]}).encode())

    def settle(self):
        """Waits until nothing is under way, also of a program that was killed, whose connections end with it: they were accepted
        before this one, and each is read to its end."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=60)
        connection.request("GET", SETTLED)
        connection.getresponse().read()
        connection.close()
        need(self.server.is_left_alone(), "a connection of a program that ended is still open")

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def now():
    """As the times of a document are compared."""
    return moment(datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ"))


class States(Database):
    """A database whose documents are read with their times."""

    def read(self):
        status, answer = self.call("documents:runQuery", {"structuredQuery": {"from": [{"allDescendants": True}]}})
        need(status == 200, f"runQuery: {status} {answer}")
        found = {}
        for one in (part["document"] for part in answer if "document" in part):
            path = one["name"].removeprefix(self.prefix)
            if not path.startswith("_gymmigrate"):
                found[path] = Document(one.get("fields", {}), moment(one["updateTime"]), moment(one["createTime"]))
        return found

    def put(self, path, fields):
        self.commit([self.set(path, fields)])

    def remove(self, path):
        self.commit([self.delete(path)])


def shape(state):
    return {path: document.updated for path, document in state.items()}


class Runs:
    """The databases, the program before them, and what the model knows of all runs."""

    def __init__(self, binary, store, folder, seed, schema="none"):
        self.binary, self.folder, self.random = binary, folder, random.Random(seed)
        folder.mkdir()
        self.proxy = FailingProxy(store)
        self.bases = {name: States(store, f"runs{seed}{name}") for name in "ab"}
        place = "  {}: {{ endpoint: '{}', database: {} }}\n"
        places = (place.format(name, self.proxy.endpoint, base.name) for name, base in self.bases.items())
        (folder / "gymmigrate.yaml").write_text(f"project: p\nschema: {schema}\nenvironments:\n" + "".join(places))
        self.runs, self.log, self.files, self.exports, self.plans = [], [], 0, [], []
        # The run with a lease that stopped after its first write: it blocks others.
        self.block = None
        # The version that an undo put back, by environment, path and the update time that it has now.
        self.versions = {}
        self.is_told_wrong = self.has_vandal = False

    # The program.

    def read(self, environment):
        return self.bases[environment].read()

    def note(self, *words):
        self.log.append(" ".join(map(str, words)))

    def file(self, ending, content):
        self.files += 1
        name = f"f{self.files}.{ending}"
        (self.folder / name).write_text(content, encoding="utf8", newline="")
        self.note("  file", name, repr(content)[:700])
        return name

    def command(self, *arguments, commits=(), others=(), batch=None):
        variables = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        if batch:
            variables["GYMMIGRATE_BATCH_SIZE"] = str(batch)
        self.proxy.tell(commits, others)
        process = subprocess.Popen(
            [self.binary, *arguments], cwd=self.folder, env=variables,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        self.proxy.began(process)
        try:
            output, errors = (part.decode(errors="replace") for part in process.communicate(timeout=300))
        except subprocess.TimeoutExpired:
            process.kill()
            raise Wrong(f"{' '.join(arguments)}: does not end")
        self.proxy.settle()
        told = "".join(f" {name} {value}" for name, value in (("batch", batch), ("commits", commits), ("others", others)) if value)
        self.note("$", *arguments, told, "->", process.returncode)
        lines = output.strip().splitlines()
        try:
            summary = json.loads(lines[-1]) if lines else None
        except ValueError:
            summary = None
        self.outcome = Outcome(process.returncode, summary, output, errors)
        counts["kills"] += process.returncode == KILLED
        return self.outcome

    def need(self, truth, what):
        if not truth:
            code, _, output, errors = self.outcome
            raise Wrong(f"{what}\nthe last command ended in {code}: {output[-900:]}\n{errors[-1200:]}")

    def run_ids(self):
        runs = self.folder / ".gymmigrate/runs"
        return set(os.listdir(runs)) if runs.exists() else set()

    def rejects(self, run):
        path = self.folder / ".gymmigrate/runs" / run.id / "rejects.jsonl"
        return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()] if path.exists() else []

    def version(self, environment):
        """What counts as the same version (undoing.md: "What undos wrote does not count as a change")."""
        return lambda path, document: self.versions.get((environment, path, document.updated), document.updated)

    # A run from its beginning to its end.

    def faults(self, plan):
        """What fails of a run that is to write these documents: commits, other requests, or the bound on its bill."""
        chance, batch, number = self.random, self.random.choice([None, 1, 2, 3]), self.random.random()
        late = [None] * chance.randint(0, max(0, min(5, len(plan) - 1)))
        if plan and self.has_vandal:
            return 1, [None] * chance.randint(0, len(plan) - 1) + ["vandal"], [], []
        if plan and number < 0.3:
            return chance.choice([1, 1, 2]), late + [chance.choice(["kill-before", "kill-after"])], [], []
        if plan and number < 0.6:
            late.append(chance.choice(["lost", "409", "503", "lost-503", "half", "garbage", "drop"]))
            late += [chance.choice(["lost", "kill-after", "503", "kill-before"])] if chance.random() < 0.4 else []
            return batch, late, [], []
        if plan and number < 0.75:
            return 1, [], [], ["--max-writes", str(chance.randint(4, 9))]
        if number < 0.85:
            return batch, [], [None] * chance.randint(0, 12) + [chance.choice(["503", "drop", "garbage", "half", "409"])], []
        if number < 0.92:
            return batch, [], [None] * chance.randint(0, 16) + [chance.choice(["kill-before", "kill-after"])], []
        return batch, [], [], []

    def is_blocked(self, run):
        """undoing.md, "It says 75": "A run that stopped before it was done blocks all others until somebody decides"; but not "the
        undo of a run that began later", nor its own."""
        block, undo_of = self.block, run.undo_of
        if not block or block.environment != run.environment or not run.has_lease:
            return False
        later = undo_of and self.runs.index(undo_of) > self.runs.index(block) and not undo_of.is_stopped
        return not (undo_of is block or later)

    def carry_out(self, kind, arguments, decide, candidates, environment="a", undo_of=None, place=True, exact=True):
        """Runs a command that writes; `decide` says what a document becomes, `candidates` which ones it is about in a state."""
        before = self.read(environment)
        paths = candidates(before)
        decisions = {path: decide(path, before.get(path)) for path in paths}
        run = Run(
            kind, environment, [*arguments, *(["-e", environment] if place else []), "--json"], undo_of=undo_of, decide=decide,
            candidates=candidates, before=before, last=before, paths=paths, is_exact=exact,
            plan={path: decision.fields for path, decision in decisions.items() if decision.what == "write"},
            refused={(path, decision.code) for path, decision in decisions.items() if decision.what == "left"},
        )
        if self.is_told_wrong and run.plan:
            run.plan[min(run.plan)] = {"wrong": integer(1)}
        batch, commits, others, bound = self.faults(run.plan)
        if blocked := self.is_blocked(run):
            commits, others, bound = [], [], []
        run.is_bounded, run.had_faults = bool(bound), bool(commits or others)
        known = self.run_ids()
        run.began = now()
        outcome = self.command(*run.arguments, *bound, commits=commits, others=others, batch=batch)
        counts["runs"] += 1
        counts["undos"] += bool(undo_of)
        new = sorted(self.run_ids() - known)
        run.id = new[-1] if new else None
        if blocked and self.was_refused(run, outcome):
            return
        if not run.id:
            self.need(shape(self.read(environment)) == shape(before), "it wrote without a run")
            self.need(outcome.code in (75, KILLED) or outcome.code == 69 and others, f"no folder of a run, exit {outcome.code}")
            return
        self.runs.append(run)
        self.look(run, outcome)
        self.go_on(run)

    def was_refused(self, run, outcome):
        self.need(shape(self.read(run.environment)) == shape(run.before), "it wrote though another run is half way")
        self.need(outcome.code == 75 or not run.plan, f"{self.block.id} is half way: exit {outcome.code}")
        if outcome.code == 75 and run.id:
            run.status, run.plan, run.cannot_resume = "failed", {}, True
            self.runs.append(run)
            self.check_list()
        return outcome.code == 75

    def go_on(self, run):
        """Resumes a run that stopped until it is done, undoes it, or leaves it for later."""
        chance = self.random
        for _ in range(9):
            if not run.is_stopped or run.cannot_resume:
                return
            may_stay = not run.has_lease or not run.undo_of and not self.block
            if may_stay and chance.random() < 0.4:
                return self.leave(run)
            if not run.undo_of and chance.random() < 0.2:
                return self.undo(run)
            if chance.random() < 0.4:
                self.edit(run)
            self.resume(run)
        raise Wrong(f"{run.id}: resumed nine times, and not done")

    def leave(self, run):
        self.note("  left for later")
        if not run.has_lease:
            return
        # The lease of a dead process expires after a minute.
        self.command("migrate", "unlock", "-e", run.environment)
        if run.writes:
            self.block = run
        else:
            self.settle_without_writes(run)

    def settle_without_writes(self, run):
        """A run with a lease that wrote nothing blocks nobody (undoing.md, "after its first write"); it is cleared if it does."""
        run.is_given_up = run.cannot_resume = True
        self.command("migrate", "unlock", run.id, "-e", run.environment)
        self.ask_status(run)

    def ask_status(self, run):
        """Takes the status of a run from `runs list`, where the pages leave several open."""
        listed = self.command("runs", "list", "--json", "--limit", "200").summary
        run.status = {one["runId"]: one["status"] for one in listed}[run.id]

    def edit(self, run):
        """Another program writes to documents of a run that stopped."""
        state, chance = self.read(run.environment), self.random
        for path in chance.sample(sorted(run.plan), min(len(run.plan), chance.randint(1, 2))):
            if path in state and chance.random() < 0.3:
                self.bases[run.environment].remove(path)
                self.note("  others delete", path)
            elif path in state or path not in run.before:
                fields = {**some_fields(chance), "w": integer(chance.randint(100, 999))}
                self.bases[run.environment].put(path, fields)
                self.note("  others write", path, fields)
        run.was_edited = run.was_edited or bool(run.plan)

    def resume(self, run):
        """`runs resume`, or the same command again, where that is no new run (runs.md; its table does not name `restore`)."""
        chance, commits, others, bound = self.random, [], [], []
        run.doubt(self.read(run.environment))
        run.last, run.resumes = self.read(run.environment), run.resumes + 1
        if run.is_bounded:
            bound = ["--max-writes", chance.choice(["9", "14", "1000"]) if run.resumes < 3 else "1000"]
        elif chance.random() < 0.4:
            commits = [None] * chance.randint(0, 2) + [chance.choice(["kill-before", "kill-after", "lost", "503", "half", "409"])]
        elif chance.random() < 0.2:
            others = [None] * chance.randint(0, 12) + [chance.choice(["kill-before", "kill-after", "503", "drop", "garbage"])]
        run.had_faults = bool(commits or others)
        again = run.has_lease and run.kind != "restore" and chance.random() < 0.25
        words = run.arguments if again else ["runs", "resume", run.id, "--json"]
        outcome = self.command(*words, *bound, commits=commits, others=others)
        counts["resumes"] += 1
        if outcome.code == 64 and not run.writes and not again:
            # "A run that was refused before it wrote anything cannot be resumed".
            self.need(shape(self.read(run.environment)) == shape(run.last), "a resume was refused, and wrote")
            return self.settle_without_writes(run)
        self.look(run, outcome)

    # What a process of a run did.

    def look(self, run, outcome):
        """Holds what one process of a run did to the run's decisions."""
        stopped = run.is_bounded and outcome.code == 75 or run.had_faults and outcome.code in (69, 70, 75)
        self.need(outcome.code in (0, 2, KILLED) or stopped, f"{run.kind}: exit {outcome.code}")
        after, is_done = self.read(run.environment), outcome.code in (0, 2)
        run.rejects = self.rejects(run)
        listed = {reject.get("path") for reject in run.rejects}
        if run.last is not run.before and run.kind in ("migrations", "fix", "delete"):
            run.paths = sorted({*run.paths, *run.candidates(run.last)})
        for path in sorted(set(run.last) | set(after) | set(run.plan)):
            old, new = run.last.get(path), after.get(path)
            if updated(old) != updated(new):
                self.changed(run, path, old, new, is_done)
            elif is_done and path in run.plan and path not in run.writes:
                self.stayed(run, path, old, listed)
        if is_done:
            is_exact = run.is_exact and run.kind != "migrations" and not self.was_disturbed(run, after)
            self.block = None if self.block is run else self.block
            self.finish(run, outcome, is_exact)
        else:
            run.status, run.was_stopped = "killed" if outcome.code == KILLED else "failed", True
            self.check_list()

    def was_moved(self, run, path, document):
        """Whether a document is not as it was when the run began."""
        return updated(document) != updated(run.before.get(path))

    def was_disturbed(self, run, after):
        others = (self.was_moved(run, path, run.last.get(path)) for path in run.paths if path not in run.writes)
        own = (updated(after.get(path)) != updated(run.writes[path][1]) for path in run.plan if path in run.writes)
        return run.was_edited or any(others) or any(own)

    def changed(self, run, path, old, new, is_done):
        moved, became = self.was_moved(run, path, old), f"{run.kind}: {path} became {fields_of(new)}"
        if run.kind == "migrations":
            return self.changed_again(run, path, old, new, is_done and not moved and not run.was_edited)
        # "What is done is neither read nor written again"; a document that somebody deleted may be created again.
        first = path not in run.writes or old is None and run.writes[path][0] is None
        self.need(first, f"{became}, though the run wrote it before")
        if path in run.plan and not moved:
            decision = becomes(run.plan[path])
        else:
            self.need(path in run.paths, f"{became}, and is not in question")
            decision = run.decide(path, old)
        self.need(decision in (EITHER, becomes(fields_of(new))), f"{became}, and should be: {decision}")
        run.writes[path] = (old, new)
        self.put_back(run, path, new)

    def changed_again(self, run, path, old, new, is_certain):
        """Several migrations write a document one after the other."""
        self.need(path in run.paths, f"{path} became {fields_of(new)}, and is not in question")
        if is_certain:
            self.need(fields_of(new) == run.plan.get(path), f"{path} became {fields_of(new)}, not {run.plan.get(path)}")
        if path in run.writes and updated(old) != updated(run.writes[path][1]):
            run.doubtful.add(path)
        run.writes[path] = (run.writes[path][0] if path in run.writes else old, new)

    def put_back(self, run, path, new):
        if run.undo_of and path in run.undo_of.writes:
            before = run.undo_of.writes[path][0]
            if new and before:
                self.versions[run.environment, path, new.updated] = self.version(run.environment)(path, before)

    def stayed(self, run, path, old, listed):
        """A document of the plan that the run did not write, though it is done."""
        # copying.md: deletions are left out where something was rejected.
        if run.kind == "copy with deletions" and run.rejects and run.plan[path] is None:
            return
        moved = self.was_moved(run, path, old)
        self.need(moved or run.was_edited, f"{run.kind}: {path} was not written, and should be {run.plan[path]}")
        decision = run.decide(path, old)
        said = decision.what != "write" or decision.fields == fields_of(old) or path in listed
        deletion = run.kind == "copy with deletions" and run.rejects and decision.fields is None
        self.need(said or deletion, f"{run.kind}: {path} was changed by others; it is not written, and not listed: {decision}")

    def finish(self, run, outcome, is_exact):
        """Holds the summary of a run that is done to scripting.md: exit codes and counts."""
        run.status = "done" if outcome.code == 0 else "incomplete"
        self.need(outcome.summary and "totals" in outcome.summary, "there is no summary")
        totals = outcome.summary["totals"]
        ends = ("written", "unchanged", "skipped", "superseded", "rejected", "conflicted")
        self.need(totals["read"] + totals["created"] == sum(totals[end] for end in ends), "the counts do not add up")
        is_left = totals["rejected"] + totals["conflicted"]
        self.need((outcome.code == 2) == (is_left + totals["review"] > 0), "the exit code does not go with the counts")
        self.need(len(run.rejects) == is_left, f"rejects.jsonl has {len(run.rejects)} lines")
        self.need(outcome.summary.get("exitCode") == outcome.code, "the summary has another exit code")
        if is_exact:
            self.compare_counts(run, totals)
        if run.undo_of:
            self.after_undo(run)
        self.check_list()

    def compare_counts(self, run, totals):
        found = {(reject.get("path"), reject["code"]) for reject in run.rejects}
        # What the run was to write, and was refused, is no matter of its undo.
        extra = {one for one in found if run.undo_of and one[0] in run.undo_of.plan and one[0] not in run.undo_of.writes}
        self.need(found == run.refused | extra, f"rejected are {found}, not {run.refused}")
        wanted = {"written": len(run.plan), "deleted": sum(fields is None for fields in run.plan.values())}
        if not run.undo_of:
            created = (path for path, fields in run.plan.items() if fields is not None and path in run.writes)
            wanted["new"] = sum(run.writes[path][0] is None for path in created)
        for name, number in wanted.items():
            self.need(totals[name] == number, f"{name} are {totals[name]}, not {number}")

    def check_list(self):
        """Holds `runs list` to runs.md, the table of statuses and "whether it can (`canGoOn`)"."""
        if self.random.random() < 0.5:
            return
        listed = {one["runId"]: one for one in self.command("runs", "list", "--json", "--limit", "200").summary}
        for run in self.runs:
            if run.is_pruned:
                continue
            self.need(run.id in listed, f"runs list lacks {run.id}")
            status, can_go_on = listed[run.id]["status"], listed[run.id]["canGoOn"]
            self.need(status == run.status, f"runs list: {run.id} is {status}, not {run.status}")
            if run.is_stopped and not can_go_on and not run.cannot_resume:
                self.need(not run.writes, f"{run.id} stopped after it wrote, and cannot go on")
                run.cannot_resume = True
            has_ended = run.status in ("done", "incomplete", "undone")
            self.need(not (has_ended and can_go_on), f"{run.id} is {run.status}, and can go on")
        known = {run.id for run in self.runs}
        for id, one in listed.items():
            reads = one["command"].startswith(("export", "migrate plan", "migrate verify")) or "-n" in one["arguments"]
            self.need(id in known or reads, f"runs list has {id}")

    # Undo.

    def undo(self, run, name=None):
        """Undoes a run by its id, or by `last`."""
        if run.is_stopped:
            run.doubt(self.read(run.environment))
        if not run.writes and (run.cannot_resume or run.doubtful or self.block):
            return
        if run.status == "undone" or not run.writes:
            return self.undo_nothing(run)
        state = self.read(run.environment)
        if self.random.random() < 0.3:
            self.verify(run, state)
        decisions = undone(run, state, self.version(run.environment))
        uncertain = any(decision in (EITHER, KEPT) for decision in decisions.values())
        if self.random.random() < 0.3 and not name:
            self.rehearse(run, state, decisions, uncertain)

        def decide(path, current):
            found = decisions
            if updated(current) != updated(state.get(path)):
                found = undone(run, self.read(run.environment), self.version(run.environment))
            decision = found.get(path, SAME)
            return SAME if decision is KEPT else decision

        self.carry_out(
            "undo", ["runs", "undo", name or run.id], decide, lambda _: list(decisions), run.environment, undo_of=run,
            place=bool(name), exact=not uncertain and not run.doubtful,
        )

    def undo_nothing(self, run):
        """An undo that has nothing to put back writes nothing (undoing.md: 64, "all of it was already undone")."""
        known, before = self.run_ids(), self.read(run.environment)
        code = self.command("runs", "undo", run.id, "--json").code
        self.need(shape(self.read(run.environment)) == shape(before), "the undo of nothing wrote")
        self.need(run.status != "undone" or code == 64, f"the undo of what is undone ended in {code}")
        # A run that was killed before its first write may have no journal yet.
        self.need(code in (0, 64) or code == 66 and run.is_stopped, f"the undo of a run that wrote nothing ended in {code}")
        if new := sorted(self.run_ids() - known) if code == 0 else []:
            run.status = "undone"
            for id in new:
                self.runs.append(Run("undo", run.environment, [], id=id, undo_of=run, status="done", cannot_resume=True))
        elif run.is_stopped:
            self.settle_without_writes(run)

    def verify(self, run, state):
        """undoing.md: "exit code 1 means that some are not as the run left them"."""
        code = self.command("migrate", "verify", "--run", run.id, "--json").code
        differing = {path for path, (_, after) in run.writes.items() if fields_of(state.get(path)) != fields_of(after)}
        self.need(run.doubtful or code == bool(differing), f"verify --run {run.id}: {code}, and differing are {differing}")

    def rehearse(self, run, state, decisions, uncertain):
        """undoing.md: "`-n` shows what would be restored"."""
        code, summary, _, _ = self.command("runs", "undo", run.id, "-n", "--json")
        self.need(shape(self.read(run.environment)) == shape(state), "undo -n wrote")
        if code in (0, 2) and not uncertain and self.block in (None, run):
            is_left = sum(decision.what == "left" for decision in decisions.values())
            found = summary["totals"]["rejected"] + summary["totals"]["conflicted"]
            self.need(found == is_left, f"undo -n leaves {found}, not {is_left}")
            self.need((code == 2) == (is_left > 0), f"undo -n ended in {code}, and leaves {is_left}")

    def after_undo(self, undo):
        """undoing.md: "A run whose undo left conflicts is `undone-in-part`; a run of which nothing was put back keeps its status.
        `last` skips it until a later run is undone"."""
        run = undo.undo_of
        run.settled.update(undo.writes)
        if undo.rejects and undo.was_stopped and undo.was_edited:
            return self.give_up(run)
        run.is_skipped = bool(undo.rejects)
        if not undo.rejects:
            run.status = "undone"
        elif run.settled:
            run.status = "undone-in-part"
        if undo.writes:
            for earlier in self.runs[: self.runs.index(run)]:
                earlier.is_skipped = earlier.is_skipped and earlier.environment != run.environment
        if self.block is run and not run.is_stopped:
            self.block = None
        if run.is_stopped and run.has_lease:
            self.clear(run)

    def give_up(self, run):
        """What an undo put back before it was stopped, and somebody changed then, cannot be known."""
        run.is_given_up = run.is_skipped = True
        if run.has_lease:
            self.command("migrate", "unlock", run.id, "-e", run.environment)
        self.ask_status(run)
        self.block = None if self.block is run else self.block

    def clear(self, run):
        """undoing.md, "to leave it as it is"."""
        code = self.command("migrate", "unlock", run.id, "-e", run.environment).code
        self.need(code == 0 or not run.writes, f"unlock {run.id}: exit {code}")
        if code == 0:
            run.status = "cleared"
        self.block = None if self.block is run else self.block

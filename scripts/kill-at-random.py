#!/usr/bin/env python3
"""Kills the program at random moments of an import and of a migration, takes the runs up again, and judges what is left.

    scripts/kill-at-random.py [--binary FILE] [--points N] [--documents N] [--seed N] [--work import|apply|all]

The program under test works against a second process of it that serves an embedded store, so a kill takes nothing but the
client. For every point, in a database of its own: the run is started and killed (-9) after a random time, taken up with
`runs resume` until it ends, and then compared with an uninterrupted run: the whole database (server times aside), the
accounts of the summary, and the lists of rejects and reviews. Ends in 1 where anything differs.
"""
import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SERVER_TIMES = ("createdAt", "updatedAt")
# A rejected document may have been written by an earlier migration of the same run.
TIME = re.compile('"updatedAt":{"timestampValue":"[^"]*"}')


class Tool:
    def __init__(self, binary, folder, host):
        self.binary, self.folder, self.host = binary, folder, host

    def arguments(self, command, database):
        place = ["--project", "kills", "--database", database, "--endpoint", f"http://{self.host}"]
        return [self.binary, *command, *place, "--state-dir", f"{self.folder}/{database}"]

    def run(self, command, database):
        return subprocess.run(self.arguments(command, database), capture_output=True, text=True)

    def killed(self, command, database, after):
        """Starts a command and kills it after a time; its exit code, negative where the kill came in time."""
        process = subprocess.Popen(
            self.arguments(command, database), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            process.wait(timeout=after)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        return process.returncode

    def resume(self, database):
        state = ["--state-dir", f"{self.folder}/{database}"]
        return subprocess.run(
            [self.binary, "runs", "resume", "last", *state], capture_output=True, text=True
        )

    def documents(self, database):
        """Every document by its name, without what the service's clock sets."""
        text = self.run(["export", "--all", "-o", "-", "--format", "jsonl", "-q"], database)
        if text.returncode != 0:
            sys.exit(f"export of {database}: {text.stderr}")
        found = {}
        for line in text.stdout.splitlines():
            document = json.loads(line)
            fields = document.get("fields", {})
            found[document["name"]] = json.dumps(
                {name: value for name, value in fields.items() if name not in SERVER_TIMES}, sort_keys=True
            )
        shutil.rmtree(f"{self.folder}/{database}/runs", ignore_errors=True)
        return found

    def ending(self, database):
        """What the summary and the lists of the only run say."""
        runs = f"{self.folder}/{database}/runs"
        (run,) = os.listdir(runs)
        with open(f"{runs}/{run}/summary.json") as file:
            summary = json.load(file)
        lists = {}
        for name in ("rejects.jsonl", "review.csv"):
            path = f"{runs}/{run}/{name}"
            lines = sorted(open(path, newline="")) if os.path.exists(path) else []
            lists[name] = [TIME.sub("", line) for line in lines]
        return {
            "exitCode": summary["exitCode"], "totals": summary["totals"],
            "collections": {part["name"]: part for part in summary["collections"]}, "lists": lists,
        }


def judge(tool, work, prepare, options, chance):
    """Kills one kind of work at every point; the number of points that went wrong."""
    def ready(database):
        for command in prepare:
            result = tool.run(command, database)
            if result.returncode not in (0, 2):
                sys.exit(f"{command}: {result.stderr}")
        if prepare:
            shutil.rmtree(f"{tool.folder}/{database}/runs")

    name = work[0]
    ready(f"{name}-base")
    began = time.monotonic()
    tool.run(work, f"{name}-base")
    length = time.monotonic() - began
    expected = tool.ending(f"{name}-base")
    database = tool.documents(f"{name}-base")
    wrong = kills = resumes = 0
    for point in range(options.points):
        place = f"{name}-{point}"
        ready(place)
        code = tool.killed(work, place, chance.uniform(0.02, length))
        rounds = 0
        while code == -signal.SIGKILL:
            kills += 1
            rounds += 1
            if not os.listdir(f"{tool.folder}/{place}/runs") if os.path.isdir(f"{tool.folder}/{place}/runs") else True:
                # Before it had a run: nothing to take up.
                code = tool.run(work, place).returncode
                continue
            result = tool.resume(place)
            resumes += 1
            if "there is none in" in result.stderr:
                shutil.rmtree(f"{tool.folder}/{place}/runs")
                code = tool.run(work, place).returncode
            else:
                code = result.returncode
            if rounds > 3:
                break
        ending = tool.ending(place)
        problems = [key for key in expected if ending[key] != expected[key]]
        if tool.documents(place) != database:
            problems.append("database")
        if problems:
            wrong += 1
            print(f"{name} point {point}: differs in {', '.join(problems)}", flush=True)
            if "totals" in problems:
                print(f"  {ending['totals']}\n  {expected['totals']}")
        shutil.rmtree(f"{tool.folder}/{place}", ignore_errors=True)
        if point % 20 == 19:
            print(f"{name}: {point + 1} points, {kills} kills, {resumes} resumes, {wrong} wrong", flush=True)
    print(f"{name}: {options.points} points, {kills} kills, {resumes} resumes, {wrong} wrong", flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="bin/gymmigrate")
    parser.add_argument("--points", type=int, default=200)
    parser.add_argument("--documents", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", choices=["import", "apply", "all"], default="all")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    binary = os.path.abspath(options.binary)
    folder = tempfile.mkdtemp()
    server = subprocess.Popen(
        [binary, "serve", "--port", "0", "--memory", "--state-dir", f"{folder}/server"],
        stderr=subprocess.PIPE, text=True,
    )
    try:
        host = None
        while host is None:
            line = server.stderr.readline()
            if not line:
                sys.exit("the server did not start")
            if line.startswith("FIRESTORE_EMULATOR_HOST="):
                host = line.strip().split("=", 1)[1]
        data = f"{folder}/data"
        subprocess.run(
            [sys.executable, f"{here}/samples/gym/generate.py", "--out", data, "--users", str(options.documents)],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        tool = Tool(binary, folder, host)
        users = ["import", f"{data}/users.jsonl", "-q"]
        both = ["import", f"{data}/users.jsonl", f"{data}/user_emails.jsonl", "-q", "--in-flight", "1"]
        # One commit after the other, so that the documents are of the same age in every database.
        apply = ["migrate", "apply", "users-unify", "user-emails", "is-active", "--prune", "-q"]
        wrong = 0
        if options.work in ("import", "all"):
            wrong += judge(tool, users, [], options, chance)
        if options.work in ("apply", "all"):
            wrong += judge(tool, apply, [both], options, chance)
        sys.exit(1 if wrong else 0)
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()

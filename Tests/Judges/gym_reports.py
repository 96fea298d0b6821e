#!/usr/bin/env python3
"""Judges the reports on classes and the users as the app reads them.

    gym_reports.py BINARY [SEED]

Loads sample gyms with gaps in them (classes that are gone, people without a name, cancelled classes, records without a member),
and compares what the program prints with what the references of Tests/Oracle, which were written from the apps' own pages,
work out over the same documents.
"""
import json
import random
import sys
import tempfile
from datetime import date, timedelta
from pathlib import Path

from judging import run_or_exit as run

ROOT = Path(__file__).resolve().parents[2]
ORACLE = ROOT / "Tests/Oracle"


def objects(text):
    return [json.loads(line) for line in text.splitlines()]


def documents(folder):
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield path.name, json.loads(line)


def damage(folder, rng):
    """Takes some documents and fields away, and adds records that fit nowhere."""
    kept = {}
    for name, document in documents(folder):
        fields = document.setdefault("fields", {})
        collection = document["name"].split("/")[0]
        if collection == "classes":
            if rng.random() < 0.1:
                continue
            if rng.random() < 0.15:
                fields["isActive"] = {"booleanValue": False}
            if rng.random() < 0.1:
                fields["horaInicio"] = {"stringValue": "07:00"}
        if collection in ("members", "users") and rng.random() < 0.05:
            continue
        if collection == "members" and rng.random() < 0.1:
            fields["firstName"] = {"stringValue": rng.choice(["", " ", "Zoé"])}
        if collection == "classAttendance" and rng.random() < 0.2:
            if "memberId" in fields:
                fields["memberId"] = {"stringValue": ""}
            else:
                fields["userId"] = {"nullValue": None}
        kept.setdefault(name, []).append(json.dumps(document, ensure_ascii=False))
    for name, lines in kept.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def compare(what, expected, found):
    if expected == found:
        return
    for position, (one, other) in enumerate(zip(expected, found)):
        if one != other:
            sys.exit(f"{what}: item {position} is\n{other}\nand not\n{one}")
    sys.exit(f"{what}: {len(found)} items, not {len(expected)}")


def judge(binary, seed):
    rng = random.Random(seed)
    compared = {"week": 0, "attendance": 0, "users": 0}
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        gym = work / "gym"
        run([sys.executable, ROOT / "samples/gym/generate.py", "--out", gym, "--users", rng.randint(30, 150), "--seed", seed], work)
        damage(gym, rng)
        run([binary, "import", *sorted(gym.glob("*.jsonl")), "-e", "local", "-q", "--validate", "off"], work)
        fields = {name: [] for name in ("classes", "members")}
        for _, document in documents(gym):
            parts = document["name"].split("/")
            if len(parts) == 2 and parts[0] in fields:
                fields[parts[0]].append((parts[1], document["fields"]))
        days = [date.fromisoformat(f["fecha"]["timestampValue"][:10]) for _, f in fields["classes"] if "fecha" in f]
        for _ in range(8):
            day = rng.choice(days) + timedelta(days=rng.randint(-6, 6))
            expected = objects(run([sys.executable, ORACLE / "classes_reference.py", gym, "week", day], work))
            found = json.loads(run([binary, "classes", "week", "--of", day, "-e", "local", "--json", "-q"], work))["classes"]
            compare(f"seed {seed}: week of {day}", expected, found)
            compared["week"] += len(found)
        selections = [["--month", f"{day:%Y-%m}"] for day in {d.replace(day=1) for d in days}]
        selections += [["--class", id] for id, _ in rng.sample(fields["classes"], min(6, len(fields["classes"])))]
        selections += [["--member", id] for id, _ in rng.sample(fields["members"], min(12, len(fields["members"])))]
        for selection in selections:
            command = [sys.executable, ORACLE / "classes_reference.py", gym, "attendance", *selection]
            *expected, total = objects(run(command, work))
            found = json.loads(run([binary, "classes", "attendance", *selection, "-e", "local", "--json", "-q"], work))
            what = f"seed {seed}: attendance {selection}"
            records = [{key: record.get(key) for key in expected[0]} for record in found["records"]] if expected else found["records"]
            compare(what, expected, records)
            compare(what, [total], [{"records": len(records), "attended": found["attended"], "rate": found.get("rate")}])
            compared["attendance"] += len(records)
        run([binary, "export", "users", "--as-app", "-e", "local", "-o", "app.jsonl", "-q"], work)
        reader = objects(run([sys.executable, ORACLE / "app_reader.py", gym], work))
        expected = {one["path"]: one["properties"] for one in reader if one["type"] == "AppUser"}
        for document in objects((work / "app.jsonl").read_text(encoding="utf-8")):
            own, user = document["fields"], expected.pop(document["name"])
            read = {key: own.get(key, {}).get("stringValue") for key in ("fullName", "phone", "era")}
            read["isActive"] = own["isActive"]["booleanValue"]
            compare(f"seed {seed}: {document['name']}", [{key: user[key] for key in read}], [read])
            compared["users"] += 1
        if expected:
            sys.exit(f"seed {seed}: {sorted(expected)[:3]} were not exported")
    return compared


def main():
    binary = str(Path(sys.argv[1]).resolve())
    seeds = [int(sys.argv[2])] if len(sys.argv) > 2 else range(1, 5)
    for seed in seeds:
        print(f"ok      seed {seed}:", ", ".join(f"{count} {what}" for what, count in judge(binary, seed).items()))


if __name__ == "__main__":
    main()

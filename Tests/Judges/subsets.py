#!/usr/bin/env python3
"""Holds `copy --subset` to the rules of its page, which subset_oracle.py has without knowing the program.

    python3 subsets.py path/to/gymmigrate [seeds [seed]]

A seed is a random database with cycles, hubs, subcollections, parents that are missing, references that dangle or lead to other
databases, and ids that are equal to Swift; a schema; and what is asked of it. The target has to be the oracle's part afterwards, with
what was there before; what dangles in it has dangled; the summary has to say what the oracle counts; and it may not be billed more
than the page allows. Some are tried by -n first, some are killed and resumed, some go through faults. SUBSETS=N takes N seeds.
Needs nothing but Python's own library.
"""

import collections
import dataclasses
import json
import random

import subset_oracle
from bills import Biller
from judging import need, played, report, run_judge, scratch, seeds_asked
from mirror_service import Database, Program
from subset_oracle import ELEMENT, VALUE, ancestors, closure, links_of, pattern_of

TRY_LATER = 75
counts = collections.Counter()


def starred(pattern):
    """users/payments -> users/*/payments"""
    return "/*/".join(pattern.split("/"))


def can_be_declared(reference):
    """Whether a schema can say it: a reference is to a collection of the root, and not that of every value of a map."""
    return VALUE not in reference.path and "/" not in reference.target


def schema_of(references):
    """The schema, which is YAML as far as JSON is."""
    tree = {}
    for reference in references:
        fields = tree.setdefault(reference.collection, {})
        node = fields.setdefault(reference.path[0], {})
        for step in reference.path[1:]:
            if step is ELEMENT:
                node["type"] = "array"
                node = node.setdefault("elements", {})
            else:
                node["type"] = "map"
                node = node.setdefault("fields", {}).setdefault(step, {})
        node.update(type="string", reference=reference.target)
    named = {pattern for pattern in [*tree, *(reference.target for reference in references)]}
    declared = {starred(pattern): {"fields": tree.get(pattern, {"role": "string"})} for pattern in sorted(named)}
    return json.dumps({"schema": "things", "collections": declared or {"users": {"fields": {"role": "string"}}}}, ensure_ascii=False)


class Labels:
    """How the program calls references: by the field as far as it is declared."""

    def __init__(self, references):
        self.declared = collections.defaultdict(set)
        for reference in references:
            for length in range(1, len(reference.path) + 1):
                self.declared[reference.collection].add(reference.path[:length])

    def of(self, reference):
        declared, name = self.declared[reference.collection], ""
        for length, step in enumerate(reference.path, 1):
            known = reference.path[:length] in declared
            if step is ELEMENT:
                name += "[]"
            elif length == 1:
                plain = step.isascii() and step.replace("_", "").isalpha() and step[0] != "_"
                name = quoted(step) if known or plain else "(others)"
            elif known:
                name += "." + quoted(step)
        return f"{starred(reference.collection)}.{name} -> {starred(reference.target)}"

    def counted(self, numbers):
        """The numbers of references, by how the program calls them."""
        found = collections.Counter()
        for (way, reference), number in numbers.items():
            found[way, self.of(reference)] += number
        return found


def quoted(name):
    return name if name.isascii() and name.replace("_", "a").isalnum() and not name[0].isdigit() else f"`{name}`"


class Scene:
    def __init__(self, store, proxy, binary, folder, seed):
        folder.mkdir()
        self.random, self.proxy = random.Random(f"subsets/{seed}"), proxy
        self.program = Program(binary, folder, proxy)
        self.folder = folder
        self.source, self.target = (Database(store, f"{name}{seed}") for name in ("from", "into"))
        for database in (self.source, self.target):
            self.program.know(database.name)
        documents, references, options = subset_oracle.random_world(self.random)
        root = options.database + "/documents/"
        self.documents = json.loads(json.dumps(documents).replace(root, self.source.prefix))
        self.references = [reference for reference in references if can_be_declared(reference)]
        self.options = dataclasses.replace(options, database=self.source.root)
        self.labels = Labels(self.references)
        (folder / "things.yaml").write_text(schema_of(self.references))
        self.source.commit_all([self.source.set(path, fields) for path, fields in self.documents.items()])
        self.before = {"users/only there": {"n": {"integerValue": "1"}}} if self.random.random() < 0.3 else {}
        self.target.commit_all([self.target.set(path, fields) for path, fields in self.before.items()])
        self.part = closure(self.documents, self.references, self.options)
        proxy.share = 0.0

    def words(self):
        words = ["copy", "--from", self.source.name, "--to", self.target.name, "-y", "--json", "--mode", "upsert"]
        for subset in self.options.subsets:
            where = f" where {subset.predicate}" if subset.predicate else ""
            limit = f" limit {subset.limit}" if subset.limit is not None else ""
            words += ["--subset", starred(subset.collection) + where + limit]
        if self.options.sample:
            words += ["--sample", f"{self.options.sample}%"]
        words += ["--follow", ",".join(sorted(self.options.follow)) or "none"]
        words += ["--max-documents", self.options.max_documents, "--max-fan-in", self.options.max_fan_in]
        return words + ([] if self.options.subcollections else ["--no-subcollections"])

    # Judging.

    def play(self):
        words = self.words()
        self.text = json.dumps(words[9:], ensure_ascii=False)
        counts["beyond the bound"] += self.part.exceeded
        counts["with hubs"] += bool(self.part.hubs)
        counts["with dangling references"] += bool(self.part.dangling)
        if self.random.random() < 0.3:
            self.run([*words, "-n"])
            need(self.target.all() == self.before, "-n wrote something")
            counts["tried by -n"] += 1
        how = self.random.random()
        if how < 0.3:
            self.killed(words)
        elif how < 0.4:
            self.proxy.share = 0.2
            self.run(words, billed=False)
            counts["with faults"] += 1
        else:
            self.run(words)
        self.copied()

    def run(self, words, billed=True):
        self.proxy.reset()
        code, output, errors = self.program(*words, ends=(0, TRY_LATER))
        need((code == TRY_LATER) == self.part.exceeded, f"it ends in {code} with {len(self.part.names)} documents: {errors[-600:]}")
        if billed:
            most, reads = self.most(), self.proxy.billed["reads"]
            need(reads <= most, f"{reads} reads were billed, and {most} are allowed")
            counts["reads"] += reads
        if code == 0:
            self.said(json.loads(output)["part"])

    def said(self, part):
        """The summary counts what the oracle counts."""
        need(part["documents"] == len(self.part.names), f"it says {part['documents']} documents, not {len(self.part.names)}")
        need(part["dangling"] == len(self.part.dangling), f"it says {part['dangling']} dangling, not {len(self.part.dangling)}")
        hubs = {(hub["document"], hub["reference"], hub["documents"]) for hub in part["hubs"]}
        wanted = {(document, self.labels.of(reference), number) for document, reference, number in self.part.hubs}
        need(hubs == wanted, f"it names the hubs {hubs}, not {wanted}")
        said = {(one["way"], one["reference"]): one["documents"] for one in part["references"] if one["way"] in ("in", "out")}
        most, least = self.labels.counted(self.part.counts), self.labels.counted(self.part.counts_sole)
        for key in said.keys() | least.keys():
            need(least[key] <= said.get(key, 0) <= most[key], f"{key} brought {least[key]} to {most[key]}, not {said.get(key, 0)}")
        total = sum(one["documents"] for one in part["references"])
        need(total == len(self.part.names), f"its references bring {total} documents, not {len(self.part.names)}")

    def killed(self, words):
        when, at = self.random.choice(["before", "after"]), self.random.randint(1, 25)
        runs = self.folder / ".gymmigrate/runs"
        if self.part.exceeded or not self.program.killed(*words, at=at, when=when):
            return self.run(words, billed=False) if self.part.exceeded else None
        counts["killed"] += 1
        begun = sorted(runs.glob("*/run.json"), key=lambda file: file.stat().st_mtime_ns) if runs.exists() else []
        if not begun or json.loads(begun[-1].read_text()).get("status") == "done":
            return self.run(words, billed=False)
        # What comes after the beginning is of another moment, once its checkpoint has that.
        self.program("runs", "resume", begun[-1].parent.name, "-y", place=False)
        names = [file.name for file in begun[-1].parent.iterdir()]
        need("part.jsonl" not in names, f"the names are left in {names}")

    def copied(self):
        found = self.target.all()
        wanted = {} if self.part.exceeded else {name: self.documents[name] for name in self.part.names}
        # An empty map has no fields in answers.
        plain = json.dumps(wanted).replace('"mapValue": {"fields": {}}', '"mapValue": {}')
        wanted = json.loads(plain.replace(self.source.prefix, self.target.prefix))
        more, less = found.keys() - wanted.keys() - self.before.keys(), wanted.keys() - found.keys()
        need(not more and not less, f"too much: {sorted(more)[:5]}; too little: {sorted(less)[:5]}")
        other = [name for name, fields in (self.before | wanted).items() if found[name] != fields]
        need(not other, f"{len(other)} documents have other fields: {[(found[name], wanted.get(name)) for name in other[:2]]}")
        if "out" not in self.options.follow:
            return
        for name, fields in found.items():
            for link in links_of(name, fields, self.references, self.target.root):
                need(link.target in found or link.target not in self.documents, f"{name} refers to {link.target}, which was not copied")

    def most(self):
        """The reads that the page allows: those of the roots, of what asks for what refers to them, of each name once, with what is
        below it, and of the copy on both sides."""
        below = collections.Counter(above for name in self.documents for above in ancestors(name))
        most = 20 + 2 * len(self.part.names)
        for subset in self.options.subsets:
            last = subset.collection.rpartition("/")[2]
            most += 6 + sum(pattern_of(name).rpartition("/")[2] == last for name in self.documents)
        if "in" in self.options.follow:
            for reference in self.references:
                asked = sum(pattern_of(root) == reference.target for root in self.part.roots)
                referring = sum(pattern_of(name) == reference.collection for name in self.documents)
                most += 4 * asked + referring
        met = self.part.names | self.part.dangling
        met |= {above for name in met for above in ancestors(name)}
        return most + sum(1 + (below[name] if self.options.subcollections else 0) for name in met)


def main():
    asked, number, first = seeds_asked("SUBSETS", 40)
    with scratch(asked) as (folder, binary, store):
        proxy = Biller(store, random.Random(first))
        played(
            range(first, first + number), lambda seed: Scene(store, proxy, binary, folder / f"s{seed}", seed), counts, "graphs",
            lambda scene: getattr(scene, "text", ""),
        )
    report("subsets", first, counts)


if __name__ == "__main__":
    run_judge("subsets", main)

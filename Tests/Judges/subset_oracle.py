#!/usr/bin/env python3
"""The rules of `copy --subset` (subset-spec.md), written to be read: an oracle, not a program.

A *document* is its relative name ("users/u1", "users/u1/payments/p1") and its fields in Firestore's REST JSON. A name
that is not a key of `documents` does not exist, whatever is below it (a "missing document").

A *collection pattern* is "users" or "users/payments" (ids left out); "users/*/payments" is the same as the second. The
collection of a subset may also be one collection by its path, "users/u1/payments".

A *path* of a field is a tuple of names and of the markers ELEMENT (each element of an array) and VALUE (each value of a
map whose keys are not declared): ("rows", ELEMENT, "gymId").

    python3 subset_oracle.py                         2,000 random worlds through the self checks, and the examples
    python3 subset_oracle.py --worlds N --seed S     others; world i of seed S is random_world(random.Random(f"{S}/{i}"))
    python3 subset_oracle.py --dump FILE             and each world with its result, as a line of JSON, to FILE


HOW TO JUDGE A PROGRAM BY IT

- not result.exceeded: the program's set is result.names; hubs, dangling and per_collection() agree, too.
- result.exceeded: the program ends with 75. `names` is here the whole part; a program that stopped knows some N + 1 of it.
- What a reference "brought" depends on the order in which a program meets documents. A program that counts a document for
  the reference by which it met it first has result.counts_sole[key] <= n <= result.counts[key] (0 where a key is absent).


WHERE THE SPECIFICATION IS AMBIGUOUS: the reading taken here, and the smallest example

A1  Step 5, what parents bring. Full members: what they refer to (out) and what is below them (step 3) comes along, so that a
    reference to one payment brings all payments of its user. (Other: the parent alone.)
    orders/o1 -> ref users/u1/payments/p1; users/u1, users/u1/payments/p2 exist; root orders/o1: p2 is in.
A2  Step 5, "reached by reference", inwards. A document of I is reached by reference: its parents come along, also without
    `out`. root gyms/g1; users/u1/payments/p1 gymId g1; follow in: users/u1 is in.
A3  Step 5, roots. A root is not reached by reference: its parents stay out. root users/u1/payments/p1: users/u1 is out.
A4  Step 5, a root (or a document in as part of a subcollection) that something of the part refers to, too, was reached:
    parents come along, in whatever order things are met. root users/u1/payments/p1 refers to itself; out: users/u1 is in.
A5  Step 5, which parents. All ancestors that exist, also above one that does not exist.
    o1 -> ref users/u1/payments/p1/lines/l1, no users/u1/payments/p1: users/u1 is in.
A6  A missing document that is referred to dangles, and brings nothing: neither the documents below it, nor its parents.
    o1 -> users/u9 (missing), users/u9/payments/p1 exists: p1 is out, users/u9 dangles.
    o1 -> ref users/u1/payments/p9 (missing), users/u1 exists: users/u1 is out.
A7  Missing documents are no roots, and do not count for `limit`. subset users: users/u9/payments/p1 below the missing
    users/u9 is out (a copy of the whole of users would take it).
A8  Step 2, R is the roots alone, without what is below them (steps are in order). root users/u1;
    invoices/i1.payment (declared) -> ref users/u1/payments/p1; follow in: i1 is out.
A9  Step 2, reference values. "Found by queries on the fields that the schema declares": a reference value in a declared
    field counts, one in an undeclared field does not (step 4 follows both). Whether a field is declared as string or as
    reference makes no difference: either kind of value is looked for. invoices/i1.x (undeclared) -> ref users/u1,
    root users/u1, follow in: i1 is out.
A10 Step 2, a reference value to another collection than the declared one. A field is queried for documents of its declared
    target only. members.gym is declared -> gyms, and m1.gym is ref users/u1; root users/u1; in: m1 is out (and out: u1 in).
A11 Step 2, what can be queried. Names alone (equality), or names and then one ELEMENT at the end (array-contains). A VALUE in
    the path cannot be queried, as little as what is below arrays of maps; both are named in Result.unqueried, if `in` is
    followed and R has a document of the declared target (other: always).
A12 Hubs are per document and field: another field that refers to the hub, and another document of R in the same field, are
    followed. (Other: a hub is not followed inwards at all.) max-fan-in 1; m1.gym, m2.gym, m3.old -> g1; root g1: m3 in.
A13 Hubs, the number. Documents (not values) that refer to it by that field: also itself, other roots, and, where the string
    and the reference value are queried apart, both together. max-fan-in 1; m1.gym "g1", m2.gym ref gyms/g1: a hub of 2.
    Exactly max-fan-in documents make no hub. Fields that cannot be queried make none.
A14 Hubs, closure. That a hub is not followed inwards keeps nobody out: who is in by another way stays.
A15 A string id whose target is a subcollection ("users/payments") refers to nothing: the id does not say whose payment it is.
    (Others: the same parent's; all of that id.) Reference values are not concerned. random_world makes none of these.
A16 "No document id": "" . .. __x__ (two underscores at either end, also "____"), anything with /, over 1,500 bytes of
    UTF-8. But __id7__ (Datastore's numeric id, as docs/filters.md has it) is one. random_world makes no __id7__.
    A string is not trimmed: " " and "u1 " are ids. Nor is it normalized: "e\\u0301" is not "\\u00e9".
A17 The shape has to be that of the path: a string where the path has ELEMENT, an array where it has none, refer to nothing.
    members.tags[] declared, m1.tags = "t1". Not concerned: reference values, which refer wherever they are (step 4).
A18 A reference value that is no document of this database (another project or database, the path of a collection,
    "…/documents" alone) refers to nothing: it neither dangles nor is followed.
A19 dangling. Only with `out` (without, references are not looked at); "n": names counted once here (`dangling`), however many
    refer to them; `dangling_links` has each (document, reference, name). Step 2 looks for no dangling ones.
A20 A reference value in a declared field, to another collection than the declared one, or in an undeclared field, is listed as
    (collection, field where it was, collection to which it refers). VALUE is then the key itself.
A21 "How many documents it brought": documents outside of R, counted once per reference that leads to them (see above).
A22 max-documents counts documents that exist and would be copied: roots, parents and subcollections as the rest; not
    dangling ones, and not what was looked at without belonging. Exactly N is no excess.
A23 limit. "UTF-8 bytes order" and "as the service orders __name__" differ with several parents: taken is the service's, segment
    by segment ("users/a/payments/p" before "users/a!/payments/p", though "!" < "/"), numeric ids (__id7__) first.
    limit of a pattern ("users/*/payments limit 3") is of all these together, not of each parent.
A24 sample before limit, after or before the filter (the same). It thins roots only. p is exact (decimal, not floating): the hash
    h is in if h * 100 < p * 2^64. "Named collection" without --subset: here a Subset without predicate and limit.
    The relative name of a document of a subcollection is the whole of it, users/u1/payments/p1.
A25 "root/sub collections as the schema writes them": the schema writes users/*/payments, the text root/sub. Both mean the same.
    A subset of "a/b/c" is both the pattern of three levels and the one collection c below a/b. random_world has no such case.
A26 limit beside an inequality. The service orders by that field, and then by name: 'users where age > 3 limit 1', a.age 9,
    b.age 5: b. random_world has no two values that differ beside one. Each subset has its own limit; what two of them keep
    counts for both.
A27 "Which reference pulled in most", beyond the bound: left open, for a program that stops knows only what it has met, and
    roots, parents and subcollections are brought by none. `users limit 3`, max-documents 2: no reference can be named.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction


# ---------------------------------------------------------------------------------------------------------------- types


class Marker(Enum):
    """What a path has in place of a name."""

    ELEMENT = "[]"
    VALUE = "{}"


ELEMENT, VALUE = Marker.ELEMENT, Marker.VALUE

Path = tuple  # of str and Marker
Fields = dict  # Firestore's REST JSON: {"gymId": {"stringValue": "g1"}}


@dataclass(frozen=True)
class Document:
    """One document. `closure` takes them as a dict from name to fields."""

    name: str  # "users/u1", "users/u1/payments/p1"
    fields: Fields


@dataclass(frozen=True)
class Reference:
    """A field that the schema declares to refer to a collection; also what a found reference is listed as (A20)."""

    collection: str  # "users", "users/payments"
    path: Path  # ("gymId",), ("gyms", ELEMENT), ("rows", ELEMENT, "gymId"), ("byDay", VALUE)
    target: str  # "gyms"

    def __str__(self) -> str:
        path = ".".join(step.value if isinstance(step, Marker) else step for step in self.path)
        return f"{self.collection}.{path} -> {self.target}"


@dataclass(frozen=True)
class Link:
    """That one document refers to another one, which may not exist."""

    source: str
    reference: Reference
    target: str


@dataclass(frozen=True)
class Where:
    """A small filter, that can be written down: `role == "trainer"`. Any callable of (name, fields) is a predicate."""

    field: str
    operator: str  # "==", "!=", "array-contains"
    text: str

    def __call__(self, name: str, fields: Fields) -> bool:
        value, wanted = fields.get(self.field), {"stringValue": self.text}
        if value is None:  # a field that is missing satisfies nothing
            return False
        if self.operator == "==":
            return value == wanted
        if self.operator == "!=":  # never selects a null
            return value != wanted and "nullValue" not in value
        if self.operator == "array-contains":
            return wanted in value.get("arrayValue", {}).get("values", [])
        raise ValueError(self.operator)

    def __str__(self) -> str:
        return f"{self.field} {self.operator} {json.dumps(self.text)}"


@dataclass(frozen=True)
class Subset:
    collection: str
    predicate: Callable[[str, Fields], bool] | None = None
    limit: int | None = None


@dataclass(frozen=True)
class Options:
    subsets: tuple[Subset, ...]
    sample: str | None = None  # percent, as it is written: "12.5"
    follow: frozenset[str] = frozenset({"out"})  # of "out" and "in"
    max_documents: int = 10_000
    max_fan_in: int = 1_000
    subcollections: bool = True
    database: str = "projects/P/databases/D"


@dataclass
class Result:
    names: set[str]  # the part; whole, also where the bound was exceeded
    hubs: set[tuple[str, Reference, int]]  # the document, by which field, how many refer to it
    counts: dict[tuple[str, Reference], int]  # ("out" or "in", reference) -> documents outside of R that it leads to
    counts_sole: dict[tuple[str, Reference], int]  # of these, those that are in for no other reason
    exceeded: bool  # more than max_documents
    dangling: set[str]  # names of what the part refers to, and does not exist
    dangling_links: set[Link]
    roots: set[str]  # step 1
    inward: set[str]  # step 2; may have roots in it
    unqueried: set[Reference]  # declared, and not to be queried (step 2)
    references: list[Reference] = field(repr=False)  # what was asked, for check_world
    options: Options = field(repr=False)

    def per_collection(self) -> Counter:
        return Counter(pattern_of(name) for name in self.names)


# ------------------------------------------------------------------------------------------------------ names and values


def pattern_of(name: str) -> str:
    """users/u1/payments/p1 -> users/payments"""
    return "/".join(name.split("/")[0::2])


def is_of(name: str, collection: str) -> bool:
    """Whether a document is of a collection, which is a pattern or the path of one collection."""
    without_stars = "/".join(segment for segment in collection.split("/") if segment != "*")
    return pattern_of(name) == without_stars or name.rpartition("/")[0] == collection


def ancestors(name: str) -> list[str]:
    """users/u1/payments/p1/lines/l1 -> users/u1, users/u1/payments/p1; they need not exist."""
    segments = name.split("/")
    return ["/".join(segments[:count]) for count in range(2, len(segments), 2)]


def name_order(name: str) -> list:
    """The key by which the service orders names: by segments, numeric ids first, the others by their UTF-8 bytes."""
    numbers = [re.fullmatch(r"__id(-?[0-9]+)__", segment) for segment in name.split("/")]
    return [
        (0, int(number[1]), b"") if number else (1, 0, segment.encode())
        for segment, number in zip(name.split("/"), numbers)
    ]


def is_document_id(text: str) -> bool:
    if text in ("", ".", "..") or "/" in text or len(text.encode()) > 1500:
        return False
    reserved = len(text) >= 4 and text.startswith("__") and text.endswith("__")
    return not reserved or re.fullmatch(r"__id-?[1-9][0-9]*__", text) is not None


def name_in(database: str, full_name: str) -> str | None:
    """The relative name of a document of that database; None for all else."""
    start = database + "/documents/"
    if not full_name.startswith(start):
        return None
    name = full_name[len(start):]
    segments = name.split("/")
    return name if len(segments) % 2 == 0 and all(map(is_document_id, segments)) else None


def leaves(value: dict, path: Path = ()) -> Iterator[tuple[Path, dict]]:
    """All values in a value that are neither arrays nor maps, with their paths: names of fields, and ELEMENT."""
    if "arrayValue" in value:
        for element in value["arrayValue"].get("values", []):
            yield from leaves(element, path + (ELEMENT,))
    elif "mapValue" in value:
        for key, inner in value["mapValue"].get("fields", {}).items():
            yield from leaves(inner, path + (key,))
    else:
        yield path, value


def fits(path: Path, declared: Path) -> bool:
    """Whether a path of `leaves` is one that the declared path means."""
    return len(path) == len(declared) and all(
        step == wanted or (wanted is VALUE and isinstance(step, str)) for step, wanted in zip(path, declared)
    )


def can_be_queried(path: Path) -> bool:
    return all(isinstance(step, str) for step in path[:-1]) and path[-1] is not VALUE


def links_of(name: str, fields: Fields, references: list[Reference], database: str) -> set[Link]:
    """All that a document refers to, whether it exists or not."""
    links = set()
    for path, value in leaves({"mapValue": {"fields": fields}}):
        declared = [r for r in references if is_of(name, r.collection) and fits(path, r.path)]

        if "stringValue" in value:
            for reference in declared:
                if is_document_id(value["stringValue"]) and "/" not in reference.target:
                    links.add(Link(name, reference, reference.target + "/" + value["stringValue"]))

        if "referenceValue" in value:
            target = name_in(database, value["referenceValue"])
            if target is not None:
                as_declared = [r for r in declared if is_of(target, r.target)]
                undeclared = Reference(pattern_of(name), path, pattern_of(target))
                for reference in as_declared or [undeclared]:
                    links.add(Link(name, reference, target))
    return links


# ---------------------------------------------------------------------------------------------------------------- rules


def is_sampled(name: str, percent: str | None) -> bool:
    if percent is None:
        return True
    number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
    return number < Fraction(percent) / 100 * 2**64


def roots_of(documents: dict[str, Fields], options: Options) -> set[str]:
    """Step 1."""
    roots = set()
    for subset in options.subsets:
        kept = [
            name
            for name, fields in documents.items()
            if is_of(name, subset.collection)
            and (subset.predicate is None or subset.predicate(name, fields))
            and is_sampled(name, options.sample)
        ]
        kept.sort(key=name_order)
        roots.update(kept if subset.limit is None else kept[: subset.limit])
    return roots


def closure(documents: dict[str, Fields], references: list[Reference], options: Options) -> Result:
    """The part of `documents` that `options` ask for."""
    links = {name: links_of(name, fields, references, options.database) for name, fields in documents.items()}

    # 1. The roots.
    roots = roots_of(documents, options)

    # 2. The documents that refer to a root by a declared field that can be queried; hubs are not followed.
    inward, hubs, unqueried, followed_in = set(), set(), set(), set()
    if "in" in options.follow:
        for reference in set(references):
            if not can_be_queried(reference.path):
                if any(is_of(root, reference.target) for root in roots):
                    unqueried.add(reference)
                continue
            for root in roots:
                to_root = {link for of in links.values() for link in of if (link.reference, link.target) == (reference, root)}
                referring = {link.source for link in to_root}
                if len(referring) > options.max_fan_in:
                    hubs.add((root, reference, len(referring)))
                else:
                    inward |= referring
                    followed_in |= to_root

    # 3, 4, 5. The least set in which there is, with a document,
    part = roots | inward
    while True:
        more = set()
        # what is below it,
        if options.subcollections:
            more |= {name for name in documents if any(above in part for above in ancestors(name))}
        # what it refers to,
        followed_out = {link for name in part for link in links[name]} if "out" in options.follow else set()
        referred = {link.target for link in followed_out if link.target in documents}
        more |= referred
        # and, if it was reached by reference, its parents.
        for name in inward | referred:
            more |= {above for above in ancestors(name) if above in documents}
        if more <= part:
            break
        part |= more

    # What is told about it.
    dangling_links = {link for link in followed_out if link.target not in documents}
    brought = {("in", link.reference, link.source) for link in followed_in}
    brought |= {("out", link.reference, link.target) for link in followed_out if link.target in documents}
    brought = {(way, reference, name) for way, reference, name in brought if name not in roots}
    ways = Counter(name for _, _, name in brought)
    as_parents = {above for name in inward | referred for above in ancestors(name)}
    as_children = {name for name in part if options.subcollections and any(above in part for above in ancestors(name))}
    sole = {(w, r, name) for w, r, name in brought if ways[name] == 1 and name not in as_parents | as_children}

    return Result(
        names=part,
        hubs=hubs,
        counts=dict(Counter((way, reference) for way, reference, _ in brought)),
        counts_sole=dict(Counter((way, reference) for way, reference, _ in sole)),
        exceeded=len(part) > options.max_documents,
        dangling={link.target for link in dangling_links},
        dangling_links=dangling_links,
        roots=roots,
        inward=inward,
        unqueried=unqueried,
        references=references,
        options=options,
    )


# --------------------------------------------------------------------------------------------------------------- checks


def check_world(documents: dict[str, Fields], result: Result) -> None:
    """Raises AssertionError where the result (of `closure` or of a program) breaks what the specification says."""
    options, references, names = result.options, result.references, result.names
    out, inwards = "out" in options.follow, "in" in options.follow
    links = {name: links_of(name, documents[name], references, options.database) for name in documents}

    # Only what exists is in, and the roots are.
    assert names <= documents.keys()
    assert result.roots <= names and result.inward <= names
    for root in result.roots:
        assert any(is_of(root, subset.collection) for subset in options.subsets)
    for subset in options.subsets:
        if subset.predicate is None and subset.limit is None and options.sample in (None, "100"):
            assert {name for name in documents if is_of(name, subset.collection)} <= names
    if all(subset.limit is not None for subset in options.subsets):
        assert len(result.roots) <= sum(subset.limit for subset in options.subsets)

    # Nothing in the part refers to an existing document outside of it; what does not exist dangles, and nothing else.
    reached = set(result.inward)
    missing = set()
    if out:
        for name in names:
            for link in links[name]:
                if link.target in documents:
                    assert link.target in names, link
                    reached.add(link.target)
                else:
                    missing.add(link.target)
    assert result.dangling == missing == {link.target for link in result.dangling_links}

    # Parents are along, and so are subcollections.
    for name in reached:
        for above in ancestors(name):
            assert above in names or above not in documents, (name, above)
    if options.subcollections:
        for name in documents:
            assert name in names or not any(name.startswith(other + "/") for other in names), name

    # Nothing else is in: by another way of computing, one document after the other.
    assert names == one_by_one(documents, links, result)

    # Inwards: one step, and hubs are what they say.
    assert inwards or not (result.inward or result.hubs or result.unqueried)
    for name in result.inward:
        assert any(link.target in result.roots and link.reference in references for link in links[name])
    for document, reference, count in result.hubs:
        assert document in result.roots and reference in references and is_of(document, reference.target)
        referring = [n for n in documents if any((k.reference, k.target) == (reference, document) for k in links[n])]
        assert len(referring) == count > options.max_fan_in

    # What references brought.
    for key, count in result.counts.items():
        assert key[0] in options.follow and 0 < count <= len(names - result.roots)
        assert result.counts_sole.get(key, 0) <= count
    assert result.counts_sole.keys() <= result.counts.keys()
    assert sum(result.counts_sole.values()) <= len(names - result.roots) <= len(names)

    # The bound, which changes nothing but `exceeded`.
    assert result.exceeded == (len(names) > options.max_documents)
    previous = None
    for bound in (len(names) - 1, len(names), len(names) + 1):
        bounded = closure(documents, references, replace(options, max_documents=bound))
        assert bounded.exceeded == (bound < len(names))
        assert previous is None or previous <= bounded.names
        previous = bounded.names

    # More asked for is more found; the order of things does not matter; the part is closed in itself.
    def again(those: dict[str, Fields] = documents, **changes) -> set[str]:
        return closure(those, references, replace(options, **changes)).names

    assert names <= again(follow=options.follow | {"out"})
    assert names <= again(follow=options.follow | {"in"})
    assert names >= again(follow=frozenset())
    assert names <= again(subcollections=True) and names >= again(subcollections=False)
    assert names <= again(max_fan_in=options.max_fan_in + 1) and names >= again(max_fan_in=0)
    assert names <= again(sample=None) or any(subset.limit is not None for subset in options.subsets)
    assert names >= again(subsets=options.subsets[:1])
    assert names == again(dict(reversed(documents.items())))
    assert names == closure(documents, references[::-1], options).names
    assert names == again({name: documents[name] for name in names})


def one_by_one(documents: dict[str, Fields], links: dict[str, set[Link]], result: Result) -> set[str]:
    """The part once more: from the roots and step 2, with a list of what is still to be looked at."""
    options = result.options
    part, reached = set(), set()
    todo = [(name, False) for name in result.roots] + [(name, True) for name in result.inward]
    while todo:
        name, by_reference = todo.pop()
        if name not in documents:
            continue
        if by_reference and name not in reached:
            reached.add(name)
            todo += [(above, False) for above in ancestors(name)]
        if name not in part:
            part.add(name)
            if options.subcollections:
                todo += [(other, False) for other in documents if other.startswith(name + "/")]
            if "out" in options.follow:
                todo += [(link.target, True) for link in links[name]]
    return part


# --------------------------------------------------------------------------------------------------------------- worlds


IDS = [
    "a", "b", "c", "d", "A", "a b", " a", "a!", "a-", "50%", "%2F", "a:b", "1", "10", "9", ".a", "_", "__a", "a.b", "users",
    "\u00e9", "e\u0301",  # é in NFC and NFD
    "\uac00", "\u1100\u1161",  # 가 in NFC and NFD
    "\uffee", "\U0001f600",  # in another order by UTF-16
    "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\u00df", "ss",
]  # fmt: skip
NO_IDS = ["", ".", "..", "__x__", "____", "a/b", "users/a", "/", "a/", "x" * 1501]
COLLECTIONS = ["users", "gyms", "members", "orders"]
BELOW = {"users": "payments", "gyms": "notes", "users/payments": "lines"}  # two deep
PATHS = [
    ("gym",), ("user",), ("info", "owner"), ("a.b",), ("\u00e9",), ("info", "x y", "z"),
    ("tags", ELEMENT), ("info", "list", ELEMENT),
    ("rows", ELEMENT, "who"), ("rows", ELEMENT, "all", ELEMENT),
    ("by", VALUE), ("days", VALUE, "gym"), ("weeks", VALUE, ELEMENT),
]  # fmt: skip
UNDECLARED = [("other",), ("free", ELEMENT), ("box", "ref"), ("boxes", ELEMENT, "ref"), ("e\u0301",), ("gym", "x"), ("tags",)]


def random_world(rng: random.Random) -> tuple[dict[str, Fields], list[Reference], Options]:
    """A small database, a schema, and what is asked of it."""
    options = Options(
        subsets=(),
        sample=rng.choice([None] * 14 + ["100", "75", "50", "33.3333", "12.5", "0.0001"]),
        follow=frozenset(rng.choice([["out"], ["out"], ["in"], ["in", "out"], ["in", "out"], []])),
        max_documents=rng.choice([1, 2, 3, 5, 8, 20, 10_000, 10_000, 10_000, 10_000]),
        max_fan_in=rng.choice([1, 1, 2, 3, 5, 1_000, 1_000]),
        subcollections=rng.random() < 0.6,
    )

    # Names: some ids per collection, and below them, where the parent may be missing.
    names = []
    ids = rng.sample(IDS, rng.randint(3, 12))
    if rng.random() < 0.15:  # few, among which order and normalization tell
        ids = ["\uffee", "\U0001f600", "\u00e9", "e\u0301"]
    for collection in COLLECTIONS:
        there = rng.sample(ids, rng.randint(0, len(ids)))
        names += [f"{collection}/{identifier}" for identifier in there]
    for pattern in ["users", "gyms", "users/payments"]:
        parents = [name for name in names if pattern_of(name) == pattern]
        missing = [f"{pattern}/{identifier}" for identifier in ids] if "/" not in pattern else []
        if pattern == "users/payments":
            missing = [f"users/{rng.choice(ids)}/payments/{rng.choice(ids)}"]
        for _ in range(rng.randint(0, 5)):
            parent = rng.choice(parents if parents and rng.random() < 0.75 else missing)
            names.append(f"{parent}/{BELOW[pattern]}/{rng.choice(ids)}")
    names = sorted(set(names), key=name_order)
    rng.shuffle(names)

    # A schema.
    patterns = COLLECTIONS + [f"{pattern}/{below}" for pattern, below in BELOW.items()]
    references = []
    for pattern in patterns:
        for path in rng.sample(PATHS, rng.choice([0, 1, 1, 2, 3, 4])):
            target = rng.choice(patterns) if rng.random() < 0.25 else rng.choice(COLLECTIONS)
            references.append(Reference(pattern, path, target))
    rng.shuffle(references)

    # Fields. `hub` is what many refer to, in some worlds; `density` is how much there is of references at all.
    hub = rng.choice(names) if names and rng.random() < 0.4 else None
    if hub is not None:  # declared somewhere, so that it can be one
        path = rng.choice([path for path in PATHS if can_be_queried(path)])
        pattern = pattern_of(rng.choice(names))
        references = [r for r in references if (r.collection, r.path) != (pattern, path)]
        references.append(Reference(pattern, path, pattern_of(hub)))
    density = rng.choice([0.2, 0.4, 0.7, 0.9])

    def reference_value(target: str | None, source: str) -> dict:
        of_target = [name for name in names if target is None or is_of(name, target)] or ["users/nobody"]
        kind = rng.random()
        if kind < 0.55:
            name = rng.choice(of_target)
        elif kind < 0.70:
            name = rng.choice(names)  # perhaps of another collection than the declared one
        elif kind < 0.78:
            name = source
        elif kind < 0.88:
            name = f"{rng.choice(COLLECTIONS)}/{rng.choice(IDS)}"  # perhaps missing
        elif kind < 0.92:
            name = f"users/{rng.choice(ids)}/payments/{rng.choice(ids)}"
        else:
            other = rng.choice(["projects/P/databases/E", "projects/Q/databases/D", "projects/P/databases/DD"])
            return {"referenceValue": f"{other}/documents/{rng.choice(names)}"}
        return {"referenceValue": f"{options.database}/documents/{name}"}

    def declared_value(reference: Reference, source: str) -> dict:
        kind = rng.random()
        if hub is not None and kind < 0.5 and is_of(hub, reference.target):
            if "/" in reference.target or rng.random() < 0.3:
                return {"referenceValue": f"{options.database}/documents/{hub}"}
            return {"stringValue": hub.split("/")[1]}
        if kind > 0.92:
            return rng.choice([{"nullValue": None}, {"integerValue": "1"}, {"booleanValue": True}])
        if kind > 0.84:
            return {"stringValue": rng.choice(NO_IDS)}
        if "/" in reference.target or kind > 0.6:
            return reference_value(reference.target, source)
        there = [name.split("/")[1] for name in names if is_of(name, reference.target)]
        return {"stringValue": rng.choice(there if there and rng.random() < 0.8 else IDS)}

    def built(path: Path, leaf: Callable[[], dict]) -> dict:
        """A value in which `path` leads to leaves."""
        if not path:
            return leaf()
        if path[0] is ELEMENT:
            return {"arrayValue": {"values": [built(path[1:], leaf) for _ in range(n)]} if (n := rng.randint(0, 3)) else {}}
        keys = rng.sample(["k", "\u00e9", "e\u0301", "x.y"], rng.randint(0, 2)) if path[0] is VALUE else [path[0]]
        return {"mapValue": {"fields": {key: built(path[1:], leaf) for key in keys}}}

    def merged(one: dict, other: dict) -> dict:
        """Maps are merged; of other values the second one stays."""
        if "mapValue" not in one or "mapValue" not in other:
            return other
        fields = dict(one["mapValue"]["fields"])
        for key, value in other["mapValue"]["fields"].items():
            fields[key] = merged(fields[key], value) if key in fields else value
        return {"mapValue": {"fields": fields}}

    documents = {}
    for name in names:
        value = {"mapValue": {"fields": {}}}
        if rng.random() < 0.8:
            role = rng.choice([{"stringValue": "trainer"}, {"stringValue": "admin"}, {"nullValue": None}])
            value["mapValue"]["fields"]["role"] = role
        if rng.random() < 0.15:  # of another shape than the declared one
            path = rng.choice(UNDECLARED)
            value = merged(value, built(path, lambda: {"stringValue": rng.choice(IDS)}))
        if rng.random() < 0.25:
            path = rng.choice(UNDECLARED)
            value = merged(value, built(path, lambda: reference_value(None, name)))
        for reference in references:
            if is_of(name, reference.collection) and rng.random() < density:
                value = merged(value, built(reference.path, lambda: declared_value(reference, name)))
        documents[name] = value["mapValue"]["fields"]

    # What is asked.
    subsets = []
    if hub is not None and rng.random() < 0.6:
        subsets.append(Subset(pattern_of(hub)))
        options = replace(options, follow=options.follow | {"in"})
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        collection = rng.choice(COLLECTIONS if rng.random() < 0.75 else patterns)
        if names and rng.random() < 0.8:
            collection = pattern_of(rng.choice(names))
        predicate = None
        if rng.random() < 0.4:
            predicate = Where("role", rng.choice(["==", "==", "!="]), rng.choice(["trainer", "admin"]))
        subsets.append(Subset(collection, predicate, rng.choice([None, None, 1, 2, 3, 5])))
    return documents, references, replace(options, subsets=tuple(subsets))


def as_json(documents: dict[str, Fields], references: list[Reference], options: Options, result: Result) -> str:
    """A world and its result, as one line for a program in another language. Of a path, names are strings, and the
    markers {"each": "element"} and {"each": "value"}; everything that is a set is sorted."""

    def path(steps: Path) -> list:
        return [{"each": step.name.lower()} if isinstance(step, Marker) else step for step in steps]

    def of(r: Reference) -> dict:
        return {"collection": r.collection, "path": path(r.path), "target": r.target}

    def counted(counts: dict) -> list:
        return sorted(({"way": w, "reference": of(r), "count": n} for (w, r), n in counts.items()), key=json.dumps)

    def sorted_names(names: set[str]) -> list:
        return sorted(names, key=name_order)

    return json.dumps({
        "documents": documents,
        "references": [of(r) for r in references],
        "options": {
            "subsets": [
                {"collection": s.collection, "where": None if s.predicate is None else str(s.predicate), "limit": s.limit}
                for s in options.subsets
            ],
            "sample": options.sample,
            "follow": sorted(options.follow),
            "maxDocuments": options.max_documents,
            "maxFanIn": options.max_fan_in,
            "subcollections": options.subcollections,
            "database": options.database,
        },
        "result": {
            "names": sorted_names(result.names),
            "roots": sorted_names(result.roots),
            "inward": sorted_names(result.inward),
            "exceeded": result.exceeded,
            "dangling": sorted_names(result.dangling),
            "danglingLinks": sorted(
                ({"source": k.source, "reference": of(k.reference), "target": k.target} for k in result.dangling_links),
                key=json.dumps,
            ),
            "hubs": sorted(({"document": d, "reference": of(r), "count": n} for d, r, n in result.hubs), key=json.dumps),
            "counts": counted(result.counts),
            "countsSole": counted(result.counts_sole),
            "unqueried": sorted((of(r) for r in result.unqueried), key=json.dumps),
        },
    })  # fmt: skip


# ------------------------------------------------------------------------------------------------------------- examples


def check_examples() -> None:
    """The examples of the ambiguous places, worked out by hand."""

    def text(value: str) -> dict:
        return {"stringValue": value}

    def ref(name: str) -> dict:
        return {"referenceValue": "projects/P/databases/D/documents/" + name}

    def part(documents: dict, root: str, *references: Reference, follow: str = "out", **others) -> Result:
        """The part whose root is that document alone."""
        subset = Subset(root.rpartition("/")[0], lambda name, _: name == root)
        return closure(documents, list(references), Options((subset,), follow=frozenset(follow.split()), **others))

    o1, u1, p1, p2, g1 = "orders/o1", "users/u1", "users/u1/payments/p1", "users/u1/payments/p2", "gyms/g1"
    l1 = p1 + "/lines/l1"
    gym, old = Reference("members", ("gym",), "gyms"), Reference("members", ("old",), "gyms")
    paid = Reference("users/payments", ("gymId",), "gyms")

    world = {o1: {"x": ref(p1)}, u1: {}, p1: {}, p2: {}}
    assert part(world, o1).names == {o1, u1, p1, p2}  # A1
    assert part(world, o1, subcollections=False).names == {o1, u1, p1}
    world = {g1: {}, u1: {}, p1: {"gymId": text("g1")}}
    assert part(world, g1, paid, follow="in").names == {g1, p1, u1}  # A2
    assert part(world, g1, paid).names == {g1}
    assert part({u1: {}, p1: {}, l1: {}}, p1).names == {p1, l1}  # A3
    assert part({u1: {}, p1: {"x": ref(p1)}}, p1).names == {p1, u1}  # A4
    assert part({o1: {"x": ref(l1)}, u1: {}, l1: {}}, o1).names == {o1, u1, l1}  # A5
    result = part({o1: {"x": ref(u1)}, p1: {}}, o1)  # A6
    assert (result.names, result.dangling) == ({o1}, {u1})
    assert part({o1: {"x": ref(p1)}, u1: {}}, o1).names == {o1}
    assert closure({p1: {}}, [], Options((Subset("users"),))).names == set()  # A7
    invoice = Reference("invoices", ("payment",), "users/*/payments")
    world = {u1: {}, p1: {}, "invoices/i1": {"payment": ref(p1), "x": ref(u1)}}
    assert part(world, u1, invoice, follow="in").names == {u1, p1}  # A8, A9
    assert part(world, p1, invoice, follow="in").names == {p1, "invoices/i1"}
    world = {u1: {}, "members/m1": {"gym": ref(u1)}}
    assert part(world, u1, gym, follow="in").names == {u1}  # A10
    assert part(world, "members/m1", gym).names == {u1, "members/m1"}
    rows = Reference("members", ("rows", ELEMENT, "gym"), "gyms")
    row = {"rows": {"arrayValue": {"values": [{"mapValue": {"fields": {"gym": text("g1")}}}]}}}
    result = part({g1: {}, "members/m1": row}, g1, rows, follow="in")  # A11
    assert (result.names, result.unqueried) == ({g1}, {rows})
    assert part({g1: {}, "members/m1": row}, "members/m1", rows).names == {g1, "members/m1"}
    world = {g1: {}, "members/m1": {"gym": text("g1")}, "members/m2": {"gym": ref(g1)}, "members/m3": {"old": text("g1")}}
    result = part(world, g1, gym, old, follow="in", max_fan_in=1)  # A12, A13
    assert (result.names, result.hubs) == ({g1, "members/m3"}, {(g1, gym, 2)})
    assert result.counts == {("in", old): 1}
    assert part(world, g1, gym, old, follow="in", max_fan_in=2).names == set(world)
    payment = Reference("orders", ("p",), "users/payments")
    assert part({o1: {"p": text("p1")}, u1: {}, p1: {}}, o1, payment).names == {o1}  # A15
    assert [t for t in NO_IDS if is_document_id(t)] == [] and all(map(is_document_id, IDS + [" ", "__id7__", "_", "___"]))
    nfc, nfd = "gyms/\u00e9", "gyms/e\u0301"
    assert part({"members/m": {"gym": text("\u00e9")}, nfc: {}, nfd: {}}, "members/m", gym).names == {"members/m", nfc}  # A16
    assert part({"members/m": {"x": ref(nfd)}, nfc: {}, nfd: {}}, "members/m").names == {"members/m", nfd}
    accented = Reference("members", ("\u00e9",), "gyms")
    assert part({"members/m": {"e\u0301": text("g1")}, g1: {}}, "members/m", accented).names == {"members/m"}
    tags = Reference("members", ("tags", ELEMENT), "gyms")
    assert part({"members/m": {"tags": text("g1")}, g1: {}}, "members/m", tags).names == {"members/m"}  # A17
    for other in ["projects/P/databases/E/documents/gyms/g1", "projects/P/databases/D/documents/gyms", ""]:  # A18
        result = part({"members/m": {"gym": {"referenceValue": other}}, g1: {}}, "members/m", gym)
        assert (result.names, result.dangling) == ({"members/m"}, set())
    result = part({"members/m": {"gym": text("g9"), "old": text("g9")}}, "members/m", gym, old)  # A19
    assert (len(result.dangling), len(result.dangling_links)) == (1, 2)
    assert not part({"members/m": {"gym": text("g9")}}, "members/m", gym, follow="in").dangling
    below = ["users/a!/payments/p", "users/a/payments/p", "users/__id10__/payments/p", "users/__id9__/payments/p"]
    assert sorted(below, key=name_order) == [below[3], below[2], below[1], below[0]]  # A23
    assert sorted(["\U0001f600", "\uffee", "e\u0301", "\u00e9"], key=name_order) == ["e\u0301", "\u00e9", "\uffee", "\U0001f600"]
    first = int(hashlib.sha256(b"users/u1").hexdigest()[:16], 16)
    assert is_sampled(u1, "100") and is_sampled(u1, "50") == (first < 2**63)  # A24


def main() -> int:
    parser = argparse.ArgumentParser(description="Random worlds through the rules of copy --subset and their self checks.")
    parser.add_argument("--worlds", type=int, default=2000)
    parser.add_argument("--seed", default="subset")
    parser.add_argument("--dump", help="write each world with its result as a line of JSON")
    arguments = parser.parse_args()

    check_examples()
    met = Counter()
    dump = open(arguments.dump, "w", encoding="utf-8") if arguments.dump else None
    for index in range(arguments.worlds):
        documents, references, options = random_world(random.Random(f"{arguments.seed}/{index}"))
        result = closure(documents, references, options)
        try:
            check_world(documents, result)
        except AssertionError:
            print(f"world {arguments.seed}/{index}:\n{as_json(documents, references, options, result)}", file=sys.stderr)
            raise
        if dump:
            dump.write(as_json(documents, references, options, result) + "\n")
        met["documents"] += len(documents)
        met["documents in the part"] += len(result.names)
        met["worlds with hubs"] += bool(result.hubs)
        met["worlds with documents inwards"] += bool(result.inward - result.roots)
        met["worlds with documents outwards"] += any(way == "out" for way, _ in result.counts)
        met["worlds with dangling references"] += bool(result.dangling)
        met["worlds beyond the bound"] += result.exceeded
        met["worlds without roots"] += not result.roots
    if dump:
        dump.close()
    print(f"{arguments.worlds} worlds hold: " + "; ".join(f"{count:,} {what}" for what, count in met.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Asks the embedded store and Google's own emulator the same random requests, and compares what they answer.

    python3 store_differences.py [--self-check] [--epoch N] path/to/gymmigrate [REQUESTS] [SEED]

Every method that the embedded store offers is asked, with documents, masks, transforms, preconditions, filters, orders,
cursors, aggregations, transactions, and with paths and values that are malformed. Compared are the status code, the
canonical status and the result; times by whether they are equal to each other. Each run of 25 requests has databases of its
own and ends with all documents, now and at a moment before, or at the first write after which the two may hold different
data. Where a transaction has a rival, what both end with is compared, as the two make different ones wait. A difference that is none of ALLOWED, each with its reason, is printed with
the request. `--self-check` puts faults into the answers and wants each of them to be found. Without the emulator the script
says so and ends well.
"""

import argparse
import base64
import collections
import copy
import http.client
import json
import math
import pathlib
import random
import re
import sys
import threading
import urllib.parse

import google_emulator
from judging import scratch

EPOCH = 25
COLLECTIONS = ["c", "d", "é"]
IDS = ["a", "b", "B", "10", "9", "é", "e\u0301", "x y", "__id7__", "__id12__", "z:z", "50%", "\uffee", "😀"]
FIELDS = ["n", "s", "v", "m", "m.k", "l", "`a b`", "m.`x.y`"]
FILTER_OPERATORS = ["LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN", "GREATER_THAN_OR_EQUAL", "EQUAL", "NOT_EQUAL", "ARRAY_CONTAINS", "IN", "ARRAY_CONTAINS_ANY", "NOT_IN"]
UNARY_OPERATORS = ["IS_NAN", "IS_NULL", "IS_NOT_NAN", "IS_NOT_NULL"]
LONG = "x" * 1501
BAD_PATHS = ["", "a..b", "`a", "__x__", "a.__x__", LONG, "1a", "a b", ".a", "a.", "`__x__`", "é", "a-b"]
# What the emulator takes for a value, and no JSON of protobuf documents: of another type than its field's.
SPELLINGS = [{"booleanValue": "true"}, {"stringValue": 7}, {"stringValue": True}, {"nullValue": "0"}, {"nullValue": 1}, {"stringValue": ["a"]}]
BAD_IDS = ["__x__", ".", "..", LONG, "__id9223372036854775808__", "__id07__", "__id0__", "__id-0__"]


class Here:
    """What is different on each server, and is filled in when a request is sent."""

    def __init__(self, kind, *key):
        self.kind, self.key = kind, key

    def __repr__(self):
        return f"<{self.kind} {self.key}>"


# Requests.


class Asker:
    """Makes random requests; knows which documents may be there, and no answers."""

    def __init__(self, chance, root):
        self.chance, self.root, self.transactions = chance, root, 0
        # What reads in transactions locks what it reads, at the emulator, and a rival waits two seconds.
        self.in_transactions = chance.random() < 0.06
        # Half of the values of a run are few, and what was written is known, so that documents, filters, cursors and
        # transforms meet.
        self.written, self.lists = collections.defaultdict(list), collections.defaultdict(list)
        self.few = []
        near = [{"integerValue": "9007199254740993"}, {"doubleValue": 9007199254740992.0}]
        numbers = self.pick(near, [{"integerValue": str(2**63 - 1)}, self.number()], [self.number(), self.number()], [self.number(), self.number()])
        null, nan, texts = {"nullValue": None}, {"doubleValue": "NaN"}, [{"stringValue": "😀"}, {"stringValue": "\uffff"}]
        self.few = [*numbers, self.number(), *self.pick([null, null], [null, nan], texts), self.scalar(), self.scalar(), self.scalar()]

    def pick(self, *of):
        return self.chance.choice(of)

    def likely(self, share):
        return self.chance.random() < share

    def path(self):
        path = f"{self.pick(*COLLECTIONS)}/{self.pick(*IDS)}"
        return f"{path}/{self.pick('sub', 'c')}/{self.pick(*IDS[:4])}" if self.likely(0.2) else path

    def name(self, path=None):
        return f"{self.root}/documents/{path or self.path()}"

    def odd_name(self):
        return self.pick(
            self.name("c"), self.name("c/a/d"), "c/a", "", self.name().replace("projects/", "project/"), self.name("c//a"),
            f"projects/other/databases/(default)/documents/c/a", f"{self.root}/documents/c/{self.pick(*BAD_IDS)}",
            f"{self.root}/documents/{self.pick('__x__', '.', LONG)}/a", f"{self.root}/documents",
        )

    def field(self, bad=0.03):
        return self.pick(*BAD_PATHS) if self.likely(bad) else self.pick("n", "s", "v") if self.likely(0.55) else self.pick(*FIELDS)

    def number(self):
        if self.few and self.likely(0.4):
            return self.pick(*self.few[:3])
        return self.pick(
            {"integerValue": "0"}, {"integerValue": "1"}, {"integerValue": "-3"}, {"integerValue": "7"}, {"doubleValue": 7.0}, {"doubleValue": 0.5},
            {"doubleValue": "NaN"}, {"doubleValue": "Infinity"}, {"doubleValue": -1e300}, {"integerValue": str(2**63 - 1)}, {"integerValue": str(-(2**63))},
            {"doubleValue": 9007199254740992.0}, {"integerValue": "9007199254740993"}, {"integerValue": 5},
        )

    def scalar(self):
        if self.few and self.likely(0.5):
            return self.pick(*self.few)
        return self.pick(
            self.number(), self.number(), {"nullValue": None}, {"booleanValue": True}, {"booleanValue": False}, {"stringValue": ""}, {"stringValue": "a"},
            {"stringValue": "é"}, {"stringValue": "e\u0301"}, {"stringValue": "😀"}, {"stringValue": "\uffff"}, {"timestampValue": "2026-01-31T12:00:00Z"},
            {"timestampValue": "2026-01-31T12:00:00.123456789Z"}, {"timestampValue": "0001-01-01T00:00:00Z"}, {"timestampValue": "2026-01-31T12:00:00+02:00"},
            {"bytesValue": "AQI="}, {"bytesValue": ""}, {"referenceValue": self.name("c/a")}, {"referenceValue": self.name("c/é")},
            {"geoPointValue": {"latitude": 1, "longitude": -2.5}}, {"geoPointValue": {}},
        )

    def value(self, depth=2):
        kind = self.chance.random()
        if depth and kind < 0.15:
            items = [self.value(depth - 1) for _ in range(self.chance.randrange(4))]
            return {"arrayValue": {"values": [item for item in items if "arrayValue" not in item and (self.likely(0.02) or "__vector__" not in str(item))]}}
        if depth and kind < 0.3:
            return {"mapValue": {"fields": {name: self.value(depth - 1) for name in self.chance.sample(["k", "x.y", "é", "a"], self.chance.randrange(4))}}}
        if kind < 0.33:
            return self.vector([{"doubleValue": 1.0}, {"doubleValue": -2.5}])
        return self.scalar()

    def vector(self, values):
        return {"mapValue": {"fields": {"__type__": {"stringValue": "__vector__"}, "value": {"arrayValue": {"values": values}}}}}

    def odd_value(self):
        return self.pick(
            {"integerValue": "1.5"}, {"integerValue": "x"}, {"referenceValue": "c/a"}, {"integerValue": str(2**63)}, {"booleanValue": "yes"}, self.pick(*SPELLINGS),
            {"timestampValue": "2026-13-01T00:00:00Z"}, {"timestampValue": "yesterday"}, {"timestampValue": "10000-01-01T00:00:00Z"}, {"bytesValue": "%"},
            {"geoPointValue": {"latitude": 91}}, {"geoPointValue": {"longitude": 181}}, {"referenceValue": self.odd_name()}, {}, {"other": 1},
            {"integerValue": "1", "stringValue": "a"}, {"arrayValue": {"values": [{"arrayValue": {}}]}}, {"doubleValue": "x"}, [],
            {"mapValue": {"fields": {"__x__": {"nullValue": None}}}}, {"mapValue": {"fields": {"": {"nullValue": None}}}},
            {"mapValue": {"fields": {LONG: {"nullValue": None}}}}, self.vector([{"integerValue": "1"}]), self.vector([]), self.vector([{"stringValue": "a"}]),
        )

    def fields(self, bad=0.03):
        names = self.chance.sample(["n", "s", "v", "m", "l", "a b"], self.chance.choice([0, 1, 2, 3, 4, 5, 5, 6]))
        found = {name: self.value() for name in names}
        if "l" in found:
            found["l"] = {"arrayValue": {"values": self.again([self.scalar() for _ in range(self.chance.randrange(4))])}}
        if "n" in found and self.likely(0.8):
            found["n"] = self.number()
        # As it is stored: with microseconds.
        for name, value in json.loads(json.dumps(found).replace("123456789Z", "123456Z")).items():
            self.written["`a b`" if name == "a b" else name].append(value)
            for key, member in (value.get("mapValue") or {}).get("fields", {}).items():
                self.written[f"{name}.`x.y`" if key == "x.y" else f"{name}.{key}"].append(member)
        if self.likely(bad):
            found[self.pick("v", "__x__", "", LONG)] = self.odd_value() if self.likely(0.7) else self.scalar()
        return found

    def again(self, items):
        """The items, at times with the first one twice."""
        return items + items[:1] if self.likely(0.3) else items

    def known(self, field, depth=1):
        """A value that was written to the field, or nearly any other."""
        if self.written[field] and self.likely(0.6):
            return self.pick(*self.written[field])
        return self.number() if field == "n" else self.odd_value() if self.likely(0.02) else self.value(depth)

    def known_element(self, field):
        elements = [item for it in self.written[field] for item in (it.get("arrayValue") or {}).get("values") or []]
        return self.pick(*elements) if elements and self.likely(0.7) else self.scalar()

    def seeds(self):
        """Commits of the documents that a run begins with; most are in one collection, and some below others."""
        paths = [f"{collection}/{id}" for collection, count in zip(COLLECTIONS, (9, 5, 3)) for id in self.chance.sample(IDS, count)]
        paths += [f"c/{self.pick(*IDS)}/c/{id}" for id in IDS[:2]] + [f"d/{self.pick(*IDS)}/sub/{id}" for id in IDS[:2]]
        writes = [{"update": {"name": self.name(path), "fields": self.fields(0)}} for path in dict.fromkeys(paths)]
        for path, write in zip(dict.fromkeys(paths), writes):
            self.remember(path, write["update"]["fields"])
        return [("POST", "documents:commit", [], {"writes": writes[start::3]}) for start in range(3)]

    def precondition(self, path):
        return self.pick(
            {"exists": True}, {"exists": False}, {"updateTime": Here("updated", path)}, {"updateTime": Here("updated", path)},
            {"updateTime": "2020-01-01T00:00:00Z"}, {"updateTime": "2100-01-01T00:00:00Z"},
        )

    def transform(self, own=()):
        """A transform, often of the list that the document may have."""
        kind = self.pick("setToServerValue", "increment", "increment", "maximum", "minimum", *["appendMissingElements", "removeAllFromArray"] * 2)
        if kind == "setToServerValue":
            operand = "REQUEST_TIME" if self.likely(0.95) else self.pick("SERVER_VALUE_UNSPECIFIED", "x")
        elif kind in ("appendMissingElements", "removeAllFromArray"):
            if own and kind == "removeAllFromArray" and self.likely(0.7):
                return {"fieldPath": "l", kind: {"values": self.again(self.chance.sample(own, self.chance.randint(1, len(own))))}}
            operand = {"values": self.again([self.known_element("l") if self.likely(0.98) else self.odd_value() for _ in range(self.chance.randrange(4))])}
        elif self.likely(0.35):
            operand = {"integerValue": str(self.pick(2**63 - 1, -(2**63)))}
        else:
            operand = self.number() if self.likely(0.9) else self.scalar()
        usual = "l" if "values" in operand else "n"
        return {"fieldPath": usual if self.likely(0.4) else self.field(), kind: operand}

    def write(self, path=None):
        path = path or self.path()
        name = self.odd_name() if self.likely(0.02) else self.name(path)
        kind = self.chance.random()
        if kind < 0.2:
            write = {"delete": name}
        elif kind < 0.25:
            write = {"transform": {"document": name, "fieldTransforms": [self.transform() for _ in range(self.chance.randint(1, 2) if self.likely(0.97) else 0)]}}
        else:
            write = {"update": {"name": name, "fields": self.fields()}}
            self.remember(path, write["update"]["fields"])
            if self.likely(0.4):
                write["updateMask"] = {"fieldPaths": list(dict.fromkeys(self.field() for _ in range(self.chance.randrange(4))))}
            if self.likely(0.45):
                write["updateTransforms"] = [self.transform(self.lists[path]) for _ in range(self.chance.randint(1, 3))]
        if self.likely(0.2):
            write["currentDocument"] = self.precondition(path)
        if self.likely(0.01):
            write["other"] = 1
        return write

    def writes(self, twice=0.1):
        paths = [self.path() for _ in range(self.chance.randint(0, 4))]
        paths = list(dict.fromkeys(paths)) + (paths[:1] if self.likely(twice) else [])
        return [self.write(path) for path in paths]

    def remember(self, path, fields):
        self.lists[path] = (fields.get("l") or {}).get("arrayValue", {}).get("values", [])

    def change(self):
        """A commit that nothing need refuse, with transforms of what is stored."""
        path = self.pick(*self.lists) if self.likely(0.8) else self.path()
        transforms = [self.transform(self.lists[path]) for _ in range(self.chance.randint(1, 3))]
        return "POST", "documents:commit", [], {"writes": [{"update": {"name": self.name(path)}, "updateMask": {}, "updateTransforms": transforms}]}

    def filter(self, depth=2):
        if depth and self.likely(0.3):
            return {"compositeFilter": {"op": self.pick("AND", "OR"), "filters": [self.filter(depth - 1) for _ in range(self.chance.choice([1, 2, 2, 3] if self.likely(0.98) else [0]))]}}
        if self.likely(0.2):
            return {"unaryFilter": {"op": self.pick(*UNARY_OPERATORS), "field": {"fieldPath": self.field()}}}
        operator = self.pick(*FILTER_OPERATORS)
        field = "l" if operator.startswith("ARRAY") and self.likely(0.6) else self.field()
        if self.likely(0.12):
            field, operator = "__name__", self.pick(*FILTER_OPERATORS[:6], "IN", "NOT_IN")
            one = lambda: {"referenceValue": self.name(f"c/{self.pick(*IDS)}")} if self.likely(0.95) else self.scalar()
        else:
            one = lambda: self.known_element(field) if operator.startswith("ARRAY") and self.likely(0.9) else self.known(field)
        if operator in ("IN", "NOT_IN", "ARRAY_CONTAINS_ANY"):
            value = {"arrayValue": {"values": [one() for _ in range(self.chance.choice([1, 1, 2, 3] if self.likely(0.95) else [0, 11]))]}} if self.likely(0.97) else one()
        else:
            value = one()
        return {"fieldFilter": {"field": {"fieldPath": field}, "op": operator, "value": value}}

    def plain_query(self):
        """One thing alone, in the fullest collection, so that nothing hides it."""
        query, kind = {"from": [{"collectionId": "c"}]}, self.pick("filter", "filter", "cursor", "page")
        if kind == "filter":
            return {**query, "where": self.filter(0)}
        field = self.field(0)
        query["orderBy"] = [{"field": {"fieldPath": field}, "direction": self.pick("ASCENDING", "DESCENDING")}]
        if kind == "page":
            return {**query, "limit": self.pick(1, 2, 3, 4), "offset": self.pick(0, 1, 2)}
        return {**query, self.pick("startAt", "endAt"): {"values": [self.known(field, 0)], "before": self.likely(0.5)}}

    def query(self):
        if self.likely(0.5):
            return self.plain_query()
        source = {"collectionId": self.pick(*COLLECTIONS, "c", "c")}
        if self.likely(0.15):
            source["allDescendants"] = True
        if self.likely(0.02):
            source["collectionId"] = self.pick("__x__", "", "a/b", LONG, "..")
        query = {"from": [source]}
        if self.likely(0.6):
            query["where"] = self.filter()
        if self.likely(0.4):
            fields = ["__name__" if self.likely(0.1) else self.field() for _ in range(self.chance.randint(1, 2))]
            query["orderBy"] = [{"field": {"fieldPath": field}, "direction": self.pick("ASCENDING", "DESCENDING")} for field in fields]
            for side in ("startAt", "endAt"):
                if self.likely(0.35):
                    values = [
                        {"referenceValue": self.name(f"c/{self.pick(*IDS)}")} if field == "__name__" else self.known(field, 0)
                        for field in fields
                    ]
                    if self.likely(0.1):
                        values.append(self.scalar())
                    query[side] = {"values": values[: self.chance.randint(1, len(values))] if self.likely(0.3) else values, "before": self.likely(0.5)}
        if self.likely(0.3):
            query["limit"] = self.chance.choice([1, 2, 3, 5, 7] if self.likely(0.9) else [0, 100, -1])
        if self.likely(0.3 if "limit" in query else 0.08):
            query["offset"] = self.chance.choice([1, 2, 3] if self.likely(0.9) else [0, 50, -1])
        if self.likely(0.25):
            query["select"] = {"fields": [{"fieldPath": self.pick(*FIELDS, "__name__")} for _ in range(self.chance.randint(0, 2))]}
        if self.likely(0.01):
            query["other"] = 1
        return query

    def parent(self):
        return "documents" if self.likely(0.9) else f"documents/{self.path()}"

    def aggregation(self):
        kind, found = self.pick("count", "count", "sum", "avg"), {}
        if kind == "count":
            found["count"] = {} if self.likely(0.7) else {"upTo": str(self.chance.choice([1, 2, 5, 0, -1]))}
        else:
            found[kind] = {"field": {"fieldPath": self.pick("n", "n", "m.k") if self.likely(0.9) else self.field(0.5)}}
        if self.likely(0.6):
            found["alias"] = self.pick("a", "b", "field_1", "__x__", "é", "a b") if self.likely(0.8) else self.pick("", LONG)
        return found

    def request(self):
        """(method, target, query, body)"""
        # What reads in transactions has locks of its own.
        kind = "contend" if not self.in_transactions and self.likely(0.015) else self.pick(*METHODS)
        return getattr(self, kind)()

    def there(self):
        """A path where a document may be, or any."""
        return self.pick(*self.lists) if self.lists and self.likely(0.6) else self.path()

    def get(self):
        path = self.there() if self.likely(0.95) else self.pick("c/__x__", "c/..", f"c/{LONG}", "c/a/d/é")
        return "GET", f"documents/{path}", [("mask.fieldPaths", self.field()) for _ in range(self.chance.choice([0, 0, 1, 2]))], None

    def list(self):
        query = [("pageSize", str(self.pick(1, 2, 5, 100)))] if self.likely(0.7) else []
        query += [("mask.fieldPaths", self.field())] if self.likely(0.2) else []
        query += [("showMissing", "true")] if self.likely(0.2) else []
        query += [("orderBy", self.pick("n", "s", "__name__"))] if self.likely(0.15) else []
        collection = self.pick(*COLLECTIONS) if self.likely(0.9) else self.pick("__x__", f"c/{self.pick(*IDS)}/sub")
        return "GET", f"documents/{collection}", query, None

    def create(self):
        query = [("documentId", self.pick(*IDS) if self.likely(0.95) else self.pick(*BAD_IDS, "a/b"))]
        query += [("mask.fieldPaths", self.field())] if self.likely(0.1) else []
        return "POST", f"documents/{self.pick(*COLLECTIONS)}", query, {"fields": self.fields()}

    def patch(self):
        path = self.there()
        query = [("updateMask.fieldPaths", self.field()) for _ in range(self.chance.choice([0, 0, 1, 2]))]
        query += [("mask.fieldPaths", self.field())] if self.likely(0.1) else []
        query += self.condition(path)
        return "PATCH", f"documents/{path}", query, {"fields": self.fields()}

    def condition(self, path):
        if not self.likely(0.3):
            return []
        ((name, value),) = self.precondition(path).items()
        return [(f"currentDocument.{name}", json.dumps(value) if isinstance(value, bool) else value)]

    def delete(self):
        path = self.there()
        return "DELETE", f"documents/{path}", self.condition(path), None

    def commit(self):
        body = {"writes": self.writes()}
        if self.likely(0.02):
            body["other"] = 1
        if self.likely(0.3):
            body["transaction"] = self.transaction()
        return "POST", "documents:commit", [], body

    def batch_write(self):
        return "POST", "documents:batchWrite", [], {"writes": self.writes(0.25)}

    def batch_get(self):
        names = [self.name() if self.likely(0.98) else self.odd_name() for _ in range(self.chance.randint(0, 5))]
        body = {"documents": names}
        if self.likely(0.3):
            body["mask"] = {"fieldPaths": [self.field() for _ in range(self.chance.randrange(3))]}
        return "POST", "documents:batchGet", [], self.consistent(body)

    def consistent(self, body):
        kind = self.chance.random()
        if self.in_transactions and kind < 0.4:
            body["transaction"] = self.transaction()
        elif self.in_transactions and kind < 0.5:
            self.transactions += 1
            body["newTransaction"] = self.options()
        elif kind > 0.9:
            body["readTime"] = self.moment()
        return body

    def moment(self):
        """The time of a commit: of the last one, or of one before it."""
        return Here("read", self.pick(1, 2, 3, 5))

    def run_query(self):
        body = {"structuredQuery": self.query()}
        return "POST", f"{self.parent()}:runQuery", [], self.consistent(body)

    def run_aggregation(self):
        query = self.query()
        if self.likely(0.9):
            query.pop("select", None)
        if self.likely(0.25):
            query = {"from": query["from"], "limit": self.pick(1, 2, 3)}
        query = {"structuredQuery": query, "aggregations": [self.aggregation() for _ in range(self.chance.choice([1, 1, 2, 3] if self.likely(0.95) else [0, 6]))]}
        return "POST", f"{self.parent()}:runAggregationQuery", [], {"structuredAggregationQuery": query}

    def list_ids(self):
        return "POST", f"{self.parent()}:listCollectionIds", [], {"pageSize": self.chance.choice([0, 1, 2, 100])}

    def options(self):
        return self.pick({"readWrite": {}}, {"readOnly": {}}, {"readOnly": {}}, {}, {"readWrite": {"retryTransaction": self.transaction()}}, {"readOnly": {"readTime": self.moment()}}, {"readOnly": {}, "readWrite": {}})

    def begin(self):
        self.transactions += 1
        return "POST", "documents:beginTransaction", [], {"options": self.options()}

    def transaction(self):
        return Here("transaction", self.chance.randrange(max(1, self.transactions))) if self.likely(0.85) else self.pick("", "AAAA", "%", base64.b64encode(b"unknown").decode())

    def contend(self):
        """A transaction adds 1 to a number that it read, or deletes what it found, and a rival changes it meanwhile."""
        path = f"c/{self.pick(*IDS)}"
        how = self.pick("batchGet", "runQuery", "group"), self.pick("add", "add", "delete")
        return "CONTEND", f"documents/{path}", [], how

    def rollback(self):
        return "POST", "documents:rollback", [], {"transaction": self.transaction()}


METHODS = [
    "get", "list", "list", "create", "patch", "delete", "commit", "commit", "change", "change", "batch_write", "batch_get", *["run_query"] * 6, *["run_aggregation"] * 3,
    "list_ids", "begin", "begin", "rollback",
]


# What a run ends with, so that what was written shows, and what was there before it.
EVERYTHING = [
    ("POST", "documents:runQuery", [], {"structuredQuery": {"from": [{"allDescendants": True}]}, **consistency}) for consistency in ({}, {"readTime": Here("read", 3)})
]


# Servers.


class Server:
    """One of the two, and what it said in this run of requests: update times, transactions, times of commits."""

    def __init__(self, host):
        self.host, self.connection = host, None
        self.fault = None

    def begin(self, root):
        self.root, self.updated, self.transactions, self.commits = root, {}, [], []

    def fill(self, it):
        if isinstance(it, Here):
            if it.kind == "updated":
                return self.updated.get(it.key[0], "2021-01-01T00:00:00Z")
            if it.kind == "transaction":
                return self.transactions[it.key[0]] if it.key[0] < len(self.transactions) else "AAAA"
            return self.commits[-min(it.key[0], len(self.commits))] if self.commits else "2020-01-01T00:00:00Z"
        if isinstance(it, dict):
            return {key: self.fill(value) for key, value in it.items()}
        return [self.fill(value) for value in it] if isinstance(it, list) else it

    def ask(self, request):
        """(status code, JSON) – pages are put together."""
        method, target, query, body = request
        if method == "CONTEND":
            return self.contend(target, body)
        query = [(name, self.fill(value)) for name, value in query]
        status, answer = self.send(method, target, query, self.fill(body))
        merged = answer
        for _ in range(200):
            if status != 200 or not isinstance(answer, dict) or not answer.get("nextPageToken"):
                break
            token = answer["nextPageToken"]
            if method == "GET":
                status, answer = self.send(method, target, [*query, ("pageToken", token)], None)
            else:
                status, answer = self.send(method, target, query, {**self.fill(body), "pageToken": token})
            if status != 200:
                merged = answer
                break
            for name in ("documents", "collectionIds"):
                if name in answer:
                    merged[name] = merged.get(name, []) + answer[name]
        if self.fault:
            status, merged = self.fault(request, status, merged)
        self.learn(request, status, merged)
        return status, merged

    def send(self, method, target, query, body):
        path = urllib.parse.quote(f"/v1/{self.root}/{target}", safe="/:()")
        if ":" in target and method != "POST" or target.count(":") > 1:
            path = urllib.parse.quote(f"/v1/{self.root}/", safe="/()") + quoted(target)
        if query:
            path += "?" + urllib.parse.urlencode(query, quote_via=urllib.parse.quote)
        headers = {"Authorization": "Bearer owner", "Content-Type": "application/json"}
        for attempt in (0, 1):
            try:
                self.connection = self.connection or http.client.HTTPConnection(self.host, timeout=15)
                self.connection.request(method, path, None if body is None else json.dumps(body), headers)
                response = self.connection.getresponse()
                text = response.read().decode()
                break
            except TimeoutError:
                self.connection = None
                return 0, {"error": {"status": "NO ANSWER"}}
            except (http.client.HTTPException, ConnectionError):
                self.connection = None
                if attempt:
                    return 0, {"error": {"status": "HUNG UP"}}
        try:
            return response.status, json.loads(text or "{}")
        except ValueError:
            return response.status, {"error": {"status": f"no JSON: {text[:80]}"}}

    def learn(self, request, status, answer):
        method, target, _, body = request
        for document in found_documents(answer):
            if "updateTime" in document and "/documents/" in document.get("name", ""):
                self.updated[document["name"].split("/documents/", 1)[1]] = document["updateTime"]
        if status != 200:
            return
        for part in answer if isinstance(answer, list) else [answer]:
            if "transaction" in part:
                self.transactions.append(part["transaction"])
        if target.endswith(":commit") and body["writes"] and "commitTime" in answer:
            self.commits.append(answer["commitTime"])
        if target.endswith((":commit", ":batchWrite")):
            for write, result in zip(body["writes"], answer.get("writeResults", [])):
                name = (write.get("update") or {}).get("name", "")
                if "/documents/" in name and "updateTime" in result:
                    self.updated[name.split("/documents/", 1)[1]] = result["updateTime"]

    def contend(self, target, how):
        """What a document is after a transaction that read it, and a rival beside it; both repeat what is aborted."""
        name = f"{self.root}/{target}"
        collection = {"collectionId": "c", "allDescendants": how[0] == "group"}
        change = {"update": {"name": name}, "updateMask": {"fieldPaths": []}, "updateTransforms": [{"fieldPath": "n", "increment": {"integerValue": "10"}}]}
        rival, answers = Server(self.host), []
        rival.root = self.root
        compete = lambda: answers.append(rival.send("POST", "documents:commit", [], {"writes": [change if how[1] == "add" else {"delete": name}]}))
        beside = threading.Thread(target=compete)
        self.send("POST", "documents:commit", [], {"writes": [{"update": {"name": name, "fields": {"n": {"integerValue": "0"}}}}]})
        for attempt in range(5):
            status, answer = self.send("POST", "documents:beginTransaction", [], {})
            transaction = {"transaction": answer.get("transaction")}
            if how[0] == "batchGet":
                status, answer = self.send("POST", "documents:batchGet", [], {"documents": [name], **transaction})
            else:
                status, answer = self.send("POST", "documents:runQuery", [], {"structuredQuery": {"from": [collection]}, **transaction})
            found = [it for it in found_documents(answer) if it["name"] == name]
            if not attempt:
                # The emulator keeps the rival waiting until the transaction ends, the store does not.
                beside.start()
                beside.join(0.03)
            writes = [{"update": {"name": name, "fields": {"n": {"integerValue": str(int(it["fields"]["n"]["integerValue"]) + 1)}}}} for it in found]
            status, answer = self.send("POST", "documents:commit", [], {"writes": writes, **transaction})
            if status != 409:
                break
        beside.join()
        while answers[-1][0] == 409 and len(answers) < 5:
            compete()
        status, answer = self.send("GET", target, [], None)
        self.learn(("GET", target, [], None), status, answer)
        return status, {"fields": answer.get("fields")}

    def end_transactions(self):
        for transaction in self.transactions:
            self.send("POST", "documents:rollback", [], {"transaction": transaction})


class Emulator(Server):
    """Google's, which reads every time in a query string as the beginning of 1970: such a write is asked as a commit."""

    def ask(self, request):
        method, target, query, body = request
        if not any(name == "currentDocument.updateTime" for name, _ in query):
            return super().ask(request)
        name, mask = f"{self.root}/{target}", [value for key, value in query if key == "updateMask.fieldPaths"]
        write = {"delete": name} if method == "DELETE" else {"update": {"name": name, "fields": body["fields"]}}
        if mask:
            write["updateMask"] = {"fieldPaths": mask}
        write["currentDocument"] = {key.partition(".")[2]: value for key, value in query if key.startswith("currentDocument.")}
        get = "GET", target, [item for item in query if item[0] == "mask.fieldPaths"], None
        status, answer = self.send(*get)
        if status != 400:
            status, answer = self.send("POST", "documents:commit", [], self.fill({"writes": [write]}))
        if status == 200:
            status, answer = (200, {}) if method == "DELETE" else self.send(*get)
        self.learn(request, status, answer)
        return status, answer


def quoted(target):
    head, _, verb = target.rpartition(":") if re.search(r":[a-zA-Z]+$", target) and target.rsplit(":", 1)[1] in VERBS else (target, "", "")
    return urllib.parse.quote(head, safe="/()") + (f":{verb}" if verb else "")


VERBS = {"commit", "batchWrite", "batchGet", "runQuery", "runAggregationQuery", "listCollectionIds", "beginTransaction", "rollback"}


def found_documents(answer):
    for part in answer if isinstance(answer, list) else [answer]:
        if isinstance(part, dict):
            for document in [part, part.get("document"), part.get("found"), *part.get("documents", [])]:
                if isinstance(document, dict) and "name" in document:
                    yield document


# Comparison.


def plain(it):
    """A JSON value without what is merely spelled differently."""
    if isinstance(it, list):
        return [plain(value) for value in it]
    if not isinstance(it, dict):
        return it
    if "doubleValue" in it:
        number = float(it["doubleValue"])
        return {"doubleValue": "NaN" if math.isnan(number) else repr(number)}
    if "timestampValue" in it:
        text = it["timestampValue"]
        return {"timestampValue": re.sub(r"\.?0*Z$", "Z", text) if "." in text else text}
    if "geoPointValue" in it:
        return {"geoPointValue": [float((it["geoPointValue"] or {}).get(name, 0)) for name in ("latitude", "longitude")]}
    if "integerValue" in it:
        return {"integerValue": str(it["integerValue"])}
    if "arrayValue" in it:
        return {"arrayValue": plain(it["arrayValue"].get("values", []))}
    if "mapValue" in it:
        return {"mapValue": plain(it["mapValue"].get("fields", {}))}
    return {name: plain(value) for name, value in it.items()}


def recent(it):
    """Times that the server set are no values to compare."""
    if isinstance(it, dict):
        if "timestampValue" in it and it["timestampValue"] > "2026-06":
            return "a time of the server"
        return {name: recent(value) for name, value in it.items()}
    return [recent(value) for value in it] if isinstance(it, list) else it


def document(it):
    found = {"name": it["name"], "fields": recent(plain({"mapValue": {"fields": it.get("fields", {})}}))}
    if "createTime" in it:
        found["unchanged"] = it["createTime"] == it.get("updateTime")
    return found


def meaning(request, status, answer):
    """What an answer says."""
    method, target, _, body = request
    verb = target.rsplit(":", 1)[1] if target.rsplit(":", 1)[-1] in VERBS and method == "POST" else method
    if status != 200:
        error = answer[0] if isinstance(answer, list) and answer else answer
        return [status, (error.get("error") or {}).get("status") if isinstance(error, dict) else str(error)[:80]]
    if isinstance(answer, list) and any("error" in part for part in answer):
        return ["error in a stream", next(part["error"].get("status") for part in answer if "error" in part)]
    if method == "CONTEND":
        return answer
    if verb == "runQuery":
        documents = [document(part["document"]) for part in answer if "document" in part]
        return [documents, "transaction" in (answer[0] if answer else {})]
    if verb == "batchGet":
        found = sorted((document(part["found"]) for part in answer if "found" in part), key=lambda it: it["name"])
        return [found, sorted(part["missing"] for part in answer if "missing" in part), "transaction" in (answer[0] if answer else {})]
    if verb == "runAggregationQuery":
        # The last bits of a sum of doubles hang on the order in which they are added.
        fields = [part["result"].get("aggregateFields", {}) for part in answer if "result" in part]
        return [{name: f"{float(value['doubleValue']):.12g}" if "doubleValue" in value else plain(value) for name, value in it.items()} for it in fields]
    if verb == "commit":
        return ["commitTime" in answer, *(["updateTime" in result, recent(plain(result.get("transformResults", [])))] for result in answer.get("writeResults", []))]
    if verb == "batchWrite":
        return [it.get("code", 0) for it in answer.get("status", [])], [recent(plain(it.get("transformResults", []))) for it in answer.get("writeResults", [])]
    if verb == "listCollectionIds":
        return sorted(answer.get("collectionIds", []))
    if verb == "beginTransaction":
        return "transaction" in answer
    if verb == "GET" and "name" not in answer:
        return [document(it) for it in answer.get("documents", [])]
    return document(answer) if "name" in answer else sorted(answer)


def is_write(request):
    return request[0] in ("PATCH", "DELETE", "CONTEND") or request[1].endswith((":commit", ":batchWrite")) or request[0] == "POST" and request[1].rsplit(":", 1)[-1] not in VERBS


def may_have_parted(request, ours, theirs):
    """Whether the two may hold different data after a write that they answered differently, or one of them a transaction that the other has ended."""
    return request[1].endswith(":batchWrite") or refused(ours) != refused(theirs) or isinstance(request[3], dict) and "transaction" in request[3]


# Differences that are meant to be, each with its reason: what the service documents, or where the emulator is known to be
# wrong. docs/embedded-store.md tells them to people.
ALLOWED = []


def allowed(name, reason):
    def add(holds):
        ALLOWED.append((name, holds, reason))
        return holds
    return add


def refused(meaning):
    return isinstance(meaning, list) and len(meaning) == 2 and type(meaning[0]) is int


def values(it):
    """Every value of a request, as JSON."""
    if isinstance(it, dict):
        yield it
    for part in it.values() if isinstance(it, dict) else it if isinstance(it, (list, tuple)) else ():
        yield from values(part)


def is_vector(value):
    return "__type__" in ((value.get("mapValue") or {}).get("fields") or {}) if isinstance(value, dict) else False


def written(request):
    """The writes of a commit, and the names of their documents."""
    writes = request[3]["writes"] if request[1].endswith(":commit") else []
    return writes, [it.get("delete") or it.get("update", {}).get("name") or it.get("transform", {}).get("document") for it in writes]


def only_where(ours, theirs, code, other):
    """Whether the statuses of two batches differ, and only where ours is `code` and theirs `other`; None is any."""
    if not isinstance(ours, tuple) or not isinstance(theirs, tuple) or len(ours[0]) != len(theirs[0]):
        return False
    parted = [pair for pair in zip(ours[0], theirs[0]) if pair[0] != pair[1]]
    results = [pair for pair, *both in zip(zip(ours[1], theirs[1]), ours[0], theirs[0]) if both[0] == both[1]]
    return parted and all(code in (None, it[0]) and it[1] == other for it in parted) and all(a == b for a, b in results)


def whole(request):
    return json.dumps(request, default=repr, ensure_ascii=False)


@allowed("colon in an id", "The emulator takes an id with a colon before a method for a method (firebase-tools-ui#645).")
def _(request, ours, theirs):
    return "z:z:" in request[1] and theirs == [400, "INVALID_ARGUMENT"]


@allowed("group below a document", "The service queries collection groups below a document; the emulator does at the root alone.")
def _(request, ours, theirs):
    return "/" in request[1].partition(":run")[0] and '"allDescendants": true' in whole(request) and theirs == [400, "INVALID_ARGUMENT"]


@allowed("number of aggregations", "One to five aggregations are documented; the emulator answers 500 for more.")
def _(request, ours, theirs):
    return theirs == [500, "UNKNOWN"] and ours == [400, "INVALID_ARGUMENT"]


@allowed("up_to", "up_to must be positive (query.proto); the emulator takes any.")
def _(request, ours, theirs):
    return re.search(r'"upTo": "(0|-1)"', whole(request)) and ours == [400, "INVALID_ARGUMENT"]


@allowed("empty select", "A projection without fields returns all fields (query.proto); the emulator returns names alone.")
def _(request, ours, theirs):
    return '"select": {"fields": []}' in whole(request)


@allowed("locks", "The emulator locks what a transaction reads or writes; the store aborts the commit of the second instead.")
def _(request, ours, theirs):
    return theirs == [409, "ABORTED"] and is_write(request) or only_where(ours, theirs, None, 10)


@allowed("orderBy of a list", "The emulator answers 500 to some orders of a list.")
def _(request, ours, theirs):
    return request[0] == "GET" and any(name == "orderBy" for name, _ in request[2]) and theirs == [500, "UNKNOWN"]


@allowed("mask with showMissing", "The emulator ignores the mask of a list with showMissing.")
def _(request, ours, theirs):
    return request[0] == "GET" and {"mask.fieldPaths", "showMissing"} <= {name for name, _ in request[2]}


@allowed("descending names", "The service orders by __name__ descending; the emulator does not.")
def _(request, ours, theirs):
    return theirs == [400, "FAILED_PRECONDITION"] and '"__name__"}, "direction": "DESCENDING"' in whole(request)


@allowed("another database", "All documents of a request are of its database (firestore.proto); the emulator takes others.")
def _(request, ours, theirs):
    return "projects/other/databases" in whole(request) and ours == [400, "INVALID_ARGUMENT"]


@allowed("vector in an array", "The emulator refuses a vector inside an array; nothing documents that.")
def _(request, ours, theirs):
    return theirs == [400, "INVALID_ARGUMENT"] and any(is_vector(item) for it in values(request) for item in (it.get("arrayValue") or {}).get("values") or [])


@allowed("overlong id", "An id has at most 1,500 bytes (limits); the emulator says that such a document is missing.")
def _(request, ours, theirs):
    return LONG in whole(request) and ours == [400, "INVALID_ARGUMENT"] and (theirs == [404, "NOT_FOUND"] or ":batchGet" in request[1])


@allowed("inequality with NaN or null", "The emulator does not order by the fields of alternatives that nothing satisfies; nothing documents that.")
def _(request, ours, theirs):
    nothing = r'"(LESS|GREATER)_THAN\w*", "value": {"doubleValue": "NaN"}|"((LESS|GREATER)_THAN\w*|NOT_EQUAL)", "value": {"nullValue": null}'
    ordered = '"op": "OR"' in whole(request) and not refused(ours) or '"orderBy"' in whole(request) and ours == [400, "INVALID_ARGUMENT"]
    return ordered and re.search(nothing, whole(request)) and not refused(theirs)


@allowed("aggregation of some names", "The emulator aggregates no fields of documents that are named by == or IN; nothing documents that.")
def _(request, ours, theirs):
    names = re.search(r'"fieldPath": "__name__"}, "op": "(EQUAL|IN)"', whole(request)) and re.search('"(sum|avg)"', whole(request))
    return '"aggregations"' in whole(request) and names and theirs == [400, "INVALID_ARGUMENT"] and not refused(ours)


@allowed("empty transaction", "Empty bytes are no transaction (proto3); the emulator looks for one.")
def _(request, ours, theirs):
    return '"transaction": ""' in whole(request) and theirs == [400, "INVALID_ARGUMENT"]


@allowed("written and deleted in one commit", "The emulator gives no time for a write whose document the same commit deletes; nothing documents that.")
def _(request, ours, theirs):
    writes, names = written(request)
    return {name for it, name in zip(writes, names) if "delete" not in it} & {it["delete"] for it in writes if "delete" in it}


@allowed("written twice", "Writes are executed in order (firestore.proto); the emulator takes those of one document for one, with one precondition.")
def _(request, ours, theirs):
    writes, names = written(request)
    again = any("currentDocument" in it and name in names[:place] for place, (it, name) in enumerate(zip(writes, names)))
    return again and refused(ours) and (theirs == [400, "INVALID_ARGUMENT"] or ours == [400, "FAILED_PRECONDITION"] and not refused(theirs))


@allowed("disjunctions", "A query has at most 30 disjunctions (limits); the emulator counts equal values once.")
def _(request, ours, theirs):
    return re.search('"(IN|ARRAY_CONTAINS_ANY)"', whole(request)) and ours == [400, "INVALID_ARGUMENT"] and not refused(theirs)


@allowed("malformed time", "A time is RFC 3339 in the years 1 to 9999 (timestamp.proto); the emulator takes a month 13.")
def _(request, ours, theirs):
    return re.search("2026-13-01|10000-01-01", whole(request)) and ours == [400, "INVALID_ARGUMENT"]


@allowed("field of a vector", "A mask that sets a member of a vector leaves a map with a reserved name; the emulator takes it.")
def _(request, ours, theirs):
    return '"m.' in whole(request) and is_write(request) and (ours == [400, "INVALID_ARGUMENT"] and not refused(theirs) or only_where(ours, theirs, 3, 0))


@allowed("aggregation of what is not selected", "The emulator refuses to aggregate a field that select leaves out; nothing documents that.")
def _(request, ours, theirs):
    return '"aggregations"' in whole(request) and '"select"' in whole(request) and theirs == [400, "INVALID_ARGUMENT"]


@allowed("commit without writes", "A commit has a time (firestore.proto); the emulator gives none where there are no writes.")
def _(request, ours, theirs):
    return request[1].endswith(":commit") and not request[3]["writes"] and [ours, theirs] == [[True], [False]]


@allowed("nanoseconds in a filter", "Times have microseconds (document.proto); the emulator compares with nanoseconds, so that no document is equal.")
def _(request, ours, theirs):
    body = request[3] if isinstance(request[3], dict) else {}
    return "123456789Z" in whole([body.get("structuredQuery"), body.get("structuredAggregationQuery")])


@allowed("batchGet of nothing", "The emulator answers 500 where a transaction reads no documents.")
def _(request, ours, theirs):
    return request[1].endswith(":batchGet") and request[3]["documents"] == [] and "transaction" in request[3] and theirs == [500, "UNKNOWN"] and not refused(ours)


@allowed("filter of nothing", "A composite filter has at least one filter (query.proto); the emulator takes none.")
def _(request, ours, theirs):
    return '"filters": []' in whole(request) and ours == [400, "INVALID_ARGUMENT"]


@allowed("element of a transform", "An array holds no array, and a name is not empty (limits); the emulator appends such an element.")
def _(request, ours, theirs):
    appended = [item for it in values(request) if "appendMissingElements" in it for item in it["appendMissingElements"]["values"]]
    bad = any("arrayValue" in item and "arrayValue" in whole(item["arrayValue"]) or re.search(f'"(|{LONG})": ', whole(item)) for item in appended if isinstance(item, dict))
    return bad and (ours == [400, "INVALID_ARGUMENT"] or only_where(ours, theirs, 3, 0))


@allowed("spelling of a value", "A value's JSON is that of its type (protobuf's JSON mapping); the emulator takes texts and numbers for others.")
def _(request, ours, theirs):
    return ours == [400, "INVALID_ARGUMENT"] and any(it in SPELLINGS for it in values(request))


@allowed("name of a transform", "A field's name is at most 1,500 bytes (limits); the emulator does not look at that of a transform.")
def _(request, ours, theirs):
    return LONG in whole(request) and "fieldPath" in whole(request) and ours == [400, "INVALID_ARGUMENT"]


# The judge.


def run_epoch(servers, seed, number, found, limit=None):
    chance = random.Random(f"{seed} {number}")
    root = f"projects/p{number}/databases/(default)"
    asker = Asker(chance, root)
    for server in servers:
        server.begin(root)
    asked = 0
    for request in [*asker.seeds(), *(asker.request() for _ in range(limit or EPOCH)), *EVERYTHING]:
        answers = [server.ask(request) for server in servers]
        asked += 1
        ours, theirs = (meaning(request, *answer) for answer in answers)
        if ours == theirs:
            continue
        name = next((name for name, holds, _ in ALLOWED if holds(request, ours, theirs)), None)
        found[name].append((number, request, ours, theirs, answers))
        # A transaction that one of the two has begun alone is none.
        begun = min(len(server.transactions) for server in servers)
        for server in servers:
            del server.transactions[begun:]
        if is_write(request) and (name is None or may_have_parted(request, ours, theirs)):
            break
    for server in servers:
        server.end_transactions()
    return asked


def shown(entry):
    number, request, ours, theirs, answers = entry
    words = [json.dumps(answer[1], ensure_ascii=False)[:160] for answer in answers]
    return f"epoch {number}: {whole(request)[:700]}\n    store:    {json.dumps(ours, ensure_ascii=False)[:300]} {words[0] if answers[0][0] != 200 else ''}\n    emulator: {json.dumps(theirs, ensure_ascii=False)[:300]} {words[1] if answers[1][0] != 200 else ''}"


# Faults of an answer of the store: each has to be found. A fault returns the status and the answer that it leaves.


def verb_of(request):
    return request[1].rsplit(":", 1)[1] if request[1].rsplit(":", 1)[-1] in VERBS and request[0] == "POST" else request[0]


def of(*verbs):
    """A fault of answers that succeeded, of some methods alone."""
    def wrap(change):
        def fault(request, status, answer):
            if status == 200 and verb_of(request) in verbs:
                answer = copy.deepcopy(answer)
                return change(answer) or (status, answer)
            return status, answer
        fault.__name__ = change.__name__
        return fault
    return wrap


@of("runQuery")
def a_result_less(answer):
    if "document" in answer[-1]:
        answer.pop()


@of("runQuery")
def another_order(answer):
    answer.reverse()


@of("runAggregationQuery")
def one_too_many(answer):
    for value in answer[0]["result"]["aggregateFields"].values():
        if "integerValue" in value:
            value["integerValue"] = str(int(value["integerValue"]) + 1)


@of("batchGet")
def nothing_is_missing(answer):
    answer[:] = [part for part in answer if "missing" not in part]


@of("GET", "PATCH")
def a_field_less(answer):
    answer.get("fields", {}).pop("n", None)


@of("GET")
def a_double_is_an_integer(answer):
    for value in [value for it in found_documents(answer) for value in it.get("fields", {}).values()]:
        if value.get("doubleValue") in (0.5, 7, 9007199254740992, -1e300):
            value["integerValue"] = str(int(value.pop("doubleValue")))


@of("commit")
def no_transform_results(answer):
    for result in answer.get("writeResults", []):
        result.pop("transformResults", None)


@of("batchWrite")
def every_write_succeeds(answer):
    for status in answer["status"]:
        status.pop("code", None)


@of("listCollectionIds")
def a_collection_less(answer):
    answer.get("collectionIds", []).pop() if answer.get("collectionIds") else None


def another_status(request, status, answer):
    return (400, {"error": {"status": "INVALID_ARGUMENT"}}) if status in (404, 409) else (status, answer)


def no_precondition(request, status, answer):
    return (200, {}) if status == 400 and verb_of(request) == "commit" else (status, answer)


@of("PATCH")
def created_again(answer):
    answer["createTime"] = answer["updateTime"]


FAULTS = [
    a_result_less, another_order, one_too_many, nothing_is_missing, a_field_less, a_double_is_an_integer, no_transform_results, every_write_succeeds,
    a_collection_less, another_status, no_precondition, created_again,
]


def self_check(servers, seed):
    """Puts each fault into the answers of the store; the number of those that are not found."""
    missed = 0
    for fault in FAULTS:
        servers[0].fault, found, number = fault, collections.defaultdict(list), 1_000_000
        while not found[None] and number < 1_000_080:
            run_epoch(servers, seed, number, found)
            number += 1
        missed += not found[None]
        print(f"{'found ' if found[None] else 'MISSED'}   {fault.__name__}, in run {number - 1_000_000}")
    return missed


def kind_of(entry):
    """What differences have in common: the method, and what both say without names and numbers."""
    _, request, ours, theirs, answers = entry
    words = [re.sub(r"projects/\S+|\d+|\"[^\"]*\"|'[^']*'", "#", str(answer[1].get("error", {}).get("message"))) for answer in answers if answer[0] != 200 and isinstance(answer[1], dict)]
    verb = request[1].rsplit(":", 1)[-1] if request[0] == "POST" else request[0]
    return verb, *([str(it)[:60] for it in (ours, theirs) if isinstance(it, list) and it and isinstance(it[0], int)]), *(word.partition("\n")[0][:60] for word in words)


def judge(servers, requests, seed, first=0):
    found, asked, number = collections.defaultdict(list), 0, first
    while asked < requests:
        asked += run_epoch(servers, seed, number, found)
        number += 1
    return asked, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-check", action="store_true")
    parser.add_argument("--epoch", type=int)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("requests", type=int, nargs="?", default=2000)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    arguments = parser.parse_args()
    emulator = google_emulator.found_or_skip("the embedded store")
    with scratch(arguments.program) as (_, _, store), google_emulator.running(emulator) as host:
        servers = [Server(store.host), Emulator(host)]
        if arguments.self_check:
            sys.exit(1 if self_check(servers, arguments.seed) else 0)
        if arguments.epoch is not None:
            arguments.requests = 1
        asked, found = judge(servers, arguments.requests, arguments.seed, arguments.epoch or 0)
    unexplained = found.pop(None, [])
    kinds = collections.defaultdict(list)
    for entry in unexplained:
        kinds[kind_of(entry)].append(entry)
    for entries in sorted(kinds.values(), key=len, reverse=True):
        print(f"DIFFERS {len(entries)} times, as in {shown(entries[0])}")
    for name, entries in sorted(found.items()):
        print(f"allowed  {name}: {len(entries)}")
    print(f"The embedded store and Google's emulator: {asked} requests of seed {arguments.seed}, {len(unexplained)} unexplained differences, {len(found)} classes of allowed ones.")
    sys.exit(1 if unexplained else 0)


if __name__ == "__main__":
    main()

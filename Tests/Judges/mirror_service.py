"""What `mirror_histories.py` stands on: a service with many databases, a proxy that counts and fails, odd documents, and
a reference of the typed tables, made from docs/mirror.md alone."""

import base64
import gzip
import http.client
import json
import math
import os
import re
import signal
import sqlite3
import subprocess
import threading

from judging import Handler, Server, need, text

SCHEMA = """
schema: things
collections:
  customers:
    update-time: updatedAt
    fields:
      name: string
      age: integer
      weight: double
      ok: boolean
      born: timestamp
      tags: array
      anything: any
      blob: bytes
      place: geopoint
      friend: reference
      direction: vector
      boss: { type: string, reference: customers }
      shopId: { type: string, reference: shops }
      address: { type: map, fields: { city: string, zip: integer, geo: { type: map, fields: { lat: double } } } }
      fooBar: string
      foo_bar: string
      "odd name": string
      "con`tick": integer
      select: integer
      _id: string
      _other: string
      updatedAt: timestamp
  customers/*/orders:
    fields: { total: double, shopId: { type: string, reference: shops }, updatedAt: timestamp }
  customers/*/orders/*/lines:
    fields: { amount: integer, sku: string }
  shops:
    fields: { name: string, stock: integer }
  fooBar:
    update-time: { field: changedOn, set-by: client }
    fields: { name: string, changedOn: timestamp }
  foo_bar:
    update-time: updatedAt
    fields: { name: string, updatedAt: timestamp }
  invoices:
    update-time: updatedAt
    immutable: { when: status == shipped }
    fields:
      status: { type: string, required: true, values: [open, shipped] }
      total: { type: double, range: { min: 0 } }
      updatedAt: timestamp
"""

# The time of last change by root collection; of a collection that is not declared it is `updatedAt`.
TIMES = {"customers": "updatedAt", "fooBar": "changedOn", "foo_bar": "updatedAt", "invoices": "updatedAt", "shops": None}
REFERENCES = {("customers", "boss"): "customers", ("customers", "shopId"): "shops", ("customers/*/orders", "shopId"): "shops"}


# The service.


class Database:
    """One database of the service, asked and written as other programs would."""

    def __init__(self, store, name):
        self.host, self.name, self.root = store.host, name, f"projects/p/databases/{name}"
        self.prefix = f"{self.root}/documents/"
        self.connections = threading.local()

    def call(self, target, body):
        """The status and the answer of one request."""
        if not hasattr(self.connections, "one"):
            self.connections.one = http.client.HTTPConnection(self.host, timeout=120)
        # The server closes a connection on which nothing came for a while.
        self.connections.one.close()
        headers = {"Authorization": "Bearer owner", "Content-Type": "application/json"}
        self.connections.one.request("POST", f"/v1/{self.root}/{target}", json.dumps(body), headers)
        response = self.connections.one.getresponse()
        return response.status, json.loads(response.read() or "{}")

    def commit(self, writes):
        status, answer = self.call("documents:commit", {"writes": writes})
        need(status == 200, f"commit: {status} {answer}")
        return answer

    def commit_all(self, writes):
        for start in range(0, len(writes), 300):
            self.commit(writes[start : start + 300])

    def set(self, path, fields, time=None, mask=None):
        """A write of a document, or of some fields; `time` names a field that the server sets."""
        write = {"update": {"name": self.prefix + path, "fields": fields}}
        if mask is not None:
            write["updateMask"] = {"fieldPaths": mask}
        if time:
            write["updateTransforms"] = [{"fieldPath": time, "setToServerValue": "REQUEST_TIME"}]
        return write

    def delete(self, path):
        return {"delete": self.prefix + path}

    def all(self):
        """The fields of every document, by path."""
        status, answer = self.call("documents:runQuery", {"structuredQuery": {"from": [{"allDescendants": True}]}})
        need(status == 200, f"runQuery: {status} {answer}")
        documents = (part["document"] for part in answer if "document" in part)
        found = {one["name"].removeprefix(self.prefix): one.get("fields", {}) for one in documents}
        return {path: fields for path, fields in found.items() if not path.startswith("_gymmigrate")}


class Proxy:
    """Passes requests on, some of them badly, and counts what they read."""

    def __init__(self, store, random):
        self.share, self.random, self.gate = 0.0, random, threading.Lock()
        self.before = self.after = None
        self.faults = 0
        self.wrong = []
        self.reset()
        proxy = self

        class Passing(Handler):
            def pass_on(self):
                body = self.whole_body()
                if body is None:
                    return
                plain = gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body
                with proxy.gate:
                    proxy.requests += 1
                    number, fault = proxy.requests, None
                    if proxy.random.random() < proxy.share:
                        fault = proxy.random.choice(["request", "answer", "half", 503, 429])
                        proxy.faults += 1
                if proxy.before:
                    proxy.before(number, self.path, plain)
                if fault == "request":
                    return self.hang_up()
                if isinstance(fault, int):
                    error = {"code": fault, "message": "a fault", "status": {503: "UNAVAILABLE", 429: "RESOURCE_EXHAUSTED"}[fault]}
                    return self.respond(fault, json.dumps({"error": error}).encode())
                status, answer, type = self.asked(store.host, body)
                proxy.count(self.command, self.path, plain, status, answer)
                if proxy.after:
                    proxy.after(number, self.path, plain)
                if fault == "answer":
                    return self.hang_up()
                self.respond(status, answer, type, len(answer) // 2 if fault == "half" else None)

            do_GET = do_POST = do_PATCH = do_DELETE = pass_on

        self.endpoint = Server(Passing).endpoint

    def reset(self):
        self.requests, self.documents, self.names, self.billed, self.verbs, self.written = 0, 0, 0, 0, {}, []

    def count(self, method, path, body, status, answer):
        verb = path.partition("?")[0].rpartition(":")[2] if ":" in path else method
        documents = names = 0
        if status == 200 and verb in ("runQuery", "batchGet"):
            found = [part.get("document") or part.get("found") for part in json.loads(answer)]
            selected = json.loads(body).get("structuredQuery", {}).get("select", {}).get("fields", [])
            if selected == [{"fieldPath": "__name__"}]:
                names = sum(map(bool, found))
            else:
                documents = sum(map(bool, found))
        elif status == 200 and method == "GET":
            found = json.loads(answer)
            documents = len(found.get("documents", [])) + ("name" in found)
            if "mask.fieldPaths=__name__" in path:
                documents, names = 0, documents
        elif status == 200 and body and verb in ("commit", "batchWrite"):
            said = json.loads(answer)
            for write, result in zip(json.loads(body)["writes"], said["writeResults"]):
                name = write.get("delete") or write["update"]["name"]
                self.written.append((name.partition("/documents/")[2], moment(result.get("updateTime") or said.get("commitTime") or "")))
        # By the price page: a read for each document, at least one a query, and for 1,000 index entries that are counted.
        billed = documents + names
        if verb == "runAggregationQuery" and status == 200:
            counted = int(json.loads(answer)[0]["result"]["aggregateFields"]["n"]["integerValue"])
            billed = -(-counted // 1000)
        with self.gate:
            self.billed += max(1, billed)
            self.verbs[verb] = self.verbs.get(verb, 0) + 1
            self.documents += documents
            self.names += names


class Program:
    """The program under judgment, in a folder with a schema and an environment for each database."""

    def __init__(self, program, folder, proxy):
        self.program, self.folder, self.proxy = program, folder, proxy
        self.commands, self.environments = 0, {}
        self.variables = {"PATH": os.environ["PATH"], "HOME": str(folder)}
        (folder / "things.yaml").write_text(SCHEMA)

    def know(self, name):
        self.environments[name] = f"  {name}: {{ endpoint: '{self.proxy.endpoint}', database: {name} }}\n"
        (self.folder / "places.yaml").write_text(
            "project: p\nschema: things.yaml\nenvironments:\n" + "".join(self.environments.values())
        )

    def start(self, *arguments, place=True):
        self.commands += 1
        return subprocess.Popen(
            [self.program, *map(str, arguments), *(["--config", "places.yaml"] if place else [])], cwd=self.folder,
            env=self.variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )

    def end(self, process, ends=(0,)):
        output, errors = (part.decode() for part in process.communicate(timeout=600))
        command = " ".join(process.args[1:])
        need(process.returncode in ends, f"{command}: ended in {process.returncode}, not {ends}:\n{errors[-2000:]}{output[-1000:]}")
        return process.returncode, output, errors

    def __call__(self, *arguments, ends=(0,), place=True):
        return self.end(self.start(*arguments, place=place), ends)

    def killed(self, *arguments, at, verb="", when="before"):
        """Runs a command that is killed before or after a request is passed on; says whether it was."""
        seen, ready, process = [0], threading.Event(), None

        def hook(_, path, __):
            ready.wait(60)
            if verb in path:
                seen[0] += 1
                if seen[0] == at:
                    process.send_signal(signal.SIGKILL)
                    process.wait()

        setattr(self.proxy, when, hook)
        process = self.start(*arguments)
        ready.set()
        _, errors = process.communicate(timeout=600)
        setattr(self.proxy, when, None)
        need(process.returncode in (0, -signal.SIGKILL), f"{arguments}: ended in {process.returncode}: {errors[-1000:]}")
        return process.returncode != 0

    def rejects(self):
        """The codes of the last run's rejects, by path."""
        runs = sorted((self.folder / ".gymmigrate/runs").iterdir(), key=lambda run: (run / "run.json").stat().st_mtime_ns)
        path, found = runs[-1] / "rejects.jsonl", {}
        for line in path.read_text().splitlines() if path.exists() else []:
            reject = json.loads(line)
            found.setdefault(reject["path"].rsplit("/documents/", 1)[-1], set()).add(reject["code"])
        return found

    def export(self, place):
        """The sorted lines of an export."""
        _, output, _ = self("export", "--all", "-e", place, "--format", "jsonl", "-o", "-", "-q", "--read-time",
                            "none" if place.startswith("mirror:") else "now")
        return sorted(output.removesuffix("\n").split("\n")) if output else []


def documents(lines):
    found = {}
    for line in lines:
        one = json.loads(line)
        need(one["name"] not in found, f"{one['name']} is exported twice")
        found[one["name"]] = one.get("fields", {})
    return found


# Odd documents.

ODD_IDS = [
    "x y", "é", "e\u0301", "'", '"', "`", "\\", "a'b\"c`d\\e", "%2F", "%", "?x=1", "#", "a:b", ":runQuery", "..a", ".a", "a.", "...",
    "__", "___", "__a", "a__", "_", "007", "1e3", "NULL", "null", "true", " ", " lead", "trail ", "\t", "\n", "日本語", "😀", 
    "ﬁ", "A", "a", "Ä", "ä", "A\u0308", "n" * 1500, "ñ" * 700, "'; DROP TABLE shops; --", "$", "~", "[x]", "*", "a*", "**", "\u202eabc", "\ufeff", "__id7__",
    "x\u0001", "\u007f", "{\"integerValue\":\"7\"}", "-1", "0x10", "a|b", "&amp;", "<b>",
]
TEXTS = [
    "", " ", "plain", "é", "e\u0301", "{\"integerValue\":\"7\"}", "{}", "[1]", "null", "2020-01-01T00:00:00Z", "12", "1e3", "a\u0000b", "line\nbreak", "😀" * 40,
    "'", '"', "\\", "\u2028", "x" * 3000, "+52 729",
]
ODD_FIELDS = ["odd.name", "con`tick", "back\\slash", "odd name", "é", "0", "Name", "NAME", "_ID", "SELECT", "new", "x/y", "*", "city"]
TOPS = ["log entries", "documents", "state", "é", "zone_offsets", "customers_orders", "Customers", "'\"`;", "_mirror_x", "1st", "select", "n" * 300]


def a_text(random):
    return text(random.choice(TEXTS) if random.random() < 0.4 else f"t{random.randrange(10**6)}")


def a_time(random):
    if random.random() < 0.15:
        return {"timestampValue": random.choice(["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"])}
    return {"timestampValue": f"20{random.randrange(100):02}-0{random.randint(1, 9)}-{random.randint(10, 28)}T{random.randrange(10, 24)}:00:59.{random.choice(['1', '000001', '999', '123456', '5'])}Z"}


def an_integer(random):
    return {"integerValue": str(random.choice([0, -1, 7, 2**63 - 1, -(2**63), 2**53 + 1, random.randrange(10**6)]))}


def a_double(random):
    return {"doubleValue": random.choice([0.1, -2.5, 3.0, 1e300, 5e-324, 1e21, -0.0, "NaN", "Infinity", "-Infinity", random.random()])}


def some(random, root, depth=0):
    """A value of any type."""
    kind = random.randrange(12 if depth < 3 else 9)
    if kind == 0:
        return {"nullValue": None}
    if kind == 1:
        return {"booleanValue": random.random() < 0.5}
    if kind == 2:
        return {"bytesValue": base64.b64encode(random.randbytes(random.randrange(9))).decode()}
    if kind == 3:
        return {"geoPointValue": random.choice([{}, {"latitude": 1.5}, {"longitude": -180}, {"latitude": -90, "longitude": 0.1}])}
    if kind == 4:
        there = random.choice([root, "projects/other/databases/(default)"])
        return {"referenceValue": f"{there}/documents/shops/{random.choice(['s1', 'é', 'x y'])}"}
    if kind < 9:
        return [a_text, an_integer, a_double, a_time][kind - 5](random)
    if kind == 9:
        values = [value for value in (some(random, root, depth + 1) for _ in range(random.randrange(4))) if "arrayValue" not in value]
        return {"arrayValue": {"values": values} if values else {}}
    if kind == 10:
        fields = {random.choice(["k", "é", "a.b", "city", "zip", "geo", "lat"]): some(random, root, depth + 1) for _ in range(random.randrange(4))}
        return {"mapValue": {"fields": fields} if fields else {}}
    values = [{"doubleValue": random.random()} for _ in range(3)]
    return {"mapValue": {"fields": {"__type__": text("__vector__"), "value": {"arrayValue": {"values": values}}}}}


def a_customer(random, root, ids):
    """Most fields of their types, some missing, some of any other type, some not declared."""
    makers = {
        "name": a_text, "age": an_integer, "weight": lambda r: r.choice([a_double, an_integer])(r), "ok": lambda r: {"booleanValue": r.random() < 0.5},
        "born": a_time, "boss": lambda r: text(r.choice(ids)), "shopId": lambda r: text(r.choice(["s1", "é", "nobody"])),
        "fooBar": a_text, "foo_bar": a_text, "odd name": a_text, "con`tick": an_integer, "select": an_integer, "_id": a_text, "_other": a_text,
    }
    fields = {name: make(random) for name, make in makers.items() if random.random() < 0.6}
    for name in ("tags", "anything", "blob", "place", "friend", "direction"):
        if random.random() < 0.4:
            fields[name] = some(random, root)
    if random.random() < 0.6:
        address = {"city": a_text(random), "zip": an_integer(random), "geo": {"mapValue": {"fields": {"lat": a_double(random)}}}}
        address = {name: value for name, value in address.items() if random.random() < 0.7}
        if random.random() < 0.2:
            address[random.choice(["city", "zip", "geo", "more", "odd.one"])] = some(random, root, 1)
        fields["address"] = {"mapValue": {"fields": address} if address else {}}
    for _ in range(random.choice([0, 0, 0, 1, 2])):
        fields[random.choice([*makers, "address", *ODD_FIELDS])] = some(random, root)
    return fields


# The typed tables, as docs/mirror.md describes them.

SEGMENT = re.compile(r"`((?:[^`\\]|\\.)*)`|([^.`]+)")


def segments(path):
    return [re.sub(r"\\(.)", r"\1", quoted) if quoted or not plain else plain for quoted, plain in SEGMENT.findall(path)]


def canonical(value):
    """A REST value in one form: the numbers of doubles and of points are numbers, the texts of times are of one length."""
    kind, inner = next(iter(value.items()))
    if kind == "doubleValue":
        return kind, repr(float(inner) + 0.0)
    if kind == "integerValue":
        return kind, int(inner)
    if kind == "timestampValue":
        return kind, moment(inner)
    if kind == "geoPointValue":
        return kind, float(inner.get("latitude", 0)), float(inner.get("longitude", 0))
    if kind == "arrayValue":
        return kind, [canonical(one) for one in inner.get("values", [])]
    if kind == "mapValue":
        return kind, {name: canonical(one) for name, one in inner.get("fields", {}).items()}
    return kind, inner


def moment(time):
    """UTC text of one form."""
    whole, _, fraction = time.removesuffix("Z").partition(".")
    return f"{whole}.{fraction[:6]:0<6}Z"


def is_rest(cell, value):
    try:
        return isinstance(cell, str) and canonical(json.loads(cell)) == canonical(value)
    except (ValueError, AttributeError, StopIteration, TypeError):
        return False


def holds(cell, value, type):
    """Whether a cell of a column of a type holds a value as the page says."""
    if value is None or "nullValue" in value:
        return cell is None
    kind, inner = next(iter(value.items()))
    if type == "any":
        return holds_any(cell, value, kind, inner)
    if kind == "stringValue" and type == "string":
        return is_rest(cell, value) if inner.startswith("{") else cell == inner
    if kind == "integerValue" and type == "integer":
        return cell == int(inner) and isinstance(cell, int)
    if kind in ("integerValue", "doubleValue") and type == "double":
        number = float(inner)
        if math.isnan(number):
            return is_rest(cell, value)
        return isinstance(cell, float) and cell == number
    if kind == "booleanValue" and type == "boolean":
        return cell == int(inner) and isinstance(cell, int)
    if kind == "timestampValue" and type == "timestamp":
        return cell == moment(inner)
    if kind == "arrayValue" and type == "array":
        return holds_array(cell, inner)
    return is_rest(cell, value)


# A text that, in a cell without a type, would be read as another value (docs/formats.md).
FORMS = re.compile(
    r"[-+]?[0-9]+|[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)([eE][-+]?[0-9]+)?|NaN|-?Infinity|true|false|null"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[-+][0-9:]+)"
)


def holds_any(cell, value, kind, inner):
    """Numbers as they are, and everything else as a cell of a CSV file."""
    if kind == "integerValue":
        return cell == int(inner) and isinstance(cell, int)
    if kind == "doubleValue":
        number = float(inner)
        return is_rest(cell, value) or cell == "NaN" if math.isnan(number) else isinstance(cell, float) and cell == number
    if kind == "stringValue":
        # REST JSON where it might be another value; what might, the page says by examples.
        return cell == inner and not inner.startswith(("{", "[")) or is_rest(cell, value) and (
            inner.startswith(("{", "[")) or FORMS.fullmatch(inner) is not None or inner == ""
        )
    if kind == "booleanValue":
        return cell == ("true" if inner else "false")
    if kind == "timestampValue":
        return isinstance(cell, str) and moment(cell) == moment(inner)
    if kind == "arrayValue":
        return holds_array(cell, inner)
    if kind == "mapValue" and not inner.get("fields"):
        return cell == "{}"
    return is_rest(cell, value)


def holds_array(cell, inner):
    try:
        found = json.loads(cell)
    except (ValueError, TypeError):
        return False
    values = inner.get("values", [])
    return isinstance(found, list) and len(found) == len(values) and all(map(holds_element, found, values))


def holds_element(found, value):
    kind, inner = next(iter(value.items()))
    if isinstance(found, dict):
        return is_rest(json.dumps(found), value)
    if kind == "doubleValue":
        return isinstance(found, (int, float)) and not isinstance(found, bool) and float(found) == float(inner)
    if kind == "integerValue":
        return type(found) is int and found == int(inner)
    return kind in ("stringValue", "booleanValue", "nullValue") and found == inner and type(found) is type(inner)


def lookup(fields, path):
    """The value at a path through maps; None where there is none."""
    for number, name in enumerate(path):
        value = fields.get(name)
        if value is None or number == len(path) - 1:
            return value
        if "mapValue" not in value:
            return None
        fields = value["mapValue"].get("fields", {})


def left_over(fields, tree):
    """What no column of the tree of columns holds."""
    rest = {}
    for name, value in fields.items():
        below = tree.get(name)
        if below is None or "nullValue" in value or (below and "mapValue" not in value):
            rest[name] = value
        elif below:
            inner = value["mapValue"].get("fields", {})
            more = left_over(inner, below)
            if more or not inner:
                rest[name] = {"mapValue": {"fields": more} if more else {}}
    return rest


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def kind_of(path):
    """The path of a document's collection, with a star for each id."""
    parts = path.split("/")[:-1]
    return "/".join("*" if number % 2 else part for number, part in enumerate(parts))


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def check_tables(file, found):
    """Holds every typed table to the mirror's own documents. Returns how many cells were compared."""
    base = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    need([row[0] for row in base.execute("PRAGMA integrity_check")] == ["ok"], "integrity_check is not ok")
    by_kind = {}
    for path, fields in found.items():
        by_kind.setdefault(kind_of(path), {})[tuple(path.split("/")[1::2])] = fields
    tables, counts = {}, {}
    for kind, table, count, _ in base.execute("SELECT collection, table_name, documents, mark FROM _mirror_collections"):
        tables[kind], counts[kind] = table, count
    need(by_kind.keys() <= tables.keys(), f"no table for {by_kind.keys() - tables.keys()}")
    need(len({table.lower() for table in tables.values()}) == len(tables), f"two collections share a table: {tables}")
    for kind, table in (("customers", "customers"), ("customers/*/orders", "customers_orders"), ("customers/*/orders/*/lines", "customers_orders_lines"), ("shops", "shops")):
        if kind in tables:
            need(tables[kind] == table, f"the table of {kind} is {tables[kind]}")
    cells, dangling, expected_dangling = 0, set(), set()
    ids = {}
    for kind, table in tables.items():
        rows = by_kind.get(kind, {})
        need(counts[kind] == len(rows), f"_mirror_collections says {counts[kind]} documents of {kind}, not {len(rows)}")
        columns = [
            (column, segments(field), type)
            for column, field, type in base.execute(
                "SELECT column_name, field, type FROM _mirror_columns WHERE table_name = ? AND collection = ? ORDER BY position", (table, kind)
            )
        ]
        names = [row[1] for row in base.execute(f"PRAGMA table_info({quoted(table)})")]
        parents = kind.count("*")
        need(names == [*names[:parents], "_id", *(column[0] for column in columns), "_other"], f"the columns of {table} are {names}, those of _mirror_columns {columns}")
        key = [row[1] for row in sorted(base.execute(f"PRAGMA table_info({quoted(table)})"), key=lambda row: row[5]) if row[5]]
        need(key == names[: parents + 1], f"the primary key of {table} is {key}")
        if kind == "customers":
            plain = {"name", "age", "born", "shop_id", "address_city", "address_zip", "address_geo_lat", "updated_at"}
            need(plain <= set(names), f"customers has no {plain - set(names)}")
        if kind == "customers/*/orders/*/lines":
            need(names[:3] == ["customers_id", "orders_id", "_id"], f"lines begins with {names[:3]}")
        tree = {}
        for _, path, _ in columns:
            below = tree
            for name in path:
                below = below.setdefault(name, {})
        keys = set()
        for row in base.execute(f"SELECT * FROM {quoted(table)}"):
            id = row[: parents + 1]
            need(id in rows and id not in keys, f"{table} has a row {id!r} without a document, or twice")
            keys.add(id)
            fields = rows[id]
            for (column, path, type), cell in zip(columns, row[parents + 1 : -1]):
                value = lookup(fields, path)
                cells += 1
                need(holds(cell, value, type), f"{table}.{column} ({type}, {path}) of {id!r} is {cell!r} for {value}")
            rest, other = left_over(fields, tree), json.loads(row[-1]) if row[-1] is not None else {}
            need(canonical({"mapValue": {"fields": rest}}) == canonical({"mapValue": {"fields": other}}), f"{table}._other of {id!r} is {other}, not {rest}")
        need(keys == rows.keys(), f"{table} has no rows for {sorted(rows.keys() - keys)[:3]!r}")
        ids[table] = rows.keys()
    # Foreign keys and their indexes, and what dangles.
    for (kind, field), target in REFERENCES.items():
        if kind not in tables:
            continue
        table, column = tables[kind], snake(field)
        keys = {(row[3], row[2], row[4]) for row in base.execute(f"PRAGMA foreign_key_list({quoted(table)})")}
        need((column, tables[target], "_id") in keys, f"{table}.{column} is no foreign key to {target}: {keys}")
        firsts = [next(iter(base.execute(f"PRAGMA index_info({quoted(index[1])})")))[2] for index in base.execute(f"PRAGMA index_list({quoted(table)})")]
        need(column in firsts, f"{table}.{column} has no index")
        for row, cell in base.execute(f"SELECT rowid, {quoted(column)} FROM {quoted(table)} WHERE {quoted(column)} IS NOT NULL"):
            if (cell,) not in ids[tables[target]]:
                expected_dangling.add((table, row, tables[target]))
    for table, row, target, _ in base.execute("PRAGMA foreign_key_check"):
        dangling.add((table, row, target))
    need(expected_dangling <= dangling, f"foreign_key_check does not list {list(expected_dangling - dangling)[:3]}")
    base.close()
    return cells

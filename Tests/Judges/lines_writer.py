"""Random JSON Lines, and what their documents have to be by docs/importing.md and docs/formats.md. `random_tables.py` imports them."""

import base64
import collections
import dataclasses
import gzip
import json

from rest_values import Malformed, Open, read_line
from table_cells import Options, leaves
from table_reader import Expected
from table_pools import TEXTS, mutated
from table_writer import Maker as TableMaker, Table

ODD_IDS = ["null", "a b", "é", "e\u0301", "日本", "a.b", "%2F", "[x", "1.0", '"', "\\", "#", "A", "a", "-"]
NAMES = ["alpha", "beta", "m", "odd name", "a.b", "ñ", "`", "", "x-y", "n1"]
MALFORMED = [
    "{", "[]", "7", "null", "x", '{"fields":{}}', '{"name":"things"}', '{"name":""}', '{"name":"things//x"}',
    '{"name":"things/a","name":"things/b"}',
    '{"name":"things/a","fields":{},"fields":{}}', '{"name":"things/a","fields":{"x":{"integerValue":"1"},"x":{"integerValue":"2"}}}',
    '{"name":"things/a","fields":{"x":{"stringValue":"1","stringValue":"2"}}}',
    '{"name":"things/a","fields":{"x":{"stringValue":"1","integerValue":"2"}}}',
    '{"name":"things/a","extra":1}', '{"name":"things/a","fields":{"x":{"textValue":"1"}}}',
    '{"name":"things/a","fields":{"x":{"integerValue":"1.5"}}}',
    '{"name":"things/a","fields":{"x":{"integerValue":"9223372036854775808"}}}',
    '{"name":"things/a","fields":{"x":{"timestampValue":"yesterday"}}}',
    '{"name":"things/a","fields":{"x":{"bytesValue":"*"}}}', '{"name":"things/a","fields":{"x":{"booleanValue":"yes"}}}',
    '{"name":"things/a"} {"name":"things/b"}',
    '{"name":"things/a","fields":{"x":7}}', '{"name":"things/a","fields":[]}', '{"name":"things/a",}', "{'name':'things/a'}",
    '{"code":"ALREADY_EXISTS","message":"x","path":"things/a"}',
    '{"name":"things/a","fields":{"x":{"mapValue":{"fields":{"k":{"nullValue":null},"k":{"nullValue":null}}}}}}',
]
LIMITS = [
    '{"name":"things/__x__"}', '{"name":"things/.."}', '{"name":"things/a","fields":{"__x__":{"integerValue":"1"}}}',
    '{"name":"things/a","fields":{"x":{"arrayValue":{"values":[{"arrayValue":{}}]}}}}',
    '{"name":"things/a","fields":{"x":{"geoPointValue":{"latitude":91,"longitude":0}}}}',
]


@dataclasses.dataclass
class Line:
    text: str
    path: str = ""
    fields: dict = dataclasses.field(default_factory=dict)
    # malformed, limit, or reserved.
    wrong: str = ""
    doubt: str = ""


@dataclasses.dataclass
class Lines(Table):
    """JSON Lines, and the options of their import."""

    lines: list = dataclasses.field(default_factory=list)
    into: str | None = None
    flat: bool = False

    def expected(self):
        expected = Expected()
        for line in self.lines:
            if line.doubt or line.wrong == "limit":
                expected.doubt(line.doubt or line.text).unknown = True
        found = [(self.place(line), line) for line in self.lines]
        bad = [line for path, line in found if line.wrong == "malformed" or path is None]
        if bad and self.parse_errors == "stop":
            return Expected(refused=f"a malformed line: {bad[0].text}", sure=expected.sure)
        expected.rejected = sum(bool(line.wrong) or path is None for path, line in found)
        found = [(path, line.fields) for path, line in found if path and not line.wrong]
        paths = collections.Counter(path for path, _ in found)
        if max(paths.values(), default=0) > 1 and not self.duplicates:
            return Expected(refused="one document twice", sure=expected.sure)
        for path, fields in found if self.duplicates == "last" else found[::-1]:
            expected.documents[path] = {leaf: [value] for leaf, value in leaves(fields)}
        return expected

    def place(self, line):
        """Where a document goes; None where it has no place in the collection that is named."""
        path = line.path
        if not self.into or not path:
            return path
        if self.flat:
            return f"{self.into}/{path.rsplit('/', 1)[1]}"
        first = next(one.path for one in self.lines if one.path).split("/")[:-1]
        old = first[: len(self.into.split("/"))]
        names = path.split("/")
        return "/".join([self.into, *names[len(old) :]]) if names[: len(old)] == old else None


class Maker(TableMaker):
    """Draws documents, and how they are written."""

    def make(self):
        self.table = Lines([], [], Options(database=self.table.options.database), kind="jsonl", file="lines.jsonl")
        self.settings()
        count = self.pick([1, 2, 5, 12, 30])
        self.table.lines = [self.line() for _ in range(count)]
        if self.table.parse_errors != "stop":
            self.table.lines = [line for line in self.table.lines if not line.doubt and line.wrong != "limit"]
        if self.chance(0.25) and self.table.lines:
            self.into()
        self.write()
        return self.table

    def settings(self):
        table = self.table
        table.arguments += ["--schema", "none"]
        table.mode = self.pick(["create", "create", "upsert", "merge", "replace"])
        table.arguments += ["--mode", table.mode]
        if self.chance(0.3) and self.messy:
            table.parse_errors = "skip-row"
            table.arguments += ["--parse-errors", "skip-row"]
        if self.chance(0.3):
            table.duplicates = self.pick(["first", "last"])
            table.arguments += ["--duplicates", table.duplicates]

    def into(self):
        table = self.table
        if any(line.doubt or line.wrong == "reserved" for line in table.lines) or table.lines[0].wrong:
            return
        table.into = self.pick(["teams", "teams/t1/people"])
        table.arguments += ["--collection", table.into]
        if self.chance(0.3):
            table.flat = True
            table.arguments += ["--flatten"]

    # Documents.

    def line(self):
        if self.messy and self.chance(0.04):
            return Line(self.pick(MALFORMED), wrong="malformed")
        if self.messy and self.chance(0.02):
            return Line(self.pick(LIMITS), wrong="limit")
        path, wrong = self.path(), ""
        if self.messy and self.chance(0.02):
            path, wrong = f"_gymmigrate_{self.pick('ab')}/x", "reserved"
        fields = self.fields(0)
        line = Line("", path, fields, wrong)
        line.text = self.written(line)
        return self.changed(line.text) if self.messy and self.chance(0.1) else line

    def changed(self, text):
        """A line with a character changed: what it is says the reader."""
        text = mutated(text, self.random).replace("\n", " ")
        try:
            path, fields = read_line(text)
        except Malformed:
            return Line(text, wrong="malformed") if text.strip() else Line(text, wrong="malformed", doubt="a blank line")
        except Open as open:
            return Line(text, wrong="limit", doubt=str(open) or text)
        return Line(text, path, fields)

    def path(self):
        number = f"d{self.random.randrange(10**6)}"
        id = self.pick(ODD_IDS) + ("" if self.messy else number) if self.chance(0.2) else number
        if self.chance(0.15):
            return f"things/p{self.random.randrange(3)}/parts/{id}"
        return f"{self.pick(['things'] * 9 + ['others'])}/{id}"

    def fields(self, depth):
        names = self.random.sample(NAMES[: 7 if depth else 10], self.random.randint(0, 4))
        return {name: self.value(depth) for name in names if name}

    def value(self, depth, within=""):
        chance = self.random
        kinds = {
            "nullValue": lambda: None, "booleanValue": lambda: self.chance(0.5), "stringValue": lambda: self.pick(TEXTS + [""]),
            "integerValue": lambda: str(self.pick([0, 7, -1, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)])),
            "doubleValue": lambda: self.pick([
                0.0, -0.0, 1.5, 1e22, 5e-324, 0.1, 0.30000000000000004, "NaN", "Infinity", "-Infinity", 10, 1e300,
            ]),
            "timestampValue": lambda: self.pick([
                "2026-01-31T18:00:00Z", "2026-01-31T18:00:00.5Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z",
                "2026-01-31T18:00:00.000001Z",
            ]),
            "bytesValue": lambda: base64.b64encode(chance.randbytes(chance.randrange(6))).decode(),
            "referenceValue": lambda: self.pick([
                "projects/o/databases/d/documents/cars/c1", "projects/p/databases/(default)/documents/a/b/c/d",
            ]),
            "geoPointValue": lambda: {"latitude": self.pick([0.0, -90.0, 19.4326]), "longitude": self.pick([0.5, 180.0, -99.1332])},
        }
        if depth < 3 and within != "array":
            kinds["arrayValue"] = lambda: {"values": [self.value(depth + 1, "array") for _ in range(chance.randrange(4))]}
        if depth < 3:
            kinds["mapValue"] = lambda: {"fields": self.fields(depth + 1)}
        kind = self.pick(list(kinds))
        return {kind: kinds[kind]()}

    # The file.

    def written(self, line):
        """A line of a document, with what an export or another program may have put into it."""
        name = line.path if self.chance(0.8) else f"projects/{self.pick('po')}/databases/x/documents/{line.path}"
        document = {"name": name, "fields": line.fields}
        if not line.fields and self.chance(0.5):
            del document["fields"]
        if self.chance(0.1):
            document |= {"createTime": "2026-01-01T00:00:00Z", "updateTime": "2026-01-01T00:00:00.000001Z"}
        if self.chance(0.1):
            # With a time it would stand for the document that was written then.
            document.pop("updateTime", None)
            document = {"code": "ALREADY_EXISTS", "message": "x", "path": line.path, "document": document}
        if self.chance(0.5):
            document = dict(reversed(document.items()))
        spaces = {"separators": self.pick([(",", ":"), (", ", ": "), (" ,\t", " : ")])}
        return json.dumps(document, ensure_ascii=self.chance(0.5), **spaces)

    def write(self):
        table = self.table
        lines = [line.text for line in table.lines]
        if self.chance(0.15):
            lines.insert(self.random.randint(0, len(lines)), self.pick(["", "", " "]))
        end = self.pick(["\n", "\n", "\r\n"])
        content = ("\ufeff" if self.chance(0.1) else "") + end.join(lines) + (end if self.chance(0.8) else "")
        table.content = content.encode()
        if self.chance(0.15):
            half = len(table.content) // 2
            table.content = gzip.compress(table.content[:half], mtime=0) + gzip.compress(table.content[half:], mtime=0)
            table.file += ".gz"

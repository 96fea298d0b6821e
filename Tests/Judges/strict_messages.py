"""Reads what goes over the wire strictly into Google's own protobuf messages, and checks what those cannot know.

Every request is one of `google.firestore.v1`; an unknown member, a name that is not the JSON one, a value that would be
read as something else than was written, or a rule of the service that is broken raises `Wrong`.
"""

import collections
import json
import re
import urllib.parse

from google.cloud.firestore_admin_v1 import types as admin
from google.cloud.firestore_v1 import types
from google.protobuf import json_format
from google.rpc import code_pb2

UNRESERVED = frozenset(b"-_.~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
SEGMENT = re.compile(r"(?:[-_.~0-9A-Za-z]|%[0-9A-F]{2})+")
SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
QUOTED = re.compile(r"`((?:[^`\\]|\\.)+)`", re.DOTALL)
RESERVED = re.compile(r"__.*__", re.DOTALL)
NUMERIC = re.compile(r"__id-?[1-9][0-9]*__")
TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z")

# Verb: request, answer, what the path gives, whether the answer is a stream.
METHODS = {
    "commit": (types.CommitRequest, types.CommitResponse, "database", False),
    "batchWrite": (types.BatchWriteRequest, types.BatchWriteResponse, "database", False),
    "batchGet": (types.BatchGetDocumentsRequest, types.BatchGetDocumentsResponse, "database", True),
    "runQuery": (types.RunQueryRequest, types.RunQueryResponse, "parent", True),
    "runAggregationQuery": (types.RunAggregationQueryRequest, types.RunAggregationQueryResponse, "parent", True),
    "listCollectionIds": (types.ListCollectionIdsRequest, types.ListCollectionIdsResponse, "parent", False),
    "partitionQuery": (types.PartitionQueryRequest, types.PartitionQueryResponse, "parent", False),
    "beginTransaction": (types.BeginTransactionRequest, types.BeginTransactionResponse, "database", False),
    "rollback": (types.RollbackRequest, None, "database", False),
}


class Wrong(Exception):
    """Something on the wire is not as the service wants it."""


def need(condition, text):
    if not condition:
        raise Wrong(text)


class Judge:
    """Judges exchanges with databases and counts what it saw: methods, answers and the kinds of things in them.

    Whatever an exchange names is in the database of its URL. `moments` holds the read times of documents by phase and
    database, as text, "" for the present. `open` holds the transactions that are neither committed nor rolled back.
    """

    def __init__(self, *databases):
        self.databases = databases
        self.database, self.documents = databases[0], f"{databases[0]}/documents"
        self.open = {}
        self.ended = set()
        self.requests = collections.Counter()
        self.answers = collections.Counter()
        self.seen = collections.Counter()
        self.moments = collections.defaultdict(set)

    def exchange(self, exchange):
        """Judges a request and its answer; returns the request as a message."""
        path, _, query = exchange.target.partition("?")
        name, verb = self.path(path)
        parameters = self.query(query)
        need(parameters.pop("prettyPrint", None) == ["false"], "prettyPrint=false is missing")
        if exchange.method == "GET":
            need(not exchange.body and "content-type" not in exchange.headers, "a GET has no body")
            kind, message, answer, stream = self.get(name, verb, parameters)
        else:
            need(exchange.method == "POST", f"{exchange.method} is not used")
            need(not parameters, f"a POST with parameters {list(parameters)}")
            need(exchange.headers.get("content-type") == "application/json", "Content-Type")
            need(verb in METHODS, f"verb {verb}")
            request, answer, bound, stream = METHODS[verb]
            kind, message = verb, self.parse(request, exchange.body, "request")
            need(not getattr(message, bound), f"{bound} is in the body and in the path")
            if bound == "database":
                need(name == self.documents, f"{verb} on {name}")
                message.database = self.database
            else:
                message.parent = name
            getattr(self, verb)(message, exchange)
        if getattr(message, "transaction", b"") and kind not in ("commit", "rollback"):
            self.inside_transaction(message)
        elif kind in ("listDocuments", "runQuery"):
            read = message.read_time
            moment = read.ToJsonString() if message.HasField("read_time") else ""
            self.moments[exchange.phase, self.database].add(moment)
        self.requests[kind] += 1
        self.answer(kind, answer, stream, exchange)
        return message

    # Transactions

    def inside_transaction(self, message):
        """A read in a transaction: one that is open, of this database, and at no other moment than its own."""
        need(self.open.get(message.transaction) == self.database, "a read in a transaction that is not open")
        self.seen["read in a transaction"] += 1

    def end(self, message, exchange, what):
        known = self.open.get(message.transaction) or message.transaction in self.ended and self.database
        need(known == self.database, f"the {what} of a transaction that nobody began")
        need(what == "rollback" or message.transaction in self.open, "a commit of a transaction that has ended")
        if exchange.status == 200:
            self.open.pop(message.transaction, None)
            self.ended.add(message.transaction)
        self.seen[f"transaction {what}"] += 1

    # What is in a URL

    def path(self, path):
        """The name and the verb of a path that is encoded as it has to be and no more than that."""
        need(path.startswith("/v1/"), f"path {path}")
        for database in self.databases:
            if path[4:].startswith((f"{database}/", f"{database}:")) or path[4:] == database:
                self.database, self.documents = database, f"{database}/documents"
        path, colon, verb = path[4:].partition(":")
        segments = path.split("/")
        for segment in segments:
            need(SEGMENT.fullmatch(segment), f"segment {segment!r} of a path")
            need(segment not in (".", ".."), "a segment that a proxy would resolve")
            self.minimal(segment)
        name = "/".join(decoded(s) for s in segments)
        need(name.count("/") == len(segments) - 1, "a slash within a segment")
        if name != self.database:
            self.inside(name)
            if len(segments) > 5:
                self.ids(segments=name.split("/")[5:])
        self.seen["encoded path"] += "%" in "/".join(segments[5:])
        return name, verb if colon else None

    def minimal(self, text):
        for byte in re.findall(r"%(..)", text):
            need(int(byte, 16) not in UNRESERVED, f"%{byte} need not be encoded")

    def query(self, text):
        parameters = collections.defaultdict(list)
        for pair in text.split("&"):
            name, equals, value = pair.partition("=")
            need(equals and re.fullmatch(r"[A-Za-z.$]+", name), f"parameter {pair!r}")
            need(not value or SEGMENT.fullmatch(value), f"{name} is not encoded: {value!r}")
            self.minimal(value)
            parameters[name].append(decoded(value))
        return parameters

    def get(self, name, verb, parameters):
        need(verb is None, f"GET with :{verb}")
        if name == self.database:
            need(not parameters, "parameters of databases.get")
            return "getDatabase", admin.GetDatabaseRequest.pb(admin.GetDatabaseRequest(name=name)), admin.Database, False
        segments = name.split("/")[5:]
        members = {}
        for key, values in parameters.items():
            if key == "mask.fieldPaths":
                members["mask"] = {"fieldPaths": values}
                continue
            need(len(values) == 1, f"{key} twice")
            if key == "pageSize":
                need(re.fullmatch(r"[1-9][0-9]*", values[0]) and int(values[0]) <= 300, f"pageSize {values[0]}")
                members[key] = int(values[0])
            elif key == "showMissing":
                need(values[0] in ("true", "false"), f"showMissing {values[0]}")
                members[key] = values[0] == "true"
            else:
                members[key] = values[0]
        if len(segments) % 2:
            request, answer, kind = types.ListDocumentsRequest, types.ListDocumentsResponse, "listDocuments"
            need("pageSize" in members, "a list without a pageSize gives 20")
        else:
            request, answer, kind = types.GetDocumentRequest, types.Document, "getDocument"
        message = self.parse(request, json.dumps(members).encode(), "query")
        if kind == "listDocuments":
            message.parent, message.collection_id = name.rsplit("/", 1)
            need(not (message.show_missing and message.order_by), "showMissing with orderBy")
        else:
            message.name = name
        self.mask(message.mask.field_paths)
        for key in members:
            self.seen[f"GET {key}"] += 1
        return kind, message, answer, False

    # What is in a body

    def parse(self, type, body, what):
        """A message that holds what the JSON says, no more and no less."""
        return self.parsed(type, strict_json(body), what)

    def parsed(self, type, members, what):
        need(isinstance(members, dict), f"a {what} that is no object")
        message = type.pb(type())
        try:
            # Again from text, because that is what the service parses.
            json_format.Parse(json.dumps(members), message, ignore_unknown_fields=False)
        except json_format.ParseError as error:
            raise Wrong(f"{what} {message.DESCRIPTOR.name}: {error}") from None
        self.same(members, json_format.MessageToDict(message), f"{what} {message.DESCRIPTOR.name}")
        return message

    def same(self, sent, read, at):
        """Members that were sent are there under the same names, but for those that are empty."""
        if isinstance(sent, dict) and isinstance(read, dict):
            for key in read:
                need(key in sent, f"{at}.{key} is spelt otherwise")
            for key, value in sent.items():
                if key.endswith("Value"):
                    self.seen[f"{at.split()[0]} {key}"] += 1
                if key in read:
                    self.same(value, read[key], f"{at}.{key}")
                else:
                    need(not value and value is not None or str(value) == "-0.0", f"{at}.{key} is not known")
        elif isinstance(sent, list) and isinstance(read, list):
            need(len(sent) == len(read), f"{at} has another length")
            for one, other in zip(sent, read):
                self.same(one, other, at)
        elif isinstance(sent, str) and isinstance(read, str) and sent != read:
            need(TIME.fullmatch(sent) and moment(sent) == moment(read), f"{at} is read as another text")
        elif isinstance(sent, bool) or isinstance(read, bool) or isinstance(sent, str) or isinstance(read, str):
            need(type(sent) is type(read) and sent == read, f"{at} is read otherwise")
        elif sent is not None or read is not None:
            need(float(sent).hex() == float(read).hex(), f"{at} is read as another number")

    def commit(self, message, exchange):
        self.writes(message, exchange)
        if message.transaction:
            self.end(message, exchange, "commit")

    def batchWrite(self, message, exchange):
        self.writes(message, exchange)

    def writes(self, message, exchange):
        need(1 <= len(message.writes) <= 500, f"{len(message.writes)} writes")
        need(len(exchange.body) <= 10 << 20, f"a body of {len(exchange.body)} bytes")
        names = set()
        for write in message.writes:
            operation = write.WhichOneof("operation")
            need(operation in ("update", "delete"), f"a write that is {operation}")
            name = write.delete if operation == "delete" else write.update.name
            self.name(name)
            need(name not in names, f"{name} is written twice in one commit")
            names.add(name)
            need(write.HasField("current_document"), f"{name} is written whatever it is")
            condition = write.current_document.WhichOneof("condition_type")
            need(condition, f"an empty precondition of {name}")
            makes = condition == "exists" and not write.current_document.exists
            self.seen[f"precondition {condition}"] += 1
            self.seen[f"write {operation}"] += 1
            if operation == "delete":
                need(not write.HasField("update_mask") and not write.update_transforms, "a delete with a mask")
                continue
            need(not write.update.HasField("create_time") and not write.update.HasField("update_time"), "times")
            masked = write.HasField("update_mask")
            mask = self.mask(write.update_mask.field_paths)
            targets = self.mask([t.field_path for t in write.update_transforms], many=True)
            self.seen["updateMask"] += masked
            self.seen["empty updateMask"] += masked and not mask
            self.seen["updateTransforms"] += bool(targets)
            need(masked or makes or not targets, f"{name}: a transform would replace the document")
            need(masked or makes or not exchange.phase.startswith("partial"), f"{name}: replaced as a whole")
            for path in mask:
                for target in targets:
                    need(path[: len(target)] != target[: len(path)], f"{name}: a transform's path is in the mask")
                for other in mask:
                    need(path is other or path != other[: len(path)], f"{name}: a path of the mask is in another")
            if masked:
                for path in leaves(write.update.fields):
                    need(any(path[: len(m)] == m for m in mask), f"{name}: {path} is sent and not in the mask")
            self.fields(write.update.fields)

    def batchGet(self, message, exchange):
        need(1 <= len(message.documents) <= 1000, f"{len(message.documents)} names in one batchGet")
        for name in message.documents:
            self.name(name)
        need(not message.HasField("mask") or message.mask.field_paths, "an empty mask reads nothing")
        self.mask(message.mask.field_paths)
        if message.HasField("new_transaction"):
            self.begin(message.new_transaction, exchange, types.BatchGetDocumentsResponse, stream=True)

    def runQuery(self, message, exchange):
        need(message.HasField("structured_query"), "no query")
        self.structured(message.structured_query)
        orders = [o.field.field_path for o in message.structured_query.order_by]
        need(orders and orders[-1] == "__name__", "an order that is not total")
        self.seen["readTime in a body"] += message.HasField("read_time")

    def runAggregationQuery(self, message, exchange):
        query = message.structured_aggregation_query
        self.structured(query.structured_query)
        need(1 <= len(query.aggregations) <= 5, "1 to 5 aggregations")
        for aggregation in query.aggregations:
            need(aggregation.WhichOneof("operator"), "an aggregation of nothing")

    def listCollectionIds(self, message, exchange):
        need(1 <= message.page_size <= 300, f"pageSize {message.page_size}")

    def partitionQuery(self, message, exchange):
        self.structured(message.structured_query)

    def beginTransaction(self, message, exchange):
        self.begin(message.options, exchange, types.BeginTransactionResponse)

    def begin(self, options, exchange, type, stream=False):
        """A transaction that begins by itself, or with the first read in it, whose answer has it in its first element."""
        need(options.WhichOneof("mode"), "a transaction that is neither to read nor to write")
        again = options.read_write.retry_transaction
        need(not again or again in self.ended, "a transaction repeats one that has not ended")
        if exchange.status != 200:
            return
        answer = strict_json(exchange.answer)
        begun = self.parsed(type, answer[0] if stream else answer, "answer").transaction
        need(begun and begun not in self.open and begun not in self.ended, "a transaction that has begun already")
        self.open[begun] = self.database

    def rollback(self, message, exchange):
        self.end(message, exchange, "rollback")

    def structured(self, query):
        selectors = query.from_
        need(len(selectors) == 1, "one selector")
        selector = selectors[0]
        need(selector.collection_id or selector.all_descendants, "neither a collection nor descendants")
        self.seen["all collections below"] += not selector.collection_id
        self.seen["collection group"] += bool(selector.collection_id and selector.all_descendants)
        if query.HasField("where"):
            self.filter(query.where)
        for order in query.order_by:
            self.mask([order.field.field_path])
            need(order.direction in (1, 2), "a direction")
            self.seen[f"order {order.direction}"] += 1
        self.mask([f.field_path for f in query.select.fields])
        self.seen["select"] += query.HasField("select")
        self.seen["limit"] += query.HasField("limit")
        for cursor in (query.start_at, query.end_at):
            need(len(cursor.values) <= len(query.order_by), "a cursor of more values than orders")
            for value, order in zip(cursor.values, query.order_by):
                if order.field.field_path == "__name__":
                    self.name(value.reference_value)
        self.seen["startAt"] += query.HasField("start_at")
        need(not query.offset, "skipped documents are billed")

    def filter(self, filter):
        kind = filter.WhichOneof("filter_type")
        need(kind, "an empty filter")
        inner = getattr(filter, kind)
        need(inner.op, "a filter without an operator")
        op = inner.DESCRIPTOR.fields_by_name["op"].enum_type.values_by_number[inner.op].name
        self.seen[f"filter {op}"] += 1
        if kind == "composite_filter":
            need(inner.filters, "a composite filter of nothing")
            for one in inner.filters:
                self.filter(one)
            return
        self.mask([inner.field.field_path])
        if kind == "unary_filter":
            return
        value = inner.value
        need(value.WhichOneof("value_type"), "a filter without a value")
        if op in ("IN", "NOT_IN", "ARRAY_CONTAINS_ANY"):
            need(1 <= len(value.array_value.values) <= (10 if op == "NOT_IN" else 30), f"{op} of too many or none")
        if inner.field.field_path == "__name__":
            for one in value.array_value.values or [value]:
                # The bounds of a subtree are names of no collection that there could be.
                need(one.reference_value.startswith(f"{self.documents}/"), f"a name of {one.reference_value}")

    # Names and fields

    def inside(self, name):
        need(name == self.documents or name.startswith(f"{self.documents}/"), f"{name} is in another database")

    def name(self, name):
        self.inside(name)
        segments = name.split("/")[5:]
        need(segments and len(segments) % 2 == 0, f"{name} is not the name of a document")
        need(len(name.encode()) <= 6 << 10, "a name over 6 KiB")
        self.ids(segments)

    def ids(self, segments):
        for index, id in enumerate(segments):
            need(1 <= len(id.encode()) <= 1500 and id not in (".", ".."), f"id {id!r}")
            need(not RESERVED.fullmatch(id) or index % 2 and NUMERIC.fullmatch(id), f"reserved id {id!r}")

    def mask(self, paths, many=False):
        """The paths as tuples of names."""
        parsed = [field_path(path) for path in paths]
        need(many or len(set(parsed)) == len(parsed), "a path twice in a mask")
        return parsed

    def fields(self, fields):
        for name, value in fields.items():
            need(1 <= len(name.encode()) <= 1500 and not RESERVED.fullmatch(name) or name == "__type__", "a field name")
            self.value(value)

    def value(self, value):
        kind = value.WhichOneof("value_type")
        need(kind, "a value without a value")
        if kind == "map_value":
            self.fields(value.map_value.fields)
        elif kind == "array_value":
            for one in value.array_value.values:
                need(one.WhichOneof("value_type") != "array_value", "an array in an array")
                self.value(one)

    # Answers

    def answer(self, kind, type, stream, exchange):
        need(exchange.answer_headers.get("content-type", "").lower() == "application/json; charset=utf-8", "answer type")
        members = strict_json(exchange.answer)
        if exchange.status != 200:
            if stream:
                need(isinstance(members, list) and len(members) == 1, "the error of a stream is in an array")
                members = members[0]
            need(set(members) == {"error"}, f"an error of {list(members)}")
            error = members["error"]
            need({"code", "message", "status"} <= set(error) <= {"code", "message", "status", "details"}, f"{error}")
            need(error["code"] == exchange.status and error["message"], f"{error}")
            need(error["status"] in code_pb2.Code.keys(), f"{error}")
            self.answers["error"] += 1
            self.seen[f"error {error['status']}"] += 1
            return
        need(isinstance(members, list) if stream else isinstance(members, dict), "a stream is an array, nothing else")
        if type is None:
            need(members == {}, "an empty answer")
        for element in [] if type is None else members if stream else [members]:
            message = self.parsed(type, element, "answer")
            if kind == "batchGet":
                need(message.WhichOneof("result") or message.transaction, "neither found nor missing")
                if not message.WhichOneof("result"):
                    continue
            for name in answered(kind, message):
                self.inside(name)
        self.answers[kind] += 1


def answered(kind, message):
    if kind == "listDocuments":
        return [document.name for document in message.documents]
    if kind == "runQuery":
        return [message.document.name] if message.HasField("document") else []
    if kind == "batchGet":
        return [message.found.name or message.missing]
    return []


def leaves(fields, above=()):
    """The paths of all values that are no maps, and of empty maps."""
    for name, value in fields.items():
        inner = value.map_value.fields if value.WhichOneof("value_type") == "map_value" else None
        if inner:
            yield from leaves(inner, above + (name,))
        else:
            yield above + (name,)


def field_path(text):
    """The names in a field path, by the service's grammar and as simply written as can be."""
    names, rest = [], text
    while True:
        if simple := SIMPLE.match(rest):
            name = simple[0]
            rest = rest[simple.end() :]
        else:
            quoted = QUOTED.match(rest)
            need(quoted, f"{text!r} is no field path")
            name = re.sub(r"\\(.)", r"\1", quoted[1], flags=re.DOTALL)
            need(not SIMPLE.fullmatch(name), f"{text!r} quotes what needs no quotes")
            need(quoted[1] == name.replace("\\", "\\\\").replace("`", "\\`"), f"{text!r} escapes something else")
            rest = rest[quoted.end() :]
        need(not RESERVED.fullmatch(name) or text == "__name__", f"{text!r} is reserved")
        names.append(name)
        if not rest:
            return tuple(names)
        need(rest[0] == ".", f"{text!r} is no field path")
        rest = rest[1:]


def decoded(text):
    try:
        return urllib.parse.unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise Wrong(f"{text!r} is no UTF-8") from None


def moment(text):
    seconds, digits = TIME.fullmatch(text).groups()
    return seconds, (digits or "").rstrip("0")


def strict_json(data):
    """JSON in UTF-8, no member twice, no lone surrogate, no number that JSON does not have."""

    def once(pairs):
        need(len(dict(pairs)) == len(pairs), "a member twice")
        return dict(pairs)

    def none(token):
        raise Wrong(f"{token} is no JSON")

    def integer(token):
        need(token != "-0", "-0 is an integer to many parsers, and 0")
        return int(token)

    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=once, parse_constant=none, parse_int=integer)
    except ValueError as error:
        raise Wrong(f"no JSON: {error}") from None

#!/usr/bin/env python3
"""Drives a Firestore REST endpoint with Google's own Python client, as a judge of the embedded store.

    pip install google-cloud-firestore
    python3 python_client.py http://127.0.0.1:8080

Exits 0 where every expectation holds. Everything is written to a project of its own, named by a random number, so the
script runs against any server that makes projects on first use.
"""

import datetime
import random
import string
import sys
import traceback

from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import firestore
from google.cloud.firestore_v1 import aggregation, types
from google.cloud.firestore_v1.base_query import And, FieldFilter, Or
from google.cloud.firestore_v1.services.firestore import FirestoreClient
from google.cloud.firestore_v1.services.firestore.transports import FirestoreRestTransport
from google.cloud.firestore_v1.vector import Vector

UTC = datetime.timezone.utc

# Over REST the client distinguishes errors by their HTTP codes alone.
INVALID_ARGUMENT = FAILED_PRECONDITION = exceptions.BadRequest
ALREADY_EXISTS = ABORTED = exceptions.Conflict
NOT_FOUND = exceptions.NotFound
UNIMPLEMENTED = exceptions.MethodNotImplemented


def connect(endpoint, project, database=None):
    scheme, host = endpoint.split("://")
    transport = FirestoreRestTransport(
        host=host, url_scheme=scheme, credentials=AnonymousCredentials()
    )
    client = firestore.Client(
        project=project, credentials=AnonymousCredentials(), database=database
    )
    # The high-level client over the REST transport: its own constructor only knows gRPC.
    client._firestore_api_internal = FirestoreClient(transport=transport)
    return client


def raises(kind, action):
    try:
        action()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised")


def values_round_trip(db):
    fields = {
        "null": None,
        "true": True,
        "false": False,
        "zero": 0,
        "big": 2**63 - 1,
        "small": -(2**63),
        "double": 1.5,
        "integral": 2.0,
        "huge": 1e308,
        "tiny": 5e-324,
        "infinity": float("inf"),
        "text": "é😀\u0000\n\"\\",
        "empty": "",
        "bytes": b"\x00\xff",
        "no bytes": b"",
        "time": datetime.datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC),
        "old": datetime.datetime(1, 1, 1, tzinfo=UTC),
        "place": firestore.GeoPoint(1.5, -2),
        "origin": firestore.GeoPoint(0, 0),
        "reference": db.document("other/1"),
        "array": [1, "a", {"b": [2]}],
        "no array": [],
        "map": {"a.b": {"c": 1}, "`": 2, "é": 3},
        "no map": {},
        "vector": Vector([1.0, 2.5]),
    }
    document = db.collection("values").document("all")
    document.set(fields)
    read = document.get().to_dict()
    assert read == fields, {k: (read.get(k), v) for k, v in fields.items() if read.get(k) != v}
    assert type(read["zero"]) is int and type(read["integral"]) is float
    nan = db.document("values/nan")
    nan.set({"n": float("nan")})
    assert nan.get().to_dict()["n"] != nan.get().to_dict()["n"]


def strange_ids(db):
    # The client does not percent-encode ids in URLs; names in bodies are not concerned.
    ids = ["a\0b", "a:b", "a b", "é", "%2F", "100%", "#", "?", "a+b", "__id7__", "😀", "(", "~"]
    batch = db.batch()
    for id in ids:
        batch.set(db.collection("ids").document(id), {"id": id})
    batch.commit()
    found = [d.id for d in db.collection("ids").stream()]
    assert found == ["__id7__"] + sorted((i for i in ids if i != "__id7__"), key=lambda i: i.encode()), found
    for snapshot in db.get_all([db.collection("ids").document(i) for i in ids]):
        assert snapshot.exists and snapshot.to_dict()["id"] == snapshot.id


def writes(db):
    document = db.document("writes/w")
    first = document.create({"a": 1, "m": {"x": 1, "y": 2}, "list": [1, 2]})
    raises(ALREADY_EXISTS, lambda: document.create({}))
    raises(NOT_FOUND, lambda: db.document("writes/none").update({"a": 1}))
    assert db.document("writes/none").get().exists is False
    # A write that changes nothing keeps the time.
    assert document.set({"a": 1, "m": {"x": 1, "y": 2}, "list": [1, 2]}).update_time == first.update_time
    document.update({"m.x": firestore.DELETE_FIELD, "a": firestore.Increment(2), "list": firestore.ArrayUnion([2, 3])})
    assert document.get().to_dict() == {"a": 3, "m": {"y": 2}, "list": [1, 2, 3]}
    document.update({"list": firestore.ArrayRemove([1, 2.0]), "a": firestore.Maximum(10), "b": firestore.Minimum(1.5)})
    assert document.get().to_dict() == {"a": 10, "b": 1.5, "m": {"y": 2}, "list": [3]}
    document.set({"m": {"z": 3}}, merge=True)
    assert document.get().to_dict()["m"] == {"y": 2, "z": 3}
    document.set({"t": firestore.SERVER_TIMESTAMP}, merge=True)
    assert abs((document.get().to_dict()["t"] - datetime.datetime.now(UTC)).total_seconds()) < 60
    snapshot = document.get()
    stale = db.write_option(last_update_time=first.update_time)
    raises(FAILED_PRECONDITION, lambda: document.update({"a": 0}, option=stale))
    document.update({"a": 0}, option=db.write_option(last_update_time=snapshot.update_time))
    assert document.get().create_time == snapshot.create_time
    document.delete()
    document.delete()
    raises(NOT_FOUND, lambda: document.delete(option=db.write_option(exists=True)))

    batch = db.batch()
    batch.set(db.document("writes/x"), {})
    batch.update(db.document("writes/none"), {"a": 1})
    raises(NOT_FOUND, batch.commit)
    assert not db.document("writes/x").get().exists, "a commit is all or nothing"


def refusals(db):
    document = db.document("refused/r")
    for fields in [
        {"a": [[1]]},
        {"__a__": 1},
        {"a": "x" * 1048488},
        {"a": "x" * 600000, "b": "x" * 600000},
        {"": 1},
        {"x" * 1501: 1},
    ]:
        raises((INVALID_ARGUMENT, ValueError), lambda: document.set(fields))
    deep = 1
    for _ in range(22):
        deep = {"a": deep}
    raises(INVALID_ARGUMENT, lambda: document.set(deep))
    document.set(deep["a"])
    for id in [".", "..", "__x__", "x" * 1501]:
        raises(INVALID_ARGUMENT, lambda: _set(db, id))
    raises(INVALID_ARGUMENT, lambda: list(db.collection("c").limit(-1).stream()))


def _set(db, id):
    batch = db.batch()
    batch.set(db.collection("refused").document(id), {})
    batch.commit()


def queries(db):
    cities = db.collection("cities")
    data = {
        "SF": {"name": "San Francisco", "population": 860000, "capital": False, "regions": ["west", "norcal"]},
        "LA": {"name": "Los Angeles", "population": 3900000, "capital": False, "regions": ["west", "socal"]},
        "DC": {"name": "Washington", "population": 680000.0, "capital": True, "regions": ["east"]},
        "TOK": {"name": "Tokyo", "population": 9000000, "capital": True, "regions": ["kanto"]},
        "BJ": {"name": "Beijing", "population": None, "capital": True},
        "NAN": {"name": "Nowhere", "population": float("nan")},
    }
    batch = db.batch()
    for id, fields in data.items():
        batch.set(cities.document(id), fields)
    batch.commit()

    def ids(query):
        return [d.id for d in query.stream()]

    def where(field, op, value):
        return FieldFilter(field, op, value)

    assert ids(cities) == ["BJ", "DC", "LA", "NAN", "SF", "TOK"]
    assert ids(cities.where(filter=where("capital", "==", True))) == ["BJ", "DC", "TOK"]
    assert ids(cities.where(filter=where("population", ">", 700000))) == ["SF", "LA", "TOK"]
    assert ids(cities.where(filter=where("population", "==", 680000))) == ["DC"]
    assert ids(cities.where(filter=where("population", "==", None))) == ["BJ"]
    assert ids(cities.where(filter=where("population", "==", float("nan")))) == ["NAN"]
    assert ids(cities.where(filter=where("population", "!=", None))) == ["NAN", "DC", "SF", "LA", "TOK"]
    assert ids(cities.where(filter=where("population", "!=", 860000))) == ["NAN", "DC", "LA", "TOK"]
    assert ids(cities.where(filter=where("population", "in", [860000, 680000]))) == ["DC", "SF"]
    assert ids(cities.where(filter=where("population", "not-in", [860000, 680000]))) == ["NAN", "LA", "TOK"]
    assert ids(cities.where(filter=where("regions", "array_contains", "west"))) == ["LA", "SF"]
    assert ids(cities.where(filter=where("regions", "array_contains_any", ["east", "kanto"]))) == ["DC", "TOK"]
    assert ids(
        cities.where(filter=And([where("capital", "==", True), where("population", "<", 5000000)]))
    ) == ["DC"]
    assert ids(
        cities.where(filter=Or([where("name", "==", "Tokyo"), where("population", ">", 3000000)]))
    ) == ["LA", "TOK"]
    assert ids(cities.order_by("population", direction="DESCENDING").limit(2)) == ["TOK", "LA"]
    assert ids(cities.order_by("population")) == ["BJ", "NAN", "DC", "SF", "LA", "TOK"]
    assert ids(cities.order_by("name").offset(1).limit(2)) == ["LA", "NAN"]
    assert ids(cities.order_by("population").start_at({"population": 860000})) == ["SF", "LA", "TOK"]
    assert ids(cities.order_by("population").start_after({"population": 860000}).end_at({"population": 3900000})) == ["LA"]
    assert ids(cities.order_by("population").end_before({"population": 860000})) == ["BJ", "NAN", "DC"]
    assert ids(cities.order_by("name").start_after(cities.document("SF").get())) == ["TOK", "DC"]
    assert [d.id for d in cities.order_by("name").limit_to_last(2).get()] == ["TOK", "DC"]
    assert ids(cities.where(filter=where("__name__", ">=", cities.document("LA")))) == ["LA", "NAN", "SF", "TOK"]
    assert ids(cities.where(filter=where("__name__", "in", [cities.document("LA"), cities.document("X")]))) == ["LA"]
    assert ids(cities.order_by("__name__", direction="DESCENDING").limit(2)) == ["TOK", "SF"]
    selected = next(cities.where(filter=where("name", "==", "Tokyo")).select(["population"]).stream())
    assert selected.to_dict() == {"population": 9000000}
    assert next(cities.select([]).limit(1).stream()).to_dict() == {}
    assert ids(db.collection("nothing")) == []
    raises(INVALID_ARGUMENT, lambda: ids(cities.where(filter=where("population", "in", list(range(31))))))
    raises(INVALID_ARGUMENT, lambda: ids(cities.where(filter=where("population", "not-in", list(range(11))))))

    query = aggregation.AggregationQuery(cities.order_by("__name__"))
    query.count(alias="n")
    assert query.get()[0][0].value == 6
    query = aggregation.AggregationQuery(cities.where(filter=where("capital", "==", True)))
    query.sum("population", alias="s")
    query.avg("population", alias="a")
    assert {r.alias: r.value for r in query.get()[0]} == {"s": 9680000.0, "a": 4840000.0}
    query = aggregation.AggregationQuery(db.collection("nothing").limit(9))
    query.count()
    query.sum("x", alias="s")
    query.avg("x", alias="a")
    # The client has no null: the mean of nothing is 0.0 to it.
    assert {r.alias: r.value for r in query.get()[0]} == {"field_1": 0, "s": 0, "a": 0}
    assert cities.limit(3).count(alias="n").get()[0][0].value == 3


def trees(db):
    batch = db.batch()
    for path in ["groups/g1/members/a", "groups/g1/members/b", "groups/g2/members/a", "members/z", "groups/g2"]:
        batch.set(db.document(path), {"path": path})
    batch.commit()
    found = [d.reference.path for d in db.collection_group("members").stream()]
    assert found == ["groups/g1/members/a", "groups/g1/members/b", "groups/g2/members/a", "members/z"], found
    assert [d.id for d in db.collection("groups").stream()] == ["g2"]
    assert [d.id for d in db.collection("groups").list_documents()] == ["g1", "g2"]
    assert [c.id for c in db.document("groups/g1").collections()] == ["members"]
    assert "groups" in [c.id for c in db.collections()]
    assert [d.id for d in db.collection("groups/g1/members").stream()] == ["a", "b"]
    assert list(db.collection_group("members").get_partitions(3))
    assert db.recursive_delete(db.collection("groups")) == 4
    assert [d.id for d in db.collection("groups").list_documents()] == []


def pages(db):
    batch = db.batch()
    for number in range(650):
        batch.set(db.collection("pages").document(f"{number:04}"), {"n": number})
    batch.commit()
    assert [d.to_dict()["n"] for d in db.collection("pages").stream()] == list(range(650))
    assert len(list(db.collection("pages").list_documents(page_size=1000))) == 650
    api = db._firestore_api
    first = next(api.list_documents(request={"parent": db._database_string + "/documents", "collection_id": "pages"}).pages)
    assert len(first.documents) == 20
    partitions = list(db.collection_group("pages").get_partitions(4))
    assert len(partitions) > 1
    assert sum(len(list(p.query().stream())) for p in partitions) == 650


def transactions(db):
    counter = db.document("counters/c")
    counter.set({"n": 0})

    @firestore.transactional
    def increment(transaction):
        n = counter.get(transaction=transaction).to_dict()["n"]
        transaction.update(counter, {"n": n + 1})
        return n

    for expected in range(3):
        assert increment(db.transaction()) == expected
    attempts = []

    # The client retries on gRPC's ABORTED only, so the conflict comes through here.
    @firestore.transactional
    def contended(transaction):
        n = counter.get(transaction=transaction).to_dict()["n"]
        counter.update({"n": 10})
        transaction.update(counter, {"n": n + 1})

    raises(ABORTED, lambda: contended(db.transaction()))
    assert counter.get().to_dict() == {"n": 10}

    @firestore.transactional
    def phantom(transaction):
        found = len(list(db.collection("counters").stream(transaction=transaction)))
        db.document("counters/new").set({})
        transaction.set(db.document("counters/result"), {"found": found})

    raises(ABORTED, lambda: phantom(db.transaction()))
    assert not db.document("counters/result").get().exists

    @firestore.transactional
    def read_only(transaction):
        return counter.get(transaction=transaction).to_dict()["n"]

    assert read_only(db.transaction(read_only=True)) == 10


def past(db):
    document = db.document("past/p")
    document.set({"v": 1})
    then = document.get().read_time
    document.set({"v": 2})
    db.document("past/q").set({"v": 3})
    assert document.get(read_time=then).to_dict() == {"v": 1}
    assert [d.id for d in db.collection("past").stream(read_time=then)] == ["p"]
    document.delete()
    assert [d.to_dict() for d in db.collection("past").stream(read_time=then)] == [{"v": 1}]
    assert db.collection("past").count().get(read_time=then)[0][0].value == 1
    assert document.get(read_time=then).exists
    long_ago = datetime.datetime.now(UTC) - datetime.timedelta(hours=2)
    raises(FAILED_PRECONDITION, lambda: document.get(read_time=long_ago))
    ahead = datetime.datetime.now(UTC) + datetime.timedelta(hours=2)
    raises(INVALID_ARGUMENT, lambda: document.get(read_time=ahead))


def batch_write(db):
    db.document("bulk/there").set({})
    api = db._firestore_api
    name = lambda id: f"{db._database_string}/documents/bulk/{id}"
    update = lambda id: types.Write(
        update=types.Document(name=name(id)), current_document=types.Precondition(exists=False)
    )
    answer = api.batch_write(
        request={"database": db._database_string, "writes": [update("there"), update("new")]}
    )
    assert [s.code for s in answer.status] == [6, 0]
    assert db.document("bulk/new").get().exists
    raises(
        INVALID_ARGUMENT,
        lambda: api.batch_write(request={"database": db._database_string, "writes": [update("a"), update("a")]}),
    )
    writer = db.bulk_writer()
    for number in range(50):
        writer.create(db.document(f"bulk/{number}"), {"n": number})
    writer.close()
    assert db.collection("bulk").count().get()[0][0].value == 52


def single_documents(db):
    api = db._firestore_api
    parent = db._database_string + "/documents"
    # The client's own pattern of URLs has no room for a root collection here.
    made = api.create_document(
        request={"parent": parent + "/single/parent", "collection_id": "single", "document": types.Document(fields={"a": types.Value(integer_value=1)})}
    )
    id = made.name.rsplit("/", 1)[1]
    assert len(id) == 20 and all(c in string.ascii_letters + string.digits for c in id)
    changed = api.update_document(
        request={
            "document": types.Document(name=made.name, fields={"b": types.Value(integer_value=2)}),
            "update_mask": {"field_paths": ["b"]},
        }
    )
    assert set(changed.fields) == {"a", "b"} and changed.create_time == made.create_time
    assert set(api.get_document(request={"name": made.name, "mask": {"field_paths": ["b"]}}).fields) == {"b"}
    api.delete_document(request={"name": made.name})
    raises(NOT_FOUND, lambda: api.get_document(request={"name": made.name}))


def every_method(db):
    """What the client has of its own and no other check here calls; what it has not over REST stays what it is."""
    api = db._firestore_api
    parent = db._database_string + "/documents"
    name = f"{parent}/every/e"
    db.document("every/e").set({"v": 1})
    db.document("every/e/below/b").set({"v": 2})

    # A transaction by hand: it sees one moment, and its end is its end.
    begun = api.begin_transaction(request={"database": db._database_string, "options": {"read_write": {}}}).transaction
    [read] = api.batch_get_documents(request={"database": db._database_string, "documents": [name], "transaction": begun})
    assert read.found.fields["v"].integer_value == 1
    api.rollback(request={"database": db._database_string, "transaction": begun})
    update = types.Write(update=types.Document(name=name, fields={"v": types.Value(integer_value=2)}))
    ended = {"database": db._database_string, "writes": [update], "transaction": begun}
    raises(INVALID_ARGUMENT, lambda: api.commit(request=ended))
    again = {"read_write": {"retry_transaction": begun}}
    begun = api.begin_transaction(request={"database": db._database_string, "options": again}).transaction
    committed = api.commit(request={"database": db._database_string, "writes": [update], "transaction": begun})
    assert len(committed.write_results) == 1 and committed.commit_time >= committed.write_results[0].update_time

    # A read that begins a transaction returns it first.
    answers = list(
        api.batch_get_documents(
            request={"database": db._database_string, "documents": [name, name + "x"], "new_transaction": {"read_only": {}}}
        )
    )
    assert answers[0].transaction and not answers[0].found.name
    assert {(a.found.name, a.missing) for a in answers[1:]} == {(name, ""), ("", name + "x")}
    query = {"from_": [{"collection_id": "every"}]}
    answers = list(
        api.run_query(request={"parent": parent, "structured_query": query, "new_transaction": {"read_only": {}}})
    )
    assert answers[0].transaction and [a.document.name for a in answers if a.document.name] == [name]
    counted = {"structured_query": query, "aggregations": [{"count": {}, "alias": "n"}]}
    [answer] = api.run_aggregation_query(request={"parent": parent, "structured_aggregation_query": counted})
    assert answer.result.aggregate_fields["n"].integer_value == 1 and answer.read_time
    assert list(api.list_collection_ids(request={"parent": name, "page_size": 1})) == ["below"]
    # The client's own pattern of URLs has no room for a root collection here, either.
    pages = api.list_documents(request={"parent": name, "collection_id": "below", "page_size": 1, "mask": {"field_paths": []}})
    assert [d.name for d in pages] == [f"{name}/below/b"]
    group = {"from_": [{"collection_id": "every", "all_descendants": True}], "order_by": [{"field": {"field_path": "__name__"}, "direction": 1}]}
    assert list(api.partition_query(request={"parent": parent, "structured_query": group, "partition_count": 2})) == []

    # Operations are those of the managed service, which the store has not.
    raises(UNIMPLEMENTED, lambda: api.list_operations({"name": db._database_string}))
    operation = {"name": f"{db._database_string}/operations/none"}
    for call in (api.get_operation, api.cancel_operation, api.delete_operation):
        raises(UNIMPLEMENTED, lambda: call(operation))
    # Pipelines are of the Enterprise edition.
    raises(NOT_FOUND, lambda: api.execute_pipeline(request={"database": db._database_string, "structured_pipeline": {}}))
    for stream, request in ((api.listen, types.ListenRequest()), (api.write, types.WriteRequest())):
        raises(NotImplementedError, lambda: list(stream(iter([request]))))


def methods_of_the_client():
    """The names of the methods of the REST transport, so that a new one does not go by unseen."""
    inherited = {"close", "host", "kind", "AUTH_SCOPES", "DEFAULT_HOST"}
    return {name for name in dir(FirestoreRestTransport) if not name.startswith("_")} - inherited


def databases_are_apart(db):
    other = connect(ENDPOINT, db.project, "other")
    db.document("apart/a").set({"in": "default"})
    assert not other.document("apart/a").get().exists
    other.document("apart/a").set({"in": "other"})
    assert db.document("apart/a").get().to_dict() == {"in": "default"}


def main():
    project = f"judge-{random.randrange(10**9)}"
    failed = 0
    checks = [
        values_round_trip, strange_ids, writes, refusals, queries, trees, pages, transactions, past, batch_write,
        single_documents, every_method, databases_are_apart,
    ]
    called = record_calls()
    for check in checks:
        try:
            check(connect(ENDPOINT, project))
            print(f"ok      {check.__name__}")
        except Exception:
            failed += 1
            print(f"FAILED  {check.__name__}")
            traceback.print_exc()
    for method in sorted(methods_of_the_client() - called):
        failed += 1
        print(f"FAILED  {method} is not called")
    return 1 if failed else 0


def record_calls():
    """The names of the client's methods that are called from here on."""
    called = set()

    def recorded(name, method):
        def call(*arguments, **options):
            called.add(name)
            return method(*arguments, **options)

        return call

    for name in methods_of_the_client():
        setattr(FirestoreClient, name, recorded(name, getattr(FirestoreClient, name)))
    return called


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    ENDPOINT = sys.argv[1]
    sys.exit(main())

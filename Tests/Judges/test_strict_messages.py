"""What the strict reading must let through and what it must refuse."""

import json
import unittest

from recording_proxy import Exchange
from strict_messages import Judge, Wrong

DATABASE = "projects/p/databases/data"
DOCUMENTS = f"{DATABASE}/documents"
NAME = f"{DOCUMENTS}/c/a"
REQUEST_TIME = [{"fieldPath": "a", "setToServerValue": "REQUEST_TIME"}]


def judged(target, body=None, answer="{}", status=200, headers=None):
    sent = b"" if body is None else json.dumps(body).encode()
    given = {} if body is None else {"content-type": "application/json"}
    given = given if headers is None else headers
    answered = {"content-type": "application/json; charset=UTF-8"}
    method = "GET" if body is None else "POST"
    Judge(DATABASE).exchange(Exchange("x", method, target, given, sent, status, answered, answer.encode()))


def listed(path, more="", **options):
    judged(f"/v1/{path}?pageSize=300&prettyPrint=false{more}", **options)


def committed(*writes, answer='{"writeResults":[{}]}', **options):
    judged(f"/v1/{DOCUMENTS}:commit?prettyPrint=false", {"writes": list(writes)}, answer, **options)


def write(fields=None, name=NAME, **more):
    return {"update": {"name": name, "fields": fields or {}}, "currentDocument": {"exists": True}, **more}


class StrictMessages(unittest.TestCase):
    def refused(self, text, call, *arguments, **options):
        with self.assertRaisesRegex(Wrong, text):
            call(*arguments, **options)

    def test_names_in_urls(self):
        listed(f"{DOCUMENTS}/c")
        listed(f"{DOCUMENTS}/%25C3%C3%A9%3A")
        self.refused("UTF-8", listed, f"{DOCUMENTS}/%A9")
        self.refused("GET with", listed, f"{DOCUMENTS}/a:b")
        self.refused("need not", listed, f"{DOCUMENTS}/%61")
        self.refused("segment", listed, f"{DOCUMENTS}/%c3%a9")
        self.refused("segment", listed, f"{DOCUMENTS}/a b")
        self.refused("slash", listed, f"{DOCUMENTS}/a%2Fb")
        self.refused("another", listed, "projects/p/databases/dat/documents/c")

    def test_parameters(self):
        listed(f"{DOCUMENTS}/c", "&readTime=2026-01-01T00%3A00%3A00Z&mask.fieldPaths=a&mask.fieldPaths=b")
        self.refused("foo", listed, f"{DOCUMENTS}/c", "&foo=1")
        self.refused("showMissing", listed, f"{DOCUMENTS}/c", "&showMissing=1")
        self.refused("twice", listed, f"{DOCUMENTS}/c", "&pageToken=a&pageToken=b")
        self.refused("", listed, f"{DOCUMENTS}/c", "&readTime=2026-01-01T00%3A00%3A00")
        self.refused("prettyPrint", judged, f"/v1/{DOCUMENTS}/c?pageSize=3")

    def test_members(self):
        committed(write({"a": {"arrayValue": {"values": []}}, "b": {"doubleValue": -0.0}, "c": {"nullValue": None}}))
        self.refused("spelt", committed, {"update": {"name": NAME}, "current_document": {"exists": True}})
        self.refused("foo", committed, write(foo=1))
        self.refused("otherwise", committed, write({"a": {"integerValue": 5}}))
        self.refused("", committed, write({"a": {"nullValue": None, "booleanValue": True}}))
        self.refused("without", committed, write({"a": {}}))
        self.refused("Content-Type", committed, write(), headers={})

    def test_writes(self):
        committed(write(updateMask={"fieldPaths": []}, updateTransforms=REQUEST_TIME))
        committed(write({"a b": {"nullValue": None}}, updateMask={"fieldPaths": ["`a b`", "x.`\\`\\\\`"]}))
        self.refused("whatever", committed, {"update": {"name": NAME}})
        self.refused("twice", committed, write(), write())
        self.refused("501", committed, *[write(name=f"{DOCUMENTS}/c/{n}") for n in range(501)])
        self.refused("transform's", committed, write(updateMask={"fieldPaths": ["a"]}, updateTransforms=REQUEST_TIME))
        self.refused("would replace", committed, write(updateTransforms=REQUEST_TIME))
        self.refused("not in the mask", committed, write({"b": {"nullValue": None}}, updateMask={"fieldPaths": ["a"]}))
        self.refused("no field path", committed, write(updateMask={"fieldPaths": ["a b"]}))
        self.refused("no quotes", committed, write(updateMask={"fieldPaths": ["`a`"]}))
        self.refused("in another", committed, write(updateMask={"fieldPaths": ["a", "a.b"]}))
        self.refused("not the name", committed, write(name=f"{DOCUMENTS}/c"))
        self.refused("reserved", committed, write(name=f"{DOCUMENTS}/c/__x__"))
        self.refused("another database", committed, write(name="projects/p/databases/other/documents/c/a"))

    def test_answers(self):
        document = lambda value: '{"documents":[{"name":"%s","fields":{"a":%s}}]}' % (NAME, value)
        listed(f"{DOCUMENTS}/c", answer=document('{"doubleValue":-0.0}'))
        self.refused("-0", listed, f"{DOCUMENTS}/c", answer=document('{"doubleValue":-0}'))
        self.refused("otherwise", listed, f"{DOCUMENTS}/c", answer=document('{"integerValue":5}'))
        self.refused("twice", listed, f"{DOCUMENTS}/c", answer='{"documents":[],"documents":[]}')
        self.refused("x", listed, f"{DOCUMENTS}/c", answer='{"x":1}')
        error = '{"error":{"code":404,"message":"m","status":"NOT_FOUND"}}'
        listed(f"{DOCUMENTS}/c", answer=error, status=404)
        self.refused("", listed, f"{DOCUMENTS}/c", answer=error, status=400)

    def test_transactions(self):
        def post(judge, verb, body, answer, status=200):
            told = {"content-type": "application/json; charset=UTF-8"}
            target = f"/v1/{DOCUMENTS}:{verb}?prettyPrint=false"
            sent = {"content-type": "application/json"}
            judge.exchange(Exchange("x", "POST", target, sent, json.dumps(body).encode(), status, told, answer.encode()))

        def begin(judge, id, **mode):
            body = {"options": {"readWrite": mode}}
            post(judge, "beginTransaction", body, json.dumps({"transaction": id}))

        read = lambda judge, id: post(judge, "batchGet", {"documents": [NAME], "transaction": id}, '[{"missing":"%s"}]' % NAME)
        commit = lambda judge, id, **options: post(
            judge, "commit", {"writes": [write()], "transaction": id}, options.pop("answer", '{"writeResults":[{}]}'), **options
        )
        rollback = lambda judge, id: post(judge, "rollback", {"transaction": id}, "{}")

        judge = Judge(DATABASE, "projects/p/databases/other")
        begin(judge, "AAAA")
        read(judge, "AAAA")
        self.refused("not open", read, judge, "BBBB")
        self.refused("nobody", commit, judge, "BBBB")
        self.refused("nobody", rollback, judge, "BBBB")
        aborted = '{"error":{"code":409,"message":"m","status":"ABORTED"}}'
        commit(judge, "AAAA", answer=aborted, status=409)
        self.assertTrue(judge.open)
        rollback(judge, "AAAA")
        self.assertFalse(judge.open)
        self.refused("not open", read, judge, "AAAA")
        self.refused("ended", commit, judge, "AAAA")
        begin(judge, "CCCC", retryTransaction="AAAA")
        self.refused("has not ended", begin, judge, "DDDD", retryTransaction="CCCC")
        self.refused("begun already", begin, judge, "AAAA")
        commit(judge, "CCCC")
        self.assertFalse(judge.open)
        self.refused("neither", post, judge, "beginTransaction", {"options": {}}, "{}")

    def test_two_databases(self):
        judge = Judge(DATABASE, "projects/p/databases/other")
        told = {"content-type": "application/json; charset=UTF-8"}
        for database in ("other", "data", "other"):
            target = f"/v1/projects/p/databases/{database}/documents/c?pageSize=300&prettyPrint=false"
            judge.exchange(Exchange("x", "GET", target, {}, b"", 200, told, b"{}"))
        self.assertEqual(set(judge.moments), {("x", "projects/p/databases/other"), ("x", DATABASE)})
        body = json.dumps({"writes": [write(name="projects/p/databases/other/documents/c/a")]}).encode()
        sent = {"content-type": "application/json"}
        target = f"/v1/{DOCUMENTS}:commit?prettyPrint=false"
        with self.assertRaisesRegex(Wrong, "another database"):
            judge.exchange(Exchange("x", "POST", target, sent, body, 200, told, b'{"writeResults":[{}]}'))


if __name__ == "__main__":
    unittest.main()

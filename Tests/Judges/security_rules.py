"""Asks Google's own emulator what samples/firestore.rules allows: who, what, allowed or denied, and why.

    python security_rules.py RULES

The expectations are those of the app's own tasks: groups are read by members only, deleted by admins only, count their members
exactly, ten at most, and always have an admin; nobody takes another person's address, booking or role. Each case runs in a
project of its own, so no case depends on another. Without the emulator it says so and ends well.
"""

import base64
import json
import os
import sys
import urllib.error
import urllib.request
from datetime import datetime, timezone

import google_emulator

OLD = datetime(2026, 1, 1, tzinfo=timezone.utc)


# --- Values and writes ---


class ServerTime:
    """A field that the server sets."""


NOW = ServerTime()
GONE = object()


def value(it):
    if it is None:
        return {"nullValue": None}
    if isinstance(it, bool):
        return {"booleanValue": it}
    if isinstance(it, int):
        return {"integerValue": str(it)}
    if isinstance(it, float):
        return {"doubleValue": it}
    if isinstance(it, datetime):
        return {"timestampValue": it.isoformat().replace("+00:00", "Z")}
    if isinstance(it, list):
        return {"arrayValue": {"values": [value(item) for item in it]}}
    if isinstance(it, dict):
        return {"mapValue": {"fields": {name: value(item) for name, item in it.items()}}}
    return {"stringValue": it}


class Database:
    def __init__(self, host, project):
        self.host = host
        self.root = f"projects/{project}/databases/(default)/documents"

    def name(self, path):
        return f"{self.root}/{path}"

    def fields(self, fields):
        return {name: value(it) for name, it in fields.items() if it is not NOW and it is not GONE}

    def transforms(self, fields):
        return [
            {"fieldPath": name, "setToServerValue": "REQUEST_TIME"} for name, it in fields.items() if it is NOW
        ]

    def put(self, path, **fields):
        """Creates or replaces a document."""
        return {
            "update": {"name": self.name(path), "fields": self.fields(fields)},
            "updateTransforms": self.transforms(fields),
        }

    def set(self, path, **fields):
        """Changes fields of a document that is there."""
        return {
            "update": {"name": self.name(path), "fields": self.fields(fields)},
            "updateMask": {"fieldPaths": [name for name, it in fields.items() if it is not NOW]},
            "updateTransforms": self.transforms(fields),
            "currentDocument": {"exists": True},
        }

    def add(self, path, field, number):
        """Adds to a number, as FieldValue.increment does."""
        return {
            "update": {"name": self.name(path), "fields": {}},
            "updateMask": {"fieldPaths": []},
            "updateTransforms": [{"fieldPath": field, "increment": value(number)}],
            "currentDocument": {"exists": True},
        }

    def delete(self, path):
        return {"delete": self.name(path)}

    # --- Requests: the HTTP status ---

    def commit(self, who, *writes):
        return self.post("documents:commit", {"writes": list(writes)}, who)

    def get(self, who, path):
        return self.send("GET", f"documents/{path}", None, who)

    def query(self, who, collection, parent="", **equal):
        query = {"from": [{"collectionId": collection}]}
        filters = [
            {"fieldFilter": {"field": {"fieldPath": name}, "op": "EQUAL", "value": value(it)}}
            for name, it in equal.items()
        ]
        if filters:
            query["where"] = {"compositeFilter": {"op": "AND", "filters": filters}}
        below = f"documents/{parent}" if parent else "documents"
        return self.post(f"{below}:runQuery", {"structuredQuery": query}, who)

    def post(self, path, body, who):
        return self.send("POST", path, body, who)

    def send(self, method, path, body, who):
        url = f"http://{self.host}/v1/{self.root.removesuffix('/documents')}/{path}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data=data, method=method)
        request.add_header("Content-Type", "application/json")
        if who:
            request.add_header("Authorization", "Bearer " + token(who))
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                text = answer.read().decode()
                status = answer.status
        except urllib.error.HTTPError as error:
            text, status = error.read().decode(), error.code
        if "PERMISSION_DENIED" in text:
            return 403
        return status


def token(who):
    if who == "owner":
        return "owner"
    claims = {"sub": who, "user_id": who, "email": f"{who}@example.com", "iat": 0, "exp": 4102444800}
    if who == "Ines":
        claims["email"] = " Ines@Example.com "
    if who == "ghost":
        del claims["email"]

    def part(it):
        return base64.urlsafe_b64encode(json.dumps(it).encode()).decode().rstrip("=")

    return f"{part({'alg': 'none', 'typ': 'JWT'})}.{part(claims)}."


# --- The world that each case begins with ---

ROLES = {"boss": "admin", "desk": "receptionist", "coach": "trainer", "exboss": "admin"}
GROUPS = {
    "small": {"ana": "admin", "beto": "member", "dora": "member"},
    "pair": {"eva": "admin", "fito": "admin", "gil": "member"},
    "nine": {"n0": "admin", **{f"n{i}": "member" for i in range(1, 9)}},
    "full": {"m0": "admin", **{f"m{i}": "member" for i in range(1, 10)}},
    "lone": {"solo": "admin"},
}
OUTSIDERS = ["caro", "Ines"]


def world(db):
    writes = []
    group_of = {uid: group for group, members in GROUPS.items() for uid in members}
    for uid in [*ROLES, *group_of, *OUTSIDERS]:
        fields = dict(role=ROLES.get(uid, "member"), email=f"{uid}@example.com", createdAt=OLD, updatedAt=OLD, isActive=uid != "exboss")
        if uid in group_of:
            fields["currentGroupId"] = group_of[uid]
        writes.append(db.put(f"users/{uid}", **fields))
    for group, members in GROUPS.items():
        writes.append(
            db.put(
                f"groups/{group}",
                name=group,
                createdBy=next(iter(members)),
                createdAt=OLD,
                memberCount=len(members),
                isActive=True,
            )
        )
        for uid, role in members.items():
            writes.append(db.put(f"groups/{group}/members/{uid}", displayName=uid, joinedAt=OLD, role=role, isActive=True))
    writes.append(db.put("groups/small/members/idle", displayName="idle", joinedAt=OLD, role="admin", isActive=False))
    writes.append(db.set("groups/small", memberCount=4))
    writes.append(db.put("users/idle", role="member", createdAt=OLD, updatedAt=OLD, currentGroupId="small"))
    writes.append(db.put("groups/closed", name="closed", createdBy="x", createdAt=OLD, memberCount=1, isActive=False))
    writes.append(db.put("groups/closed/members/x", displayName="x", joinedAt=OLD, role="admin", isActive=True))
    writes.append(db.put("groups/gone/members/caro", displayName="caro", joinedAt=OLD, role="member", isActive=True))
    writes.append(db.put("user_emails/ana@example.com", primaryUserId="ana", email="ana@example.com", createdAt=OLD))
    writes.append(db.put("classes/c1", nombre="Yoga", capacidadMax=2, createdAt=OLD, updatedAt=OLD))
    booking = dict(classId="c1", userId="ana", gymId="sajarubox", createdAt=OLD)
    writes.append(db.put("classBookings/b1", estado="activa", **booking))
    writes.append(db.put("classBookings/b2", estado="cancelada", **booking))
    writes.append(db.put("payments/done", status="completed", amount=1.0, userId="ana", createdAt=OLD, updatedAt=OLD))
    writes.append(db.put("payments/open", status="pending", amount=1.0, userId="ana", createdAt=OLD, updatedAt=OLD))
    writes.append(db.put("expenses/e1", amount=1.0, createdAt=OLD, updatedAt=OLD))
    writes.append(db.put("members/p1", firstName="Ana", linkedUserId="ana", createdAt=OLD, updatedAt=OLD))
    writes.append(db.put("classAttendance/t1", asistio=True, userId="ana", timestamp=OLD))
    writes.append(db.put("_gymmigrate/lock", run="r"))
    status = db.commit("owner", *writes)
    assert status == 200, f"the world could not be written: {status}"


def member(db, group, uid, role="member", **other):
    return db.put(f"groups/{group}/members/{uid}", **{"displayName": uid, "joinedAt": NOW, "role": role, "isActive": True, **other})


def new_group(db, uid, **other):
    fields = {"name": "Fuerza", "createdBy": uid, "createdAt": NOW, "memberCount": 1, "isActive": True, **other}
    return db.put("groups/new", **{name: it for name, it in fields.items() if it is not GONE})


def count(db, group, number):
    return db.set(f"groups/{group}", memberCount=number)


def leaves_group(db, uid, **other):
    return db.set(f"users/{uid}", currentGroupId=None, **other)


def removal(db, group, uid, number):
    """What the app's removeMember writes: the member, the count, the user's currentGroupId, in one batch."""
    return [db.delete(f"groups/{group}/members/{uid}"), count(db, group, number), leaves_group(db, uid)]


def deletion(db, group):
    """What the app's deleteGroup writes: the group, its members, and the currentGroupId of each."""
    members = list(GROUPS[group]) + (["idle"] if group == "small" else [])
    writes = [db.delete(f"groups/{group}")]
    writes += [db.delete(f"groups/{group}/members/{uid}") for uid in members]
    admin = next(iter(GROUPS[group]))
    return writes + [leaves_group(db, uid, **({"updatedAt": NOW} if uid == admin else {})) for uid in members]


ALLOWED, DENIED = True, False


def cases():
    """(what, who, request, allowed)"""
    # Reading groups: members alone.
    for who, allowed in [("beto", ALLOWED), ("ana", ALLOWED), ("caro", DENIED), ("eva", DENIED), (None, DENIED), ("idle", DENIED)]:
        yield f"{who} reads the group", who, lambda db, who=who: db.get(who, "groups/small"), allowed
        yield f"{who} reads a member", who, lambda db, who=who: db.get(who, "groups/small/members/ana"), allowed
        yield f"{who} lists the members", who, lambda db, who=who: db.query(who, "members", "groups/small"), allowed
    yield "a member lists all groups", "beto", lambda db: db.query("beto", "groups"), DENIED
    yield "the gym's admin reads a group", "boss", lambda db: db.get("boss", "groups/small"), DENIED

    # Creating a group: with its creator as its admin, and a count of one.
    def create(what, writes, allowed, who="caro"):
        return what, who, lambda db: db.commit(who, *writes(db)), allowed

    yield create("create", lambda db: [new_group(db, "caro"), member(db, "new", "caro", "admin")], ALLOWED)
    yield create("create without isActive", lambda db: [new_group(db, "caro", isActive=GONE), member(db, "new", "caro", "admin")], ALLOWED)
    yield create("create without a member", lambda db: [new_group(db, "caro")], DENIED)
    yield create("a creator who is no admin", lambda db: [new_group(db, "caro"), member(db, "new", "caro", "member")], DENIED)
    yield create("a creator with the role boss", lambda db: [new_group(db, "caro"), member(db, "new", "caro", "boss")], DENIED)
    yield create("a creator who is inactive", lambda db: [new_group(db, "caro"), member(db, "new", "caro", "admin", isActive=False)], DENIED)
    yield create("create with a count of two", lambda db: [new_group(db, "caro", memberCount=2), member(db, "new", "caro", "admin")], DENIED)
    yield create("create with a count of zero", lambda db: [new_group(db, "caro", memberCount=0), member(db, "new", "caro", "admin")], DENIED)
    yield create("create for somebody else", lambda db: [new_group(db, "ana"), member(db, "new", "ana", "admin")], DENIED)
    yield create("create in the name of another", lambda db: [new_group(db, "ana"), member(db, "new", "caro", "admin")], DENIED)
    yield create("create with a second member", lambda db: [new_group(db, "caro"), member(db, "new", "caro", "admin"), member(db, "new", "ana")], DENIED)
    yield create("create with a time of its own", lambda db: [new_group(db, "caro", createdAt=OLD), member(db, "new", "caro", "admin")], DENIED)
    yield create("create without a name", lambda db: [new_group(db, "caro", name="  "), member(db, "new", "caro", "admin")], DENIED)
    yield create("create with another field", lambda db: [new_group(db, "caro", role="x"), member(db, "new", "caro", "admin")], DENIED)
    yield create("create without an account", lambda db: [new_group(db, "caro"), member(db, "new", "caro", "admin")], DENIED, None)

    # Joining: by oneself, as a member, with the count, to ten at most.
    yield create("join", lambda db: [member(db, "pair", "caro"), count(db, "pair", 4)], ALLOWED)
    yield create("join, counted by increment", lambda db: [member(db, "pair", "caro"), db.add("groups/pair", "memberCount", 1)], ALLOWED)
    yield create("join as the tenth", lambda db: [member(db, "nine", "caro"), count(db, "nine", 10)], ALLOWED)
    yield create("join as the eleventh", lambda db: [member(db, "full", "caro"), count(db, "full", 11)], DENIED)
    yield create("join as the eleventh without the count", lambda db: [member(db, "full", "caro")], DENIED)
    yield create("join as the eleventh with a count that stays", lambda db: [member(db, "full", "caro"), count(db, "full", 10)], DENIED)
    yield create("join as the eleventh with a count that falls", lambda db: [member(db, "full", "caro"), count(db, "full", 9)], DENIED)
    yield create("join without the count", lambda db: [member(db, "pair", "caro")], DENIED)
    yield create("join by two", lambda db: [member(db, "pair", "caro"), count(db, "pair", 5)], DENIED)
    yield create("count without a member", lambda db: [count(db, "pair", 4)], DENIED)
    yield create("join as an admin", lambda db: [member(db, "pair", "caro", "admin"), count(db, "pair", 4)], DENIED)
    yield create("join with the role boss", lambda db: [member(db, "pair", "caro", "boss"), count(db, "pair", 4)], DENIED)
    yield create("join for somebody else", lambda db: [member(db, "pair", "Ines"), count(db, "pair", 4)], DENIED)
    yield create("join together with somebody else", lambda db: [member(db, "pair", "caro"), member(db, "pair", "Ines"), count(db, "pair", 4)], DENIED)
    yield create("join a closed group", lambda db: [member(db, "closed", "caro"), count(db, "closed", 2)], DENIED)
    yield create("join a group that is not there", lambda db: [member(db, "none", "caro")], DENIED)
    yield create("join with a time of its own", lambda db: [member(db, "pair", "caro", joinedAt=OLD), count(db, "pair", 4)], DENIED)
    yield create("join inactive", lambda db: [member(db, "pair", "caro", isActive=False), count(db, "pair", 4)], DENIED)
    yield create("join and rename the group", lambda db: [member(db, "pair", "caro"), db.set("groups/pair", memberCount=4, name="mine")], DENIED)
    yield create("an admin adds another person", lambda db: [member(db, "pair", "caro"), count(db, "pair", 4)], DENIED, "eva")
    yield create("a member joins once more", lambda db: [member(db, "pair", "gil"), count(db, "pair", 4)], DENIED, "gil")

    # The count of others.
    for number in (0, 2, 3, 5, 9, 11, -1):
        yield create(f"a stranger sets the count to {number}", lambda db, n=number: [count(db, "full", n)], DENIED)
    yield create("a member lowers the count and stays", lambda db: [count(db, "pair", 2)], DENIED, "gil")
    yield create("a member raises the count", lambda db: [count(db, "pair", 4)], DENIED, "gil")
    yield create("an admin raises the count", lambda db: [count(db, "pair", 4)], DENIED, "eva")
    yield create("an admin lowers the count by two", lambda db: [count(db, "full", 8)], DENIED, "m0")
    yield create("a group's admin renames the group and lowers the count", lambda db: [db.set("groups/full", name="x", memberCount=9)], DENIED, "m0")

    # Leaving and removing: with the count; an admin always stays.
    yield create("leave", lambda db: [db.delete("groups/pair/members/gil"), count(db, "pair", 2)], ALLOWED, "gil")
    yield create("leave, with one's own currentGroupId", lambda db: [db.delete("groups/pair/members/gil"), count(db, "pair", 2), leaves_group(db, "gil", updatedAt=NOW)], ALLOWED, "gil")
    yield create("leave without the count", lambda db: [db.delete("groups/pair/members/gil")], DENIED, "gil")
    yield create("leave by two", lambda db: [db.delete("groups/pair/members/gil"), count(db, "pair", 1)], DENIED, "gil")
    yield create("the last admin leaves", lambda db: [db.delete("groups/small/members/ana"), count(db, "small", 3)], DENIED, "ana")
    yield create("the only member leaves", lambda db: [db.delete("groups/lone/members/solo"), count(db, "lone", 0)], DENIED, "solo")
    yield create("an admin leaves, and the creator stays", lambda db: [db.delete("groups/pair/members/fito"), count(db, "pair", 2)], ALLOWED, "fito")
    yield create("an admin leaves and demotes the creator", lambda db: [db.delete("groups/pair/members/fito"), count(db, "pair", 2), db.set("groups/pair/members/eva", role="member")], DENIED, "fito")
    yield create("the creator leaves, though another admin stays", lambda db: [db.delete("groups/pair/members/eva"), count(db, "pair", 2)], DENIED, "eva")
    yield create("an admin removes a member", lambda db: removal(db, "pair", "gil", 2), ALLOWED, "eva")
    yield create("an admin removes a member, with updatedAt", lambda db: [*removal(db, "pair", "gil", 2)[:2], leaves_group(db, "gil", updatedAt=NOW)], ALLOWED, "eva")
    yield create("an admin removes another admin", lambda db: removal(db, "pair", "fito", 2), ALLOWED, "eva")
    yield create("an admin removes a member of a full group", lambda db: removal(db, "full", "m5", 9), ALLOWED, "m0")
    yield create("an admin removes without the count", lambda db: [db.delete("groups/pair/members/gil")], DENIED, "eva")
    yield create("an admin removes by two", lambda db: removal(db, "pair", "gil", 1), DENIED, "eva")
    yield create("a member removes another", lambda db: removal(db, "pair", "fito", 2), DENIED, "gil")
    yield create("a stranger removes a member", lambda db: removal(db, "pair", "gil", 2), DENIED, "caro")
    yield create("another group's admin removes a member", lambda db: removal(db, "pair", "gil", 2), DENIED, "ana")
    yield create("the gym's admin removes a member", lambda db: removal(db, "pair", "gil", 2), DENIED, "boss")
    yield create("an inactive admin removes a member", lambda db: removal(db, "small", "beto", 3), DENIED, "idle")
    yield create("the person removes what a deleted group left behind", lambda db: [db.delete("groups/gone/members/caro")], ALLOWED, "caro")

    # currentGroupId of others.
    yield create("clear another's currentGroupId who stays", lambda db: [leaves_group(db, "gil")], DENIED, "eva")
    yield create("a stranger clears a currentGroupId", lambda db: [leaves_group(db, "gil")], DENIED, "caro")
    yield create("an admin sets another's currentGroupId", lambda db: [*removal(db, "pair", "gil", 2)[:2], db.set("users/gil", currentGroupId="small")], DENIED, "eva")
    yield create("an admin changes more of the user", lambda db: [*removal(db, "pair", "gil", 2)[:2], db.set("users/gil", currentGroupId=None, role="admin")], DENIED, "eva")
    yield create("a person sets one's own currentGroupId", lambda db: [db.set("users/caro", currentGroupId="pair", updatedAt=NOW)], ALLOWED, "caro")

    # Roles.
    yield create("an admin promotes a member", lambda db: [db.set("groups/pair/members/gil", role="admin")], ALLOWED, "eva")
    yield create("an admin demotes another", lambda db: [db.set("groups/pair/members/fito", role="member")], ALLOWED, "eva")
    yield create("the last admin demotes himself", lambda db: [db.set("groups/small/members/ana", role="member")], DENIED, "ana")
    yield create("an admin demotes himself, and the creator stays", lambda db: [db.set("groups/pair/members/fito", role="member")], ALLOWED, "fito")
    yield create("the last admin sets himself inactive", lambda db: [db.set("groups/small/members/ana", isActive=False)], DENIED, "ana")
    yield create("a role boss", lambda db: [db.set("groups/pair/members/gil", role="boss")], DENIED, "eva")
    yield create("a member promotes himself", lambda db: [db.set("groups/pair/members/gil", role="admin")], DENIED, "gil")
    yield create("two admins demote each other in one commit", lambda db: [db.set("groups/pair/members/fito", role="member"), db.set("groups/pair/members/eva", role="member")], DENIED, "eva")
    yield create("a person changes the own name", lambda db: [db.set("groups/pair/members/gil", displayName="Gil")], ALLOWED, "gil")
    yield create("a person changes another's name", lambda db: [db.set("groups/pair/members/gil", displayName="x")], DENIED, "fito")
    yield create("an admin renames the group", lambda db: [db.set("groups/pair", name="Dúo")], ALLOWED, "eva")
    yield create("a member renames the group", lambda db: [db.set("groups/pair", name="Dúo")], DENIED, "gil")
    yield create("an admin changes the creator", lambda db: [db.set("groups/pair", createdBy="gil")], DENIED, "eva")

    # Deleting a group: by an admin, with its members.
    for group, admin in [("small", "ana"), ("full", "m0"), ("lone", "solo")]:
        yield create(f"the admin deletes the group {group} as the app does", lambda db, g=group: deletion(db, g), ALLOWED, admin)
    yield create("an admin deletes the group and leaves its members behind", lambda db: [db.delete("groups/small")], DENIED, "ana")
    yield create("a member deletes the group", lambda db: deletion(db, "small"), DENIED, "beto")
    yield create("a stranger deletes the group", lambda db: [db.delete("groups/small")], DENIED, "caro")
    yield create("the gym's admin deletes a group", lambda db: [db.delete("groups/small")], DENIED, "boss")

    # The index of addresses.
    def address(id, uid, **other):
        return lambda db: [db.put(f"user_emails/{id}", **{"primaryUserId": uid, "email": id, "createdAt": NOW, **other})]

    yield create("register one's own address", address("caro@example.com", "caro"), ALLOWED)
    yield create("register one's own address, normalised", address("ines@example.com", "Ines"), ALLOWED, "Ines")
    yield create("register a free address of somebody else", address("free@example.com", "caro"), DENIED)
    yield create("register an address that is taken", address("ana@example.com", "caro"), DENIED)
    yield create("register for another user", address("caro@example.com", "ana"), DENIED)
    yield create("register another address in the field", address("caro@example.com", "caro", email="x@example.com"), DENIED)
    yield create("register with a time of its own", address("caro@example.com", "caro", createdAt=OLD), DENIED)
    yield create("register without an address in the account", address("ghost@example.com", "ghost"), DENIED, "ghost")
    yield "read an address without an account", None, lambda db: db.get(None, "user_emails/ana@example.com"), ALLOWED
    yield "list the addresses", "caro", lambda db: db.query("caro", "user_emails"), DENIED

    # Bookings.
    def booking(**other):
        return lambda db: [db.put("classBookings/n", **{"classId": "c1", "userId": "caro", "gymId": "sajarubox", "estado": "activa", "createdAt": NOW, **other})]

    yield create("book", booking(), ALLOWED)
    yield create("book for somebody else", booking(userId="ana"), DENIED)
    yield create("the desk books for somebody", booking(userId="ana"), ALLOWED, "desk")
    yield create("book with another estado", booking(estado="confirmada"), DENIED)
    yield create("book cancelled", booking(estado="cancelada"), DENIED)
    yield create("cancel one's own booking", lambda db: [db.set("classBookings/b1", estado="cancelada")], ALLOWED, "ana")
    yield create("cancel another's booking", lambda db: [db.set("classBookings/b1", estado="cancelada")], DENIED)
    yield create("any estado", lambda db: [db.set("classBookings/b1", estado="pagada")], DENIED, "ana")
    yield create("any estado by the desk", lambda db: [db.set("classBookings/b1", estado="pagada")], DENIED, "desk")
    yield create("activate a cancelled booking", lambda db: [db.set("classBookings/b2", estado="activa")], DENIED, "ana")
    yield create("move a booking to another class", lambda db: [db.set("classBookings/b1", classId="c2")], DENIED, "ana")
    yield create("delete a booking", lambda db: [db.delete("classBookings/b1")], DENIED, "ana")
    yield "list all bookings", "caro", lambda db: db.query("caro", "classBookings"), DENIED
    yield "list another's bookings", "caro", lambda db: db.query("caro", "classBookings", userId="ana"), DENIED
    yield "list one's own bookings", "ana", lambda db: db.query("ana", "classBookings", userId="ana"), ALLOWED
    yield "a trainer lists the bookings of a class", "coach", lambda db: db.query("coach", "classBookings", classId="c1"), ALLOWED

    # Users and the first admin.
    def account(uid, role, **other):
        return lambda db: [db.put(f"users/{uid}", **{"role": role, "createdAt": NOW, "updatedAt": NOW, **other})]

    def setup(db, uid):
        return db.put("app_config/setup", adminUserId=uid, createdAt=NOW)

    yield create("create one's own account", account("nuevo", "member"), ALLOWED, "nuevo")
    yield create("create an account for another", account("otro", "member"), DENIED, "nuevo")
    yield create("create an account as an admin", account("nuevo", "admin"), DENIED, "nuevo")
    yield create("become the first admin", lambda db: [*account("nuevo", "admin")(db), setup(db, "nuevo")], ALLOWED, "nuevo")
    yield create("become the first admin with an account", lambda db: [db.set("users/caro", role="admin", updatedAt=NOW), setup(db, "caro")], ALLOWED)
    yield create("make another the first admin", lambda db: [db.set("users/caro", role="admin", updatedAt=NOW), setup(db, "ana")], DENIED)
    yield create("promote oneself", lambda db: [db.set("users/caro", role="admin", updatedAt=NOW)], DENIED)
    yield create("change one's own name", lambda db: [db.set("users/caro", fullName="Caro", updatedAt=NOW)], ALLOWED)
    yield create("change one's own name with a time of its own", lambda db: [db.set("users/caro", fullName="Caro", updatedAt=OLD)], DENIED)
    yield create("change another's name", lambda db: [db.set("users/ana", fullName="x", updatedAt=NOW)], DENIED)
    yield create("activate oneself", lambda db: [db.set("users/caro", isActive=False, updatedAt=NOW)], DENIED)
    yield create("an admin changes a role", lambda db: [db.set("users/caro", role="trainer", updatedAt=NOW)], ALLOWED, "boss")
    yield create("a former admin changes a role", lambda db: [db.set("users/caro", role="trainer", updatedAt=NOW)], DENIED, "exboss")
    yield create("delete one's own account", lambda db: [db.delete("users/caro")], DENIED)
    yield "read another's account", "caro", lambda db: db.get("caro", "users/ana"), DENIED
    yield "the desk reads an account", "desk", lambda db: db.get("desk", "users/ana"), ALLOWED

    # The gym.
    yield create("change a completed payment", lambda db: [db.set("payments/done", amount=2.0, updatedAt=NOW)], DENIED, "boss")
    yield create("complete a payment", lambda db: [db.set("payments/open", status="completed", updatedAt=NOW)], ALLOWED, "desk")
    yield "the desk reads expenses", "desk", lambda db: db.get("desk", "expenses/e1"), DENIED
    yield "the admin reads expenses", "boss", lambda db: db.get("boss", "expenses/e1"), ALLOWED
    yield "a person reads the own member", "ana", lambda db: db.get("ana", "members/p1"), ALLOWED
    yield "a person reads another member", "beto", lambda db: db.get("beto", "members/p1"), DENIED
    yield create("change an attendance", lambda db: [db.set("classAttendance/t1", asistio=False)], DENIED, "boss")
    yield create("take the lock of gymmigrate", lambda db: [db.delete("_gymmigrate/lock")], DENIED, "boss")
    yield "read the lock of gymmigrate", "boss", lambda db: db.get("boss", "_gymmigrate/lock"), DENIED


def main():
    program = google_emulator.found_or_skip("samples/firestore.rules")
    wrong = done = 0
    with google_emulator.running(program, f"--rules={os.path.abspath(sys.argv[1])}", seconds=600) as host:
        for number, (what, who, request, allowed) in enumerate(cases()):
            db = Database(host, f"rules-{number}")
            world(db)
            status = request(db)
            done += 1
            if status != (200 if allowed else 403):
                wrong += 1
                print(f"WRONG {who}: {what}: {status}, expected {'allowed' if allowed else 'denied'}")
    print(f"The security rules: {done} requests, {wrong} wrong.")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

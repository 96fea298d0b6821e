#!/usr/bin/env python3
"""Breaks a clean gym where groups, current groups and pictures are concerned, and nearly breaks it elsewhere.

    check_damage_groups.py DIR SEED OUT [--count N] [--bucket NAME] [--foreign NAME,NAME]

Copies every *.jsonl of DIR to OUT with N random changes; DIR, seed and options alike give the same bytes. Prints a
JSON array [change, path, field, rules] for each: the rules of which `check` must find that document's field
(null = the document itself) because of the change. Where `rules` is empty, the change is right and must not be found.
A change can lead to findings elsewhere too (a user who is gone is missed by others): check_expected.py knows them.
"""

import argparse
import copy
import json
import random
import re
from pathlib import Path
from urllib.parse import unquote

OWN, FOREIGN = "sajarubox_prod", "sajarubox_test,sajarubox_stage"

# How an address names a bucket.
FORMS = ["gs://{}/fotos/1.jpg",
         "https://storage.googleapis.com/{}/fotos/1.jpg",
         "http://storage.googleapis.com/{}/1.jpg",
         "https://Storage.GoogleAPIs.com/{}/fotos/1.jpg?x=1",
         "https://firebasestorage.googleapis.com/v0/b/{}/o/fotos%2F1.jpg?alt=media&token=0f3a",
         "http://FIREBASESTORAGE.googleapis.com/v0/b/{}/o/1.jpg",
         "https://{}.storage.googleapis.com/fotos/1.jpg",
         "http://{}.STORAGE.googleapis.com/1.jpg"]
# Addresses with a bucket's name in them that are of another place.
ELSEWHERE = ["https://img.example.com/{}/1.jpg",
             "https://{}.example.com/1.jpg",
             "https://storage.googleapis.com.example.com/{}/1.jpg",
             "https://example.com/?de=https://storage.googleapis.com/{}/1.jpg",
             "https://example.com/gs://{}/1.jpg",
             "gs://otro/{}/1.jpg",
             "https://storage.googleapis.com/otro/{}/1.jpg",
             "https://firebasestorage.googleapis.com/v0/b/otro/o/{}%2F1.jpg",
             "https://firebasestorage.googleapis.com/v0/b/otro/o/b/{}/o/1.jpg",
             "https://otro.storage.googleapis.com/{}/1.jpg"]


class Gym:
    def __init__(self, seed, own, foreign):
        self.random = random.Random(seed)
        self.own, self.foreign = own, foreign
        self.documents, self.file, self.raw = {}, {}, {}
        # What was changed is not changed again. What must stay is not removed.
        self.changed, self.kept = set(), set()
        self.said = []

    def load(self, folder):
        for file in sorted(Path(folder).glob("*.jsonl")):
            for line in file.read_text(encoding="utf-8").split("\n"):
                if line:
                    document = json.loads(line)
                    name = document["name"]
                    self.documents[name], self.file[name], self.raw[name] = document, file.name, line
            yield file.name

    def write(self, files, folder):
        """Lines that were not changed keep their bytes, and a file its order: by name."""
        lines = {name: [] for name in files}
        for name in sorted(self.documents, key=str.encode):
            document = self.documents[name]
            if name in self.raw and document == json.loads(self.raw[name]):
                line = self.raw[name]
            else:
                line = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
            lines[self.file[name]].append(line + "\n")
        folder.mkdir(parents=True, exist_ok=True)
        for name in files:
            with open(folder / name, "w", encoding="utf-8", newline="") as out:
                out.writelines(lines[name])

    def one(self, things):
        """One of them, None where there are none."""
        return things[self.random.randrange(len(things))] if things else None

    def all(self, pattern, free=True):
        """Paths of a pattern, sorted: those that may still be changed, or all of them."""
        return sorted(name for name in self.documents
                      if re.fullmatch(pattern, name) and not (free and name in self.changed))

    def users(self):
        return self.all("users/[^/]+")

    def groups(self, free=False):
        return self.all("groups/[^/]+", free)

    def members(self, free=True):
        return [name for name in self.all("groups/[^/]+/members/[^/]+", free) if name.rsplit("/", 2)[0] in self.documents]

    def removable(self, names):
        return [name for name in names if name not in self.kept]

    def stranger(self):
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        return "".join(self.one(letters) for _ in range(28))

    def fields(self, name):
        return self.documents[name].setdefault("fields", {})

    def put(self, name, field, value):
        self.fields(name)[field] = value
        self.changed.add(name)
        self.kept.add(name)

    def remove(self, name):
        del self.documents[name]
        self.changed.add(name)

    def recount(self, group):
        count = len(self.all(f"{re.escape(group)}/members/[^/]+", free=False))
        self.fields(group)["memberCount"] = {"integerValue": str(count)}

    def add_member(self, group, user):
        """A copy of another member under this id, without a picture; the group counts it."""
        pattern = self.all(f"{re.escape(group)}/members/[^/]+", free=False)[0]
        name = f"{group}/members/{user}"
        document = copy.deepcopy(self.documents[pattern])
        document["name"] = name
        document["fields"] = document.get("fields", {}) | {"role": {"stringValue": "member"}, "isActive": {"booleanValue": True}}
        document["fields"].pop("photoURL", None)
        self.documents[name], self.file[name] = document, self.file[group]
        self.changed.add(name)
        self.kept |= {name, group}
        self.recount(group)
        return name

    def small_groups(self):
        return [g for g in self.groups() if 0 < len(self.all(f"{re.escape(g)}/members/[^/]+", free=False)) < 10]

    def say(self, change, path, field, *rules):
        self.said.append([change, path, field, list(rules)])

    # Changes: each gives None, and says nothing, where the gym has no room for it.

    def member_unknown(self):
        group = self.one(self.small_groups())
        if group:
            self.say("member-unknown", self.add_member(group, self.stranger()), None, "group-member-dangling")

    def member_other_case(self):
        group, user = self.one(self.small_groups()), self.one(self.removable(self.users()))
        if group and user:
            identifier = user.split("/")[1].swapcase()
            if f"users/{identifier}" not in self.documents and f"{group}/members/{identifier}" not in self.documents:
                self.say("member-other-case", self.add_member(group, identifier), None, "group-member-dangling")

    def member_known(self):
        group, user = self.one(self.small_groups()), self.one(self.removable(self.users()))
        if group and user and f"{group}/members/{user.split('/')[1]}" not in self.documents:
            self.kept.add(user)
            # A later change must not bring the user to this group again.
            self.changed.add(user)
            self.say("member-known", self.add_member(group, user.split("/")[1]), None)

    def user_gone(self):
        member = self.one([name for name in self.members()
                           if f"users/{name.split('/')[3]}" in self.removable(self.users())])
        if member:
            self.remove(f"users/{member.split('/')[3]}")
            self.kept.add(member)
            self.changed.add(member)
            self.kept.add(member.rsplit("/", 2)[0])
            self.say("user-gone", member, None, "group-member-dangling")

    def group_gone(self):
        # Enough groups stay for the other changes.
        group = self.one(self.removable(self.groups(free=True))) if len(self.groups()) > 3 else None
        below = self.all(f"{re.escape(group)}/members/[^/]+", free=False) if group else []
        if below and not any(name in self.changed or name in self.kept for name in below):
            self.remove(group)
            for name in below:
                self.changed.add(name)
                self.say("group-gone", name, None, "group-member-of-missing-group")

    def group_gone_whole(self):
        group = self.one(self.removable(self.groups(free=True))) if len(self.groups()) > 3 else None
        below = self.all(f"{re.escape(group)}/members/[^/]+", free=False) if group else []
        pointing = any(self.fields(u).get("currentGroupId") == {"stringValue": group.split("/")[1]}
                       for u in self.all("users/[^/]+", free=False)) if group else True
        if below and not pointing and not any(name in self.changed or name in self.kept for name in below):
            for name in [group, *below]:
                self.remove(name)
                self.say("group-gone-whole", name, None)

    def created_by(self):
        group = self.one(self.groups(free=True))
        if not group:
            return
        member = self.one(self.all("members/[^/]+", free=False)) or "members/" + self.stranger()
        value = self.one([self.stranger(), member.split("/")[1], "a/b", " "])
        if f"users/{value}" not in self.documents:
            self.put(group, "createdBy", {"stringValue": value})
            self.say("created-by-nobody", group, "createdBy", "created-by-dangling")

    def created_by_user(self):
        group, user = self.one(self.groups(free=True)), self.one(self.users())
        if group and user:
            self.kept.add(user)
            self.put(group, "createdBy", {"stringValue": user.split("/")[1]})
            self.say("created-by-user", group, "createdBy")

    def current_group_nowhere(self):
        user = self.one(self.removable(self.users()))
        if user:
            value = self.one([self.stranger(), "a/b", " ", "groups"])
            if f"groups/{value}" not in self.documents:
                self.put(user, "currentGroupId", {"stringValue": value})
                self.say("current-group-nowhere", user, "currentGroupId", "current-group")

    def current_group_of_the_gone(self):
        orphan = self.one([name for name in self.all("groups/[^/]+/members/[^/]+", free=False)
                           if name.rsplit("/", 2)[0] not in self.documents])
        user = orphan and f"users/{orphan.split('/')[3]}"
        if user in self.removable(self.users()):
            self.put(user, "currentGroupId", {"stringValue": orphan.split("/")[1]})
            self.say("current-group-of-the-gone", user, "currentGroupId", "current-group")

    def current_group_none(self):
        user = self.one(self.removable(self.users()))
        if user:
            self.put(user, "currentGroupId", self.one([{"nullValue": None}, {"stringValue": ""}]))
            self.say("current-group-none", user, "currentGroupId")

    def current_group_another(self):
        user, group = self.one(self.removable(self.users())), self.one(self.groups())
        if user and group and f"{group}/members/{user.split('/')[1]}" not in self.documents:
            self.kept.add(group)
            self.put(user, "currentGroupId", {"stringValue": group.split("/")[1]})
            self.say("current-group-another", user, "currentGroupId", "current-group")

    def current_group_own(self):
        member = self.one([name for name in self.members()
                           if f"users/{name.split('/')[3]}" in self.removable(self.users())])
        if member:
            user, group = f"users/{member.split('/')[3]}", member.rsplit("/", 2)[0]
            self.kept |= {group, member}
            self.put(user, "currentGroupId", {"stringValue": group.split("/")[1]})
            if self.random.randrange(2):
                self.say("current-group-own", user, "currentGroupId")
            else:
                self.remove(member)
                self.recount(group)
                self.say("current-group-left", user, "currentGroupId", "current-group")

    def picture(self, change, words, *rules):
        places = [("users/[^/]+", "photoURL"), ("groups/[^/]+/members/[^/]+", "photoURL"), ("products/[^/]+", "imageURL"),
                  ("exercises/[^/]+", "imageURL"), ("members/[^/]+", "photoURL"), ("users/[^/]+", "imageURL")]
        pattern, field = self.one(places)
        name = self.one(self.removable(self.all(pattern)))
        if name:
            self.put(name, field, {"stringValue": words})
            self.say(change, name, field, *rules)

    def picture_foreign(self):
        self.picture("picture-foreign", self.one(FORMS).format(self.one(self.foreign)), "foreign-bucket")

    def picture_encoded(self):
        bucket = self.one(self.foreign)
        place = self.random.randrange(len(bucket))
        encoded = bucket[:place] + self.one(["%{:02X}", "%{:02x}"]).format(ord(bucket[place])) + bucket[place + 1:]
        self.picture("picture-encoded", self.one(FORMS[1:6]).format(encoded), "foreign-bucket")

    def picture_host_in_capitals(self):
        self.picture("picture-host-in-capitals", FORMS[6].format(self.one(self.foreign).upper()), "foreign-bucket")

    def picture_own(self):
        self.picture("picture-own", self.one(FORMS).format(self.own))

    def picture_almost(self):
        bucket = self.one(self.foreign)
        almost = [name for name in (bucket + "2", bucket[:-1], "x" + bucket, bucket + "%32", bucket + ".appspot.com",
                                    bucket + "%2Fx", bucket.replace("_", "%255F"))
                  if unquote(name) not in (*self.foreign, self.own)]
        self.picture("picture-almost", self.one(FORMS).format(self.one(almost)))

    def picture_elsewhere(self):
        self.picture("picture-elsewhere", self.one(ELSEWHERE).format(self.one(self.foreign)))

    def picture_other_field(self):
        name = self.one(self.removable(self.all("(users|products)/[^/]+")))
        if name:
            field = self.one(["thumbnailURL", "photoUrl", "notas"])
            self.put(name, field, {"stringValue": self.one(FORMS).format(self.one(self.foreign))})
            self.say("picture-other-field", name, field)

    def damage(self, count):
        changes = [self.member_unknown, self.member_other_case, self.member_known, self.user_gone, self.group_gone,
                   self.group_gone_whole, self.created_by, self.created_by_user, self.current_group_nowhere,
                   self.current_group_of_the_gone, self.current_group_none, self.current_group_another,
                   self.current_group_own, self.picture_foreign, self.picture_encoded, self.picture_host_in_capitals,
                   self.picture_own, self.picture_almost, self.picture_elsewhere, self.picture_other_field]
        for _ in range(count):
            self.one(changes)()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR", type=Path)
    parser.add_argument("seed", metavar="SEED", type=int)
    parser.add_argument("out", metavar="OUT", type=Path)
    parser.add_argument("--count", metavar="N", type=int, default=40)
    parser.add_argument("--bucket", metavar="NAME", default=OWN)
    parser.add_argument("--foreign", metavar="NAME,NAME", default=FOREIGN)
    options = parser.parse_args()
    if options.out.resolve() == options.folder.resolve():
        parser.error("OUT must be another directory than DIR")
    gym = Gym(options.seed, options.bucket, options.foreign.split(","))
    files = list(gym.load(options.folder))
    gym.damage(options.count)
    gym.write(files, options.out)
    for line in gym.said:
        print(json.dumps(line, ensure_ascii=False))


if __name__ == "__main__":
    main()

"""Cases worked out by hand from "Integrity that can be checked". Run: python3 -m unittest discover Tests/Oracle"""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import check_damage  # noqa: E402
import check_expected  # noqa: E402


def text(value):
    return {"stringValue": value}


def sound():
    return {
        "app_config/setup": {"adminUserId": text("u1")},
        "users/u1": {"id": text("u1"), "role": text("admin"), "linkedMemberId": text("m1")},
        "members/m1": {"id": text("m1"), "linkedUserId": text("u1"), "familyGroupId": text("f"), "groupRole": text("owner")},
        "classes/c1": {"id": text("c1"), "capacidadMax": {"integerValue": "1"}},
        "classBookings/b1": {"id": text("b1"), "classId": text("c1"), "userId": text("u1"), "estado": text("activa")},
        "groups/g1": {"id": text("g1"), "memberCount": {"integerValue": "1"}},
        "groups/g1/members/u1": {"id": text("u1"), "role": text("admin")},
    }


class Check(unittest.TestCase):
    def find(self, **changes):
        documents = sound()
        for place, value in changes.get("set", {}).items():
            name, field = place.rsplit(".", 1)
            documents.setdefault(name, {})[field] = value
        for name in changes.get("remove", ()):
            del documents[name]
        return [" ".join(filter(None, finding[:3])) for finding in check_expected.Gym(documents).check()]

    def test_sound(self):
        self.assertEqual(self.find(), [])

    def test_keys(self):
        self.assertEqual(self.find(set={"users/u1.linkedMemberId": text("")}), ["link-not-mirrored members/m1 linkedUserId"])
        self.assertEqual(self.find(remove=["classes/c1"]), ["foreign-key-dangling classBookings/b1 classId"])
        self.assertEqual(self.find(set={"classBookings/b1.userId": {"integerValue": "1"}}),
                         ["wrong-type classBookings/b1 userId"])
        self.assertEqual(self.find(set={"classBookings/b1.userId": text("")}), [])
        self.assertEqual(self.find(set={"classBookings/b1.userId": {"nullValue": None}}),
                         ["foreign-key-missing classBookings/b1 userId"])

    def test_ids(self):
        self.assertEqual(self.find(set={"app_config/setup.id": text("x")}), ["id-mismatch app_config/setup id"])
        self.assertEqual(self.find(set={"groups/g1/members/u1.id": {"nullValue": None}}),
                         ["id-missing groups/g1/members/u1 id"])

    def test_groups(self):
        self.assertEqual(self.find(remove=["groups/g1"]), ["group-missing groups/g1"])
        self.assertEqual(self.find(remove=["groups/g1/members/u1"]),
                         ["group-admin-missing groups/g1", "group-member-count groups/g1 memberCount"])

    def test_owner_and_setup(self):
        self.assertEqual(self.find(set={"members/m1.groupRole": text("dependent")}),
                         ["family-group-owner members/m1 familyGroupId"])
        self.assertEqual(self.find(set={"users/u1.isActive": {"booleanValue": False}}),
                         ["setup-admin app_config/setup adminUserId"])
        self.assertEqual(self.find(remove=["app_config/setup"]), ["setup-missing app_config/setup"])

    def test_damage_is_repeatable(self):
        folder = Path(__file__).parent.parent.parent / "samples" / "gym"
        first, second, third = (
            json.dumps(check_damage.Damage(check_expected.load(folder), seed).done(), sort_keys=True) for seed in (1, 1, 2))
        self.assertEqual(first, second)
        self.assertNotEqual(first, third)


if __name__ == "__main__":
    unittest.main()

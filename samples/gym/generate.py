#!/usr/bin/env python3
"""Invented gym data for trying gymmigrate: one JSON Lines file a collection, with the mess of real life.

    generate.py --out DIR [--users N] [--seed S] [--list-kinds]

The same arguments give the same bytes. Every document follows from its own number alone, and ids are
made in ascending order, so the files are sorted by name and nothing is held in memory.
"""

import argparse
import base64
import hashlib
import json
import math
import random
import sys
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

# --- Values of the service ----------------------------------------------------------------------


class Integral(int):
    """An integer that is meant as one: a bare Python int is refused, as most money here is a double."""


def ts(moment):
    base = moment.strftime("%Y-%m-%dT%H:%M:%S")
    if not moment.microsecond:
        return {"timestampValue": base + "Z"}
    micros = f"{moment.microsecond:06d}"
    return {"timestampValue": f"{base}.{micros[:3] if micros.endswith('000') else micros}Z"}


def array(values):
    return {"arrayValue": {"values": [value_of(v) for v in values]} if values else {}}


def map_of(fields):
    return {"mapValue": {"fields": fields_of(fields)} if fields else {}}


def geo(latitude, longitude):
    # A coordinate of zero is left out, as the service does.
    point = {"latitude": latitude, "longitude": longitude}
    return {"geoPointValue": {key: value for key, value in point.items() if value}}


def value_of(value):
    if value is None:
        return {"nullValue": None}
    if isinstance(value, dict):
        return value
    if isinstance(value, bool):
        return {"booleanValue": value}
    if isinstance(value, Integral):
        return {"integerValue": str(int(value))}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, datetime):
        return ts(value)
    if isinstance(value, bytes):
        return {"bytesValue": base64.b64encode(value).decode()}
    raise TypeError(f"no value of Firestore: {value!r}")


def fields_of(fields):
    """Fields that are Ellipsis are left out."""
    return {key: value_of(value) for key, value in fields.items() if value is not ...}


ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)


# --- Ids ----------------------------------------------------------------------------------------

BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Ids:
    """Random-looking ids for numbers 0..<count, ascending by slot, with the numbers strewn over the slots."""

    def __init__(self, seed, label, count, kind):
        self.count, self.kind, self.label, self.known = max(count, 1), kind, f"{seed}:{label}", {}
        step = int(self.count * 0.618) | 1
        while math.gcd(step, self.count) != 1:
            step += 1
        self.step, self.inverse = step, pow(step, -1, self.count) if self.count > 1 else 0

    def number(self, slot):
        return slot * self.inverse % self.count

    def id(self, number):
        # Documents refer to one member or user many times; the other collections are passed through once.
        if self.kind == "uid" or self.label.endswith(":members"):
            if number not in self.known:
                self.known[number] = self.made(number)
            return self.known[number]
        return self.made(number)

    def made(self, number):
        slot = number * self.step % self.count
        # A hash, as a generator of its own for each id would take most of the run.
        drawn = int.from_bytes(hashlib.blake2b(f"{self.label}:{slot}".encode(), digest_size=22).digest())
        # A slot's own stretch of the space keeps the order; the place within it is drawn.
        head = (slot * (1 << 48) + (drawn >> 128)) // self.count
        if self.kind == "uuid":
            high, low = f"{head:012X}", f"{drawn & (1 << 80) - 1:020X}"
            return f"{high[:8]}-{high[8:]}-4{low[:3]}-{'89AB'[int(low[3], 16) % 4]}{low[4:7]}-{low[7:19]}"
        length = 28 if self.kind == "uid" else 20
        rest = (head << 128 | drawn & (1 << 128) - 1) * 62**length >> 176
        text = ""
        for _ in range(length):
            rest, digit = divmod(rest, 62)
            text = BASE62[digit] + text
        return text


# --- People, none of whom exist -----------------------------------------------------------------

GIVEN = ("Abril Adrián Ainara Bruno Camila Ciro Dafne Damián Elías Emilia Fabiola Gael Iker Ivana Jimena Josué Leonel "
         "Lía Maite Matías Nadia Nicolás Noé Ofelia Paloma Rebeca Renata Saúl Tadeo Úrsula Valeria Ximena Yael Zoé").split()
SECOND = "Inés Noemí Isaí Belén Abel Aurora Joel Elisa".split()
SURNAMES = ("Arreguín Barrientos Beltrán Bustos Castañeda Dávila Escamilla Fonseca Galindo Huerta Ibáñez Jaramillo "
            "Lozoya Luévano Mondragón Nájera Olvera Peñaloza Quiroz Rentería Sepúlveda Tejeda Urrutia Villaseñor "
            "Yáñez Zambrano Zamudio Cárdenas Muñiz Güemes").split()
EPOCH = datetime(2024, 1, 8, 12, 0, 0)
TODAY = datetime(2026, 3, 2, 14, 0, 0)


def ascii_of(text):
    return text.lower().translate(str.maketrans("áéíóúüñ", "aeiouun"))


class Person:
    def __init__(self, seed, number):
        self.rng = rng = random.Random(f"{seed}:person:{number}")
        self.number = number
        self.given = rng.choice(GIVEN)
        if rng.random() < 0.15:
            self.given += " " + rng.choice(SECOND)
        self.paternal = rng.choice(SURNAMES)
        self.maternal = rng.choice(SURNAMES) if rng.random() < 0.8 else None
        # Some numbers begin with a zero: a phone is text.
        self.phone = f"{'0' if number % 17 == 3 else '7'}{rng.randrange(10**8, 10**9)}"
        self.email = f"{ascii_of(self.given.split()[0])}.{ascii_of(self.paternal)}{number}@example.com"
        self.created = EPOCH + timedelta(seconds=rng.randrange(0, 700 * 86400), microseconds=rng.randrange(10**6))
        if number % 3 == 0:
            self.created = self.created.replace(microsecond=0)
        elif number % 3 == 1:
            self.created = self.created.replace(microsecond=self.created.microsecond // 1000 * 1000)
        self.updated = min(self.created + timedelta(days=rng.randrange(0, 90)), TODAY)

    @property
    def full_name(self):
        return " ".join(filter(None, (self.given, self.paternal, self.maternal)))


def unified(p):
    return {"fullName": p.full_name, "firstName": p.given, "paternalLastName": p.paternal,
            "maternalLastName": p.maternal or ..., "phone": p.phone, "isActive": p.number % 13 != 0,
            "role": "member", "onboardingCompleted": True}


def ios(p):
    return {"fullName": p.full_name, "phone": p.phone, "isActive": p.number % 13 != 0, "role": "member",
            "onboardingCompleted": p.number % 4 != 0,
            "photoURL": f"https://img.example.com/u/{p.number}.jpg" if p.number % 3 == 0 else ...}


def android(p):
    minor = p.number % 11 == 0
    guardian = {} if not minor else {
        "guardianNombre": "Ofelia", "guardianPrimerApellido": p.paternal, "guardianSegundoApellido": "",
        "guardianTelefono": "7" + p.phone[1:], "guardianEmail": f"tutor{p.number}@example.org", "guardianRelacion": "madre"}
    return {"nombre": p.given, "primerApellido": p.paternal, "segundoApellido": p.maternal or ...,
            "telefono": p.phone, "activo": p.number % 13 != 0, "role": "member",
            "telefonoEmergencia": "7" + p.phone[:0:-1], "fechaNacimiento": f"{1960 + p.number % 48}-0{1 + p.number % 9}-15",
            "enfermedades": "asma" if p.number % 6 == 0 else "", "lesiones": "", "otros": "", "isMinor": minor, **guardian}


def mixed(p):
    return {**android(p), **ios(p)}


ERAS = {"unified": unified, "ios": ios, "android": android, "mixed": mixed}


# --- The mess -----------------------------------------------------------------------------------
# One line a user: kind, era that it starts from, what is different. "@" in an e-mail's place stands for the
# user's own block, so that the mess may be repeated in a large sample.

def name_of(full):
    return {"fullName": full}


def parts(nombre=..., primer=..., segundo=...):
    return {"nombre": nombre, "primerApellido": primer, "segundoApellido": segundo}


NO_UNIFIED_PARTS = {"firstName": ..., "paternalLastName": ..., "maternalLastName": ...}
JOSE_NFD, NUNEZ_NFD = "Jose\u0301", "Nu\u0301n\u0303ez"

SPECIALS = [
    # Staff first: later documents refer to them by number.
    ("staff", "unified", {"role": "admin", "isActive": True}),
    ("staff", "unified", {"role": "receptionist", "isActive": True}),
    ("staff", "unified", {"role": "trainer", "isActive": True}),

    # Two providers, one e-mail. The ages are given; an absent createdAt counts as the document's own age.
    ("twins", "ios", {"email": "doble.uno{b}@example.com", "createdAt": datetime(2024, 5, 2, 10, 0, 0, 250000)}),
    ("twins", "android", {"email": "Doble.Uno{b}@Example.com", "createdAt": datetime(2024, 5, 2, 10, 0, 0)}),
    ("twins", "unified", {"email": "doble.dos{b}@example.com", "createdAt": datetime(2025, 1, 15, 9, 30)}),
    ("twins", "ios", {"email": "doble.dos{b}@example.com", "createdAt": datetime(2024, 11, 3, 18, 45, 1, 1)}),
    ("twins", "ios", {"email": "doble.tres{b}@example.com", "createdAt": ...}),
    ("twins", "android", {"email": "doble.tres{b}@example.com", "createdAt": datetime(2025, 6, 1, 8)}),
    ("twins", "ios", {"email": "doble.cuatro{b}@example.com", "createdAt": datetime(2024, 3, 3, 3, 3, 3)}),
    ("twins", "android", {"email": " doble.cuatro{b}@example.com", "createdAt": datetime(2024, 3, 3, 3, 3, 3)}),
    ("twins", "ios", {"email": "doble.cinco{b}@example.com", "createdAt": ...}),
    ("twins", "ios", {"email": "doble.cinco{b}@example.com", "createdAt": None}),
    ("twins", "android", {"email": "triple{b}@example.com", "createdAt": datetime(2025, 2, 2, 2)}),
    ("twins", "ios", {"email": "TRIPLE{b}@example.com", "createdAt": datetime(2025, 2, 2, 1)}),
    ("twins", "unified", {"email": "triple{b}@example.com\n", "createdAt": datetime(2025, 2, 2, 3)}),

    ("email-untidy", "ios", {"email": "Mayusculas.{b}@Example.COM"}),
    ("email-untidy", "android", {"email": "  espacios{b}@example.com "}),
    ("email-untidy", "ios", {"email": "renglon{b}@example.com\r\n"}),
    ("email-untidy", "android", {"email": "\tTabulador{b}@example.com\u00a0"}),
    ("email-untidy", "unified", {"email": "ÑANDÚ.Ágil{b}@example.mx"}),
    ("email-not-indexable", "ios", {"email": "ventas/caja{b}@example.com"}),
    ("email-not-indexable", "ios", {"email": ...}),
    ("email-not-indexable", "android", {"email": None}),
    ("email-not-indexable", "android", {"email": ""}),
    ("email-not-indexable", "ios", {"email": " \n"}),
    ("email-not-indexable", "android", {"email": "sin-arroba{b}.example.com"}),
    ("email-not-indexable", "unified", {"email": "__prueba{b}@example.com__"}),
    ("email-not-indexable", "unified", {"email": "{long}"}),
    ("email-not-indexable", "ios", {"email": Integral(7290001122)}),

    ("name-one-unit", "ios", name_of("Ximena")),
    ("name-one-unit", "ios", name_of("  Tadeo ")),
    ("name-one-unit", "ios", name_of("de la Garza")),
    ("name-two-units", "ios", name_of("Renata Olvera")),
    ("name-three-units", "ios", name_of("Ivana Quiroz Lozoya")),
    ("name-four-units", "ios", name_of("Gael Isaí Bustos Nájera")),
    ("name-four-units", "ios", name_of("Lía Belén Urrutia Güemes")),
    ("name-five-units", "ios", name_of("Dafne Inés Noemí Tejeda Huerta")),
    ("name-particle", "ios", name_of("Noé de la Cruz")),
    ("name-particle", "ios", name_of("Noé DE LA CRUZ Lozoya")),
    ("name-particle", "ios", name_of("Maite del Río")),
    ("name-particle", "ios", name_of("Maite Muñiz del Río")),
    ("name-particle", "ios", name_of("Ciro San Román")),
    ("name-particle", "ios", name_of("Nadia Santa Ana Quiroz")),
    ("name-particle", "ios", name_of("Josué Mc Tejeda")),
    ("name-particle", "ios", name_of("Leonel Bustos y Zamudio")),
    ("name-particle", "ios", name_of("Elías von Quiroz Huerta")),
    ("name-particle", "ios", name_of("Rebeca Fonseca de los")),
    ("name-particle", "ios", name_of("María del Carmen Luévano Dávila")),
    ("name-particle", "ios", name_of("Saúl Di Fonseca van Huerta")),
    ("name-no-particle", "ios", name_of("Delia Sandoval Mcdowell")),
    ("name-white-space", "ios", name_of("  Paloma   Rentería\tYáñez ")),
    ("name-white-space", "ios", name_of("Bruno\u00a0Galindo\nIbáñez")),
    ("name-white-space", "android", parts(" Camila  Elisa ", "\tVillaseñor", "Peñaloza\n")),
    ("name-decomposed", "ios", name_of(f"{JOSE_NFD} {NUNEZ_NFD} Ibáñez")),
    ("name-decomposed", "android", parts(JOSE_NFD, NUNEZ_NFD)),

    ("parts-agree", "mixed", {**name_of("josue MUNIZ ibanez"), **parts("Josué", "Muñiz", "Ibáñez")}),
    ("parts-agree", "mixed", {**name_of(f"{JOSE_NFD} {NUNEZ_NFD}"), **parts("José", "Núñez")}),
    ("parts-agree", "mixed", {**name_of("Noé de la Cruz Lozoya"), **parts("Noé", "de la Cruz", "Lozoya")}),
    ("parts-agree", "mixed", {**name_of("Zoé  Aurora Tejeda "), **parts("Zoé Aurora", "Tejeda")}),
    ("parts-agree-no-maternal", "mixed", {**name_of("Yael Barrientos"), **parts("Yael", "Barrientos", "Bustos")}),
    ("parts-agree-no-maternal", "mixed", {**name_of("ÚRSULA CASTANEDA"), **parts("Úrsula", "Castañeda", "Yáñez")}),
    ("parts-disagree", "mixed", {**name_of("Damián Escamilla"), **parts("Adrián", "Escamilla")}),
    ("parts-disagree", "mixed", {**name_of("Emilia Fonseca Huerta"), **parts("Emilia", "Fonseca")}),
    ("parts-disagree", "mixed", {**name_of("Saúl Abel Luévano Dávila"), **parts("Saúl", "Luévano", "Abel")}),
    ("parts-disagree", "mixed", {**name_of("Fabiola Zambrano"), **parts("Fabiola")}),
    ("parts-disagree-all-there", "unified", {
        **name_of("Ainara Olvera"), "firstName": "Ainara", "paternalLastName": "Olvera", "maternalLastName": ...,
        **parts("Inés", "Olvera")}),

    ("nombre-alone", "android", parts("Nadia")),
    ("nombre-alone", "android", parts("Iker", "  ", "Galindo")),
    ("nombre-alone", "mixed", {**name_of("Matías"), **parts("Matías", None)}),
    ("apellido-alone", "android", parts("", "Mondragón")),

    ("unified-part", "unified", {**name_of("Gael Rentería Quiroz"), **NO_UNIFIED_PARTS, "firstName": "Gael"}),
    ("unified-part", "unified", {**name_of("Gael Isaí Rentería Quiroz"), **NO_UNIFIED_PARTS, "firstName": "Gael Isaí",
                                 "paternalLastName": "Rentería"}),
    ("unified-part", "unified", {**name_of("Lía Belén Bustos"), **NO_UNIFIED_PARTS, "firstName": "Lía Belén",
                                 "paternalLastName": "Bustos"}),
    ("unified-part", "unified", {**name_of("Rebeca Dávila"), **NO_UNIFIED_PARTS, "firstName": "rebeca",
                                 **parts("Rebeca", "Dávila", "Güemes")}),
    ("unified-part", "unified", {"fullName": ..., **NO_UNIFIED_PARTS, "firstName": " Paloma ",
                                 "paternalLastName": "Muñiz", "maternalLastName": ""}),
    ("unified-part", "unified", {"fullName": ..., **NO_UNIFIED_PARTS, "firstName": "Abril"}),
    ("unified-part", "unified", {"fullName": ..., **NO_UNIFIED_PARTS, "firstName": "Ciro",
                                 **parts("Bruno", "Lozoya")}),
    ("unified-part", "unified", {**name_of("Ofelia Noemí Huerta"), **NO_UNIFIED_PARTS, "firstName": "Ofelia Noemí"}),

    ("blank-name", "ios", name_of("   ")),
    ("blank-name", "mixed", {**name_of("\t"), **parts("Valeria", "Cárdenas")}),
    ("blank-name", "mixed", {**name_of(None), **parts("Nicolás", "Beltrán", "Bustos")}),
    ("blank-name", "android", parts()),

    ("phone", "mixed", {"phone": " ", "telefono": "0291234567"}),
    ("phone", "android", {"telefono": " 729  123 4567\n"}),
    ("phone", "mixed", {"phone": "7290001111", "telefono": "7290002222"}),
    ("phone", "android", {"telefono": ...}),
    ("phone", "ios", {"phone": ""}),

    ("active-null", "ios", {"isActive": None}),
    ("active-null", "mixed", {"isActive": None, "activo": False}),
    ("active-null", "android", {"activo": None}),
    ("active-missing", "ios", {"isActive": ...}),
    ("active-missing", "unified", {"isActive": ...}),
    ("active-agrees", "mixed", {"isActive": False, "activo": False}),
    ("active-disagrees", "mixed", {"isActive": True, "activo": False}),
    ("active-disagrees", "mixed", {"isActive": False, "activo": True}),
    ("active-disagrees", "unified", {"isActive": False, "activo": True}),

    ("wrong-type", "android", {"activo": "si"}),
    ("wrong-type", "mixed", {"activo": "no", "isActive": True}),
    ("wrong-type", "android", {"telefono": Integral(7299595662)}),
    ("wrong-type", "unified", {"phone": Integral(7291112233)}),
    ("wrong-type", "mixed", {"telefono": Integral(7290000001), "activo": "true"}),
    ("wrong-type", "ios", {"isActive": Integral(1)}),
    ("wrong-type", "ios", {"onboardingCompleted": "false"}),
    ("wrong-type", "ios", {"fullName": ["Ivana", "Bustos"]}),

    ("role", "unified", {"role": "owner"}),
    ("role", "android", {"role": "staff"}),
    ("role", "ios", {"role": "staff"}),
    ("role", "ios", {"role": ...}),
    ("role", "android", {"role": None}),
    ("role", "mixed", {"role": ""}),
    ("onboarding-missing", "ios", {"onboardingCompleted": ...}),
    ("onboarding-missing", "unified", {"onboardingCompleted": None}),

    # Users whose user_emails entry is out of order; the entries follow from the kind.
    ("index-kept-later", "ios", {"email": "indice.doble{b}@example.com", "createdAt": datetime(2024, 2, 1)}),
    ("index-kept-later", "android", {"email": "indice.doble{b}@example.com", "createdAt": datetime(2025, 2, 1)}),
    ("index-moved", "ios", {"email": "correo.nuevo{b}@example.com"}),
    ("index-repointed", "ios", {"email": "heredado{b}@example.com"}),
    ("index-capitals", "ios", {"email": "Entrada.Mayuscula{b}@example.com"}),
    ("index-field-differs", "android", {"email": "Campo.Distinto{b}@example.com"}),
    ("index-no-created", "ios", {"email": "sin.fecha{b}@example.com"}),
]
for _kind, _era, _changes in SPECIALS:
    if isinstance(_changes.get("fullName"), list):
        _changes["fullName"] = array(_changes["fullName"])

# Kinds whose users have no member of their own: a second provider, or a document that says too little.
UNLINKED = {"staff", "twins", "email-not-indexable", "wrong-type", "blank-name", "index-kept-later"}
BLOCK = 400
STAFF = 3


class Gym:
    def __init__(self, users, seed):
        self.seed, self.users = seed, users
        self.counts = {
            "members": users + users // 20,
            "membership_plans": 8,
            "products": 24,
            "payments": users * 5 // 2,
            "check_ins": users * 6,
            "expenses": 60,
            "classes": max(12, users // 10),
            "classBookings": users // 2,
            "classAttendance": users // 2,
            "exercises": 20,
            "routine_templates": 6,
            "groups": max(3, users // 80),
        }
        kinds = {"classes": "auto", "classBookings": "auto", "classAttendance": "auto", "groups": "auto"}
        self.ids = {c: Ids(seed, c, n, kinds.get(c, "uuid")) for c, n in self.counts.items()}
        self.ids["users"] = Ids(seed, "users", users, "uid")
        self.admin = "admin:" + self.uid(0)
        self.kinds = Counter()
        self.eras = Counter()
        self.names_of_kind = []

    # Users

    def uid(self, number):
        return self.ids["users"].id(number)

    def special(self, number):
        place = number % BLOCK
        return SPECIALS[place] if place < len(SPECIALS) else None

    def era(self, number):
        special = self.special(number)
        if special:
            return special[1]
        return ("unified", "ios", "android", "ios", "unified", "android", "mixed")[number % 7]

    def has_member(self, number):
        special = self.special(number)
        return special[0] not in UNLINKED if special else number % 6 != 5

    def user_fields(self, number):
        person = Person(self.seed, number)
        special = self.special(number)
        fields = {"id": self.uid(number), "email": person.email, "createdAt": person.created,
                  "updatedAt": person.updated, **ERAS[self.era(number)](person)}
        if self.has_member(number):
            fields["linkedMemberId"] = self.ids["members"].id(number)
        if special:
            fields.update(special[2])
            if isinstance(fields["createdAt"], datetime):
                fields["updatedAt"] = max(fields["updatedAt"], fields["createdAt"])
            if special[0] == "staff" and number >= BLOCK:
                fields["role"] = "receptionist"
            if isinstance(fields["email"], str):
                block = "" if number < BLOCK else f".{number // BLOCK}"
                long = "x" * 1490 + block + "@example.com"
                fields["email"] = fields["email"].replace("{b}", block).replace("{long}", long)
        return fields

    def documents_of_users(self):
        for slot in range(self.users):
            number = self.ids["users"].number(slot)
            fields = self.user_fields(number)
            special = self.special(number)
            self.eras[self.era(number)] += 1
            self.kinds[special[0] if special else "plain"] += 1
            name = f"users/{fields['id']}"
            if special and number < BLOCK:
                self.names_of_kind.append((special[0], number, name))
            yield name, fields

    # The index: held in memory and sorted, as its ids are the emails.

    def documents_of_user_emails(self):
        entries = {}
        for number in range(self.users):
            special = self.special(number)
            kind = special[0] if special else "plain"
            email = self.user_fields(number)["email"]
            created = Person(self.seed, number).created + timedelta(seconds=2)
            uid = self.uid(number)
            block = "" if number < BLOCK else f".{number // BLOCK}"
            if kind in ("plain", "name-particle", "parts-agree") and number % 3 != 2:
                entries[email] = (uid, email, created)
            elif kind == "index-kept-later":
                # The later of the two users holds the entry: the last one to come wins.
                entries[email] = (uid, email, created)
            elif kind == "index-moved":
                entries[f"correo.viejo{block}@example.com"] = (uid, f"correo.viejo{block}@example.com", created)
            elif kind == "index-repointed":
                entries[email] = ("Zz0BorradoHaceMucho000000000", email, created)
            elif kind == "index-capitals":
                entries[email] = (uid, email, created)
            elif kind == "index-field-differs":
                entries[email.lower()] = (uid, email, created)
            elif kind == "index-no-created":
                entries[email] = (uid, email, ...)
            if number % BLOCK == 0:
                gone = f"se.fue{block}@example.com"
                entries[gone] = ("Aa1SeFueYSinDocumento0000000", gone, created)
                entries[f" con.espacio{block}@example.com"] = (uid, f"con.espacio{block}@example.com", created)
        for email in sorted(entries):
            uid, field, created = entries[email]
            yield f"user_emails/{email}", {"primaryUserId": uid, "email": field, "createdAt": created}

    # The gym

    PLANS = (
        ("Mensual", "time_based", 450.0, 30, None, 1), ("Trimestral", "time_based", 1200.0, 90, None, 1),
        ("Anual", "time_based", 4200.0, 365, None, 1), ("Pareja mensual", "time_based", 799.99, 30, None, 2),
        ("Familiar", "time_based", 1499.5, 30, None, 5), ("Diez visitas", "visit_based", 350.0, None, 10, 1),
        ("Mixto estudiante", "mixed", 299.0, 30, 12, 1), ("Visita", "visit_based", 60.0, None, 1, 1),
    )

    def documents_of_membership_plans(self):
        for slot in range(8):
            number = self.ids["membership_plans"].number(slot)
            name, kind, price, days, visits, most = self.PLANS[number]
            identifier = self.ids["membership_plans"].id(number)
            yield f"membership_plans/{identifier}", {
                "id": identifier, "name": name, "type": kind, "price": price, "currency": "MXN",
                "durationInDays": ... if days is None else Integral(days),
                "totalVisits": ... if visits is None else Integral(visits), "maxMembers": Integral(most),
                "description": f"Plan {name.lower()}" if number % 2 else ...,
                "isActive": {5: ..., 6: None, 7: False}.get(number, True), "sortOrder": Integral(number),
                "createdAt": EPOCH, "updatedAt": EPOCH + timedelta(days=number)}

    def plan_of(self, member):
        return member * 7 % 8

    def snapshot(self, plan, moment):
        name, kind, price, days, visits, most = self.PLANS[plan]
        return map_of({
            "planName": name, "planType": kind, "planPrice": price, "planCurrency": "MXN",
            "durationInDays": ... if days is None else Integral(days),
            "totalVisits": ... if visits is None else Integral(visits), "maxMembers": Integral(most),
            "assignedAt": moment, "assignedBy": self.admin})

    def member_person(self, number):
        return Person(self.seed, number if number < self.users else number + 10**7)

    def linked(self, number):
        return number < self.users and self.has_member(number)

    def documents_of_members(self):
        total = self.counts["members"]
        for slot in range(total):
            number = self.ids["members"].number(slot)
            person, rng = self.member_person(number), random.Random(f"{self.seed}:member:{number}")
            identifier = self.ids["members"].id(number)
            plan = self.plan_of(number)
            start = min(person.created + timedelta(days=rng.randrange(0, 60)), TODAY)
            days = self.PLANS[plan][3]
            status = "expired" if start + timedelta(days=days or 365) < TODAY else "active"
            if number % 9 == 4:
                status = ("suspended", "cancelled", "pending")[number // 9 % 3]
            family = number // 10 if number % 10 in (1, 2, 3) and number // 10 * 10 + 3 < total else None
            member = {
                "id": identifier, "firstName": person.given, "paternalLastName": person.paternal,
                "maternalLastName": person.maternal or ..., "phone": person.phone if number % 12 else ...,
                "email": person.email if number % 5 else ..., "membershipStatus": status,
                "registeredBy": "self" if self.linked(number) and number % 2 else self.admin,
                "registrationDate": person.created,
                "isActive": (..., None, False)[number // 31 % 3] if number % 31 == 7 else True,
                "createdAt": person.created, "updatedAt": start,
                "linkedUserId": self.uid(number) if self.linked(number) else ...}
            if status != "pending":
                member.update({
                    "membershipPlanId": self.ids["membership_plans"].id(plan), "membershipStartDate": start,
                    "membershipPlanSnapshot": self.snapshot(plan, start)})
                if days:
                    member["membershipEndDate"] = start + timedelta(days=days)
                if self.PLANS[plan][4]:
                    member["remainingVisits"] = Integral(rng.randrange(0, self.PLANS[plan][4] + 1))
            if number % 4 == 0:
                member.update({"emergencyPhone": "7" + person.phone[:0:-1], "diseases": "", "injuries": "rodilla izquierda",
                               "otherNotes": "Prefiere las mañanas; dijo: \"sin música\"\nLlamar antes."})
            if number % 5 == 1:
                member["birthDate"] = datetime(1958 + number % 50, 1 + number % 12, 1 + number % 28, 6)
            if number % 23 == 5:
                member["birthDate"] = datetime(2012, 1 + number % 12, 9, 6)
                member["guardianInfo"] = map_of({
                    "firstName": "Ofelia", "paternalLastName": person.paternal, "phone": "7" + person.phone[1:],
                    "email": ..., "relationship": "madre", "consent": map_of({"signed": True, "at": person.created})})
            if family is not None:
                member.update({"familyGroupId": f"familia-{family}",
                               "groupRole": "owner" if number % 10 == 1 else "dependent",
                               "groupRelationType": ("family", "friend", "other")[family % 3]})
            yield f"members/{identifier}", member

    def documents_of_payments(self):
        total, members = self.counts["payments"], self.counts["members"]
        for slot in range(total):
            number = self.ids["payments"].number(slot)
            rng = random.Random(f"{self.seed}:payment:{number}")
            owner = number % members
            kind = rng.choices(("membership", "day_pass", "product", "service", "guest_invite"), (55, 15, 20, 6, 4))[0]
            status = rng.choices(("completed", "pending", "failed", "refunded", "cancelled"), (88, 4, 3, 3, 2))[0]
            made = EPOCH + timedelta(seconds=rng.randrange(0, 780 * 86400), milliseconds=rng.randrange(1000))
            plan = self.plan_of(owner)
            amount = {"membership": self.PLANS[plan][2], "day_pass": 60.0, "product": rng.randrange(30, 1800) / 2,
                      "service": 250.0, "guest_invite": 0.0}[kind]
            identifier = self.ids["payments"].id(number)
            yield f"payments/{identifier}", {
                "id": identifier, "memberId": self.ids["members"].id(owner),
                "userId": self.uid(owner) if self.linked(owner) else ..., "type": kind,
                "method": rng.choice(("cash", "cash", "card", "transfer", "stripe", "apple_pay", "google_pay")),
                "status": status, "amount": amount, "currency": "MXN",
                "description": f"Pago, recibo {number}" if number % 4 == 0 else ...,
                "membershipPlanSnapshot": self.snapshot(plan, made) if kind == "membership" else ...,
                "registeredBy": self.admin if number % 3 else self.uid(1 % self.users),
                "completedAt": made + timedelta(seconds=40) if status == "completed" and number % 10 else ...,
                "createdAt": made, "updatedAt": made + timedelta(seconds=40)}

    def documents_of_check_ins(self):
        total, members = self.counts["check_ins"], self.counts["members"]
        for slot in range(total):
            number = self.ids["check_ins"].number(slot)
            rng = random.Random(f"{self.seed}:checkin:{number}")
            # The square gathers visits on some members, as a top ten needs.
            owner = int(rng.random() ** 2 * members)
            came = EPOCH + timedelta(days=rng.randrange(0, 780), hours=rng.choice((0, 1, 2, 5, 10, 11, 12, 12, 13)),
                                     seconds=rng.randrange(3600))
            identifier = self.ids["check_ins"].id(number)
            yield f"check_ins/{identifier}", {
                "id": identifier, "memberId": self.ids["members"].id(owner),
                "userId": self.uid(owner) if self.linked(owner) else ..., "registeredBy": self.admin if number % 2 else ...,
                "type": "guest" if number % 25 == 0 else "visitor" if number % 25 == 1 else "member",
                "checkInDate": came, "checkOutDate": came + timedelta(minutes=rng.randrange(20, 120)) if number % 3 else ...,
                "notes": "Olvidó su toalla" if number % 50 == 9 else ..., "createdAt": came, "updatedAt": came}

    PRODUCTS = (
        ("Agua 600 ml", "beverages", 15.0, 7.5), ("Bebida isotónica", "beverages", 28.0, 17.25),
        ("Café americano", "beverages", 25.0, 6.0), ("Barra de amaranto", "food", 18.5, 9.0),
        ("Ensalada de pollo", "food", 75.0, 41.0), ("Proteína de suero 1 kg", "supplements", 699.0, 480.0),
        ("Creatina 300 g", "supplements", 389.9, 260.0), ("Guantes", "equipment", 220.0, 120.0),
        ("Cuerda para saltar", "equipment", 149.0, 70.0), ("Playera", "apparel", 199.0, 95.0),
        ("Toalla", "accessories", 89.0, 40.0), ("Candado", "accessories", 65.0, 30.0),
    )

    def documents_of_products(self):
        for slot in range(self.counts["products"]):
            number = self.ids["products"].number(slot)
            name, category, price, cost = self.PRODUCTS[number % 12]
            identifier = self.ids["products"].id(number)
            history = [
                map_of({"price": price - k, "costPrice": cost - k / 2, "changedAt": EPOCH + timedelta(days=30 * k),
                        "changedBy": self.uid(0)})
                for k in range(1, 1 + number % 4)]
            exotic = {
                0: {"notes": bytes(range(16))},
                1: {"origin": geo(19.2826, -99.6557)},
                2: {"origin": geo(0, -78.5)},
                3: {"origin": geo(0, 0)},
                4: {"sku": Integral(9007199254740993)},
                5: {"sku": Integral(-9223372036854775808)},
                6: {"origin": {"referenceValue": "projects/sajarubox/databases/test/documents/products/"
                                                 + self.ids["products"].id(7)}},
                7: {"sku": "0075001"},
                8: {"notes": b""},
                9: {"notes": map_of({})},
                10: {"notes": 'Coma, "comillas", = y salto\nde línea 🏋️', "sku": "=1+1"},
                11: {"notes": 5.0, "sku": 1e-07},
                12: {"notes": {"doubleValue": "NaN"}, "sku": {"doubleValue": "-Infinity"}},
                13: {"notes": {"timestampValue": "0001-01-01T00:00:00Z"}},
                14: {"origen.país": "México", "año`": "literal"},
                15: {"notes": array([None, True, Integral(1), 1.5, "x", map_of({"y": array([])})])},
                16: {"notes": ""},
                17: {"notes": None},
            }.get(number, {"sku": f"SKU-{number:04d}"})
            yield f"products/{identifier}", {
                "id": identifier, "name": name if number < 12 else f"{name} (grande)", "category": category,
                "description": f"{name}, pieza" if number % 3 == 0 else ..., "price": price, "costPrice": cost,
                "currency": "MXN", "stock": Integral(number * 3 % 40), "imageURL": "" if number % 8 == 1 else ...,
                "isActive": {8: ..., 15: None, 16: False}.get(number, True), "createdAt": EPOCH,
                "updatedAt": EPOCH + timedelta(days=number), "priceHistory": array(history), **exotic}

    EXPENSES = ("rent", "utilities", "payroll", "equipment", "supplies", "maintenance", "marketing", "insurance", "taxes",
                "other")

    def documents_of_expenses(self):
        for slot in range(self.counts["expenses"]):
            number = self.ids["expenses"].number(slot)
            day = datetime(2025, 1, 1, 18) + timedelta(days=7 * number)
            category = self.EXPENSES[number % 10]
            identifier = self.ids["expenses"].id(number)
            yield f"expenses/{identifier}", {
                "id": identifier, "category": category, "description": f"Gasto de {category}, semana {number}",
                "amount": 500.0 + number * 37.25, "currency": "MXN", "date": day,
                "paymentMethod": ("cash", "transfer", "card")[number % 3],
                "vendorName": f"Proveedor {number % 9}" if number % 2 else ..., "notes": "" if number % 7 == 0 else ...,
                "isRecurring": number % 10 == 0, "recurringDay": Integral(1) if number % 10 == 0 else ...,
                "registeredBy": self.admin, "isActive": {11: ..., 22: None, 33: False}.get(number, True),
                "createdAt": day, "updatedAt": day}

    CLASSES = ("Yoga", "Spinning", "Box", "Zumba", "Funcional", "Pilates", "Estiramiento", "Natación para niños")

    def documents_of_classes(self):
        for slot in range(self.counts["classes"]):
            number = self.ids["classes"].number(slot)
            day = datetime(2026, 1, 5, 6) + timedelta(days=number % 60)
            android_made = number % 3 == 0
            identifier = self.ids["classes"].id(number)
            yield f"classes/{identifier}", {
                "nombre": self.CLASSES[number % 8], "fecha": day,
                "horaInicio": f"{7 + number % 12:02d}:{(0, 30)[number % 2]:02d}", "duracionMin": Integral(45 + number % 2 * 15),
                "capacidadMax": Integral(20), "gymId": "sajarubox",
                "description": ... if android_made else f"Clase de {self.CLASSES[number % 8]}",
                "isActive": ... if android_made else None if number % 10 == 1 else number % 10 != 2,
                "recurrenceGroupId": f"serie-{number % 8}" if not android_made and number % 2 else ...,
                "createdAt": day - timedelta(days=20), "updatedAt": day - timedelta(days=19)}

    def booked(self, number):
        """(user, class) of a booking: nobody books a class twice, and no class overflows."""
        return number % self.users, number % self.counts["classes"]

    def documents_of_classBookings(self):
        for slot in range(self.counts["classBookings"]):
            number = self.ids["classBookings"].number(slot)
            user, klass = self.booked(number)
            identifier = self.ids["classBookings"].id(number)
            moment = datetime(2026, 1, 2, 12) + timedelta(minutes=number % 40000)
            yield f"classBookings/{identifier}", {
                "classId": self.ids["classes"].id(klass), "userId": self.uid(user),
                "gymId": "sajarubox", "estado": "cancelada" if number % 8 == 3 else "activa",
                "createdAt": moment}

    def documents_of_classAttendance(self):
        for slot in range(self.counts["classAttendance"]):
            number = self.ids["classAttendance"].number(slot)
            user, klass = self.booked(number)
            identifier = self.ids["classAttendance"].id(number)
            moment = datetime(2026, 1, 5, 13) + timedelta(minutes=number % 80000)
            walk_in = self.users + number % (self.counts["members"] - self.users) if self.counts["members"] > self.users else 0
            yield f"classAttendance/{identifier}", {
                "classId": self.ids["classes"].id(klass),
                "userId": ... if number % 10 == 0 else self.uid(user),
                "memberId": self.ids["members"].id(walk_in) if number % 10 == 0
                else self.ids["members"].id(user) if self.linked(user) else ...,
                "asistio": number % 5 != 2, "timestamp": moment}

    MOVES = ("Sentadilla", "Peso muerto", "Press de banca", "Remo con barra", "Dominadas", "Plancha", "Zancadas",
             "Fondos", "Curl de bíceps", "Elevación de talón")

    def documents_of_exercises(self):
        for slot in range(self.counts["exercises"]):
            number = self.ids["exercises"].number(slot)
            identifier = self.ids["exercises"].id(number)
            yield f"exercises/{identifier}", {
                "id": identifier, "name": self.MOVES[number % 10] + (" con pausa" if number >= 10 else ""),
                "muscles": array(["pierna", "glúteo"] if number % 2 else []),
                "variants": array([map_of({"name": f"Nivel {k}", "steps": array([f"Paso {s}" for s in range(1, k + 1)])})
                                   for k in range(1, 1 + number % 3)]),
                "isActive": {4: ..., 9: None, 13: False}.get(number, True), "createdAt": EPOCH, "updatedAt": EPOCH}

    def documents_of_routine_templates(self):
        for slot in range(self.counts["routine_templates"]):
            number = self.ids["routine_templates"].number(slot)
            identifier = self.ids["routine_templates"].id(number)
            blocks = [
                map_of({"name": f"Bloque {'ABC'[b]}", "rounds": Integral(3 + b), "exercises": array([
                    map_of({"exerciseId": self.ids["exercises"].id((number * 3 + b * 2 + e) % 20), "order": Integral(e),
                            "sets": Integral(3), "reps": "8-12", "restSeconds": Integral(60), "weightKg": 20.0 + e,
                            "tempo": map_of({"down": Integral(3), "up": Integral(1)})})
                    for e in range(1 + b)])})
                for b in range(number % 4)]
            yield f"routine_templates/{identifier}", {
                "id": identifier, "name": f"Rutina {number + 1}", "blocks": array(blocks),
                "isActive": {2: ..., 4: None}.get(number, True), "createdAt": EPOCH, "updatedAt": EPOCH}

    def documents_of_groups(self):
        for slot in range(self.counts["groups"]):
            number = self.ids["groups"].number(slot)
            identifier = self.ids["groups"].id(number)
            made = datetime(2025, 9, 1, 17) + timedelta(hours=number)
            size = min(2 + number % 9, self.users)
            users = [(number * 80 + k * 7) % self.users for k in range(size)]
            users = list(dict.fromkeys(users))
            yield f"groups/{identifier}", {
                "name": f"Los {('madrugadores', 'constantes', 'del box')[number % 3]} {number}",
                "createdBy": self.uid(users[0]), "memberCount": Integral(len(users)),
                "isActive": {1: ..., 2: None}.get(number, True), "createdAt": made}
            for uid, user in sorted((self.uid(user), user) for user in users):
                yield f"groups/{identifier}/members/{uid}", {
                    "displayName": Person(self.seed, user).given, "photoURL": None if user % 2 else ...,
                    "joinedAt": made + timedelta(days=user % 30), "role": "admin" if user == users[0] else "member",
                    "isActive": ... if user % 5 == 0 else True}

    def documents_of_app_config(self):
        yield "app_config/setup", {"adminUserId": self.uid(0), "createdAt": EPOCH}


COLLECTIONS = (
    "users", "members", "membership_plans", "products", "payments", "check_ins", "expenses", "user_emails", "app_config",
    "classes", "classBookings", "classAttendance", "exercises", "routine_templates", "groups",
)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", metavar="DIR", required=True)
    parser.add_argument("--users", type=int, default=400)
    parser.add_argument("--seed", type=int, default=20260302)
    parser.add_argument("--list-kinds", action="store_true", help="print which user shows which kind of mess")
    options = parser.parse_args()
    if options.users < 10:
        parser.error("at least 10 users")

    gym = Gym(options.users, options.seed)
    folder = Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    for collection in COLLECTIONS:
        count = 0
        with open(folder / f"{collection}.jsonl", "w", encoding="utf-8", newline="\n", buffering=1 << 20) as file:
            for name, fields in getattr(gym, f"documents_of_{collection}")():
                file.write(ENCODER.encode({"fields": fields_of(fields), "name": name}) + "\n")
                count += 1
        print(f"{count:9} {collection}", file=sys.stderr)
    for label, counter in (("era", gym.eras), ("kind", gym.kinds)):
        for key, count in sorted(counter.items()):
            print(f"{count:9} {label} {key}", file=sys.stderr)
    if options.list_kinds:
        for kind, _, name in sorted(gym.names_of_kind, key=lambda entry: entry[1]):
            print(f"{kind}\t{name}")


if __name__ == "__main__":
    main()

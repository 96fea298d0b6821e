"""What random tables are made of: names, ids, spellings of values, and noise near to them."""

import base64
import json

SCHEMA = """
schema: things
time-zone: Europe/Madrid
collections:
  things:
    fields:
      title: { type: string, label: { en: Title, es: Título } }
      size: { type: integer, label: { en: Size, es: Tamaño } }
      price: { type: double, label: { en: Price, es: Precio } }
      ok: { type: boolean, label: { en: Fine, es: Bien } }
      born: { type: timestamp, label: { en: Born, es: Nacimiento } }
      tags: array
      owner: reference
      place: geopoint
      blob: bytes
      home: { type: map, fields: { city: string, rooms: integer } }
"""
DECLARED = {
    "title": "text", "Title": "text", "Título": "text", "size": "integer", "Size": "integer", "Tamaño": "integer", "price": "double",
    "Price": "double", "Precio": "double", "ok": "boolean", "Fine": "boolean", "Bien": "boolean", "born": "timestamp", "Born": "timestamp",
    "Nacimiento": "timestamp", "tags": "array", "owner": "reference", "place": "geopoint", "blob": "bytes", "home.city": "text",
    "home.rooms": "integer",
}
LABELS = {
    "Title": "title", "Título": "title", "Size": "size", "Tamaño": "size", "Price": "price", "Precio": "price", "Fine": "ok", "Bien": "ok",
    "Born": "born", "Nacimiento": "born",
}
NAMES = [
    "alpha", "beta", "amount", "city", "since", "note", "m.x", "m.y", "m.deep.z", "`odd name`", "m.`a.b`", "`ñandú`", "numero_socio",
    "numero_visitas",
    "telefono2", "telefono_total", "idSocio", "codigo_postal", "RFC", "valor", "width", "idea", "cardCount", "card", "`C.P.`", "n1",
    "_under", "HTMLId",
    "`RFC-cliente`", "userID", "ids", "number", "orderNumber", "Telefonos", "video", "`é`", "`e\u0301`", "A1", "a1",
]
# Headings about which the pages are not plain, and some that are no path of a field.
ODD_HEADINGS = ["Precio unitario", "año", "a-b", " gamma", "gamma "]
WRONG_HEADINGS = ["a..b", ".a", "a.", "`open", "a`b", "a b.", "`a`b", "a:", "a:nothing", "a:b:text"]
TYPE_WORDS = {
    "text": ["text", "string"], "integer": ["integer", "int"], "double": ["double", "number"], "boolean": ["boolean", "bool"],
    "timestamp": ["timestamp", "date"], "geopoint": ["geopoint", "point"], "array": ["array"], "reference": ["reference"],
    "bytes": ["bytes"], "any": ["any"],
}
TEXTS = [
    "Ana", "Solís, Ana", 'say "hi"', "two\nlines", "two\r\nlines", "old\rmac", " lead", "trail ", "\ttab", "007", "0445512345678", "1,200",
    "16%", "$5", "-",
    "N/A", "+5", ".5", "-0", "sí", "verdadero", "=1+1", "@x", "'=x", "''-5", "'+5", "'quoted'", "日本語", "é", "e\u0301", "🏋️", "a\tb", "#",
    "# note", "NULL",
    "undefined", "#N/A", "#ERROR!", "#####", "##", "Err:502", "Err:5021",
    "1/2", "1:30", "18:30", "1-2", "5e", "0x1F", "1_000", "nan", "inf", "infinity", "[VIP] Ana", "a\u00a0b", "a;b",
    "a|b", "1 200",
    "9007199254740993", "1E5", "00", "5.", "1.2.3", "2026", "12:00 p. m.", "\\N", "\\", "a,b", "true?", "٣", "１２", "sep=;", "null?", "Null",
    "'", '"', "True", "FALSE",
    "cars/c1", "19.4, -99.1", "http://x.test/a?b=c", "_x0041_", "\u200b", "x\u2028y", "1.5.", "--1", "1e", "1.234.567", "2026-13-01", "e5",
    "31/12/26",
]
IDS = [
    "null", "007", "true", "[x", "{y", "a b", "ñ", "e\u0301", "é", "x,y", 'q"q', "1.0", "1", "2026-01-01", "-", "@me", "=id", "#1",
    "a;b", "日本", "A", "a", "%2F", "a.b", "_x_", "\\",
]
BAD_IDS = [".", "..", "__x__", "x" * 1501, " lead", "trail ", "\u00a0nb", "zw\u200b", "\ufeffx", "a/b", "a//b", "/a", "tab\t"]
TYPED = {
    "integer": [
        "0", "7", "-7", "12.0", " 7 ", "\t3", "9007199254740993", "9223372036854775807", "-9223372036854775808", "1000000", "-1",
        "null", "2147483648",
    ],
    "double": [
        "10", "10.5", "1E5", "1e-7", "-0.0", "0.1", " 2.5", "NaN", "Infinity", "-Infinity", "1.7976931348623157e+308", "5e-324",
        "123456789.123456789",
        "1e+22", "-1.5e3", "0", "null", "0.30000000000000004", "9007199254740992.0", "9007199254740993e0", "1152921504606847000.0",
    ],
    "boolean": ["true", "Verdadero", "SÍ", "si", "YES", "1", "FALSE", "Falso", "no", "0", " true ", "No", "null"],
    "timestamp": [
        "31/12/2026", "1/2/2026", "01-02-2026", "31.12.1999", "2026-12-31", "2026/1/5", "31/12/2026 18:30", "5/6/2026 9:05:07",
        "2026-06-30 6:30 p. m.",
        "01/01/2026 12:15 a. m.", "01/01/2026 12:15 p. m.", "2026-01-31T18:00:00Z", "2026-01-31T18:00:00.123456+02:00", " 2026-12-31 ",
        "0001-01-01",
        "31/12/9999 23:00", "29/02/2024", "25/10/2026 02:30", "1/11/2026 01:30:00", "30/10/2022 01:30", "null", "1969-12-31 23:59:59",
    ],
    "array": [
        '["a",7,1.5,true,null]', "[]", '["null","007",""]', '[{"integerValue":"9007199254740993"}]', '[ 1 , "x,y" ]',
        '[{"mapValue":{"fields":{"a":{"stringValue":"b"}}}}]',
    ],
    "reference": [
        "cars/c1", "/cars/c1", "cars/c1/parts/p1", " cars/c2 ", "projects/o/databases/d/documents/cars/c1",
        '{"referenceValue":"projects/o/databases/d/documents/a/b"}',
    ],
    "geopoint": ["19.4326, -99.1332", "-90, 180", "0, 0", " 1.5, 2 ", '{"geoPointValue":{"latitude":1.5,"longitude":-2.0}}'],
    "bytes": ["AAEC", "aGVsbG8=", "/+8=", " AA== ", '{"bytesValue":"AAEC"}'],
}
for cells in TYPED.values():
    cells += ["null ", "\tnull"]
WRONG = {
    "integer": [
        "12.5", "x", "9223372036854775808", "1,200", "1 200", "16%", "true", "007", "+5", "1E5", "--1", "1.2.3", "٣", '{"x":1}',
        "12.50", "1.0e3", "NaN", "Infinity", "-Infinity", " NaN ",
    ],
    "double": ["9007199254740993.0", "-9007199254740993.50", "x", "1,5", "1.2.3", "1 000.5", "$5", "1e400", ".5", "5.", "nan", "0x1F", "1.234,56", "1e"],
    "boolean": ["2", "maybe", "t", "10", "", "tru e", "wahr"],
    "timestamp": [
        "12/31/2026", "31/02/2026", "2026-13-01", "31/12/26", "yesterday", "29/02/2023", "2026-12-31 25:00", "2026-02-30", "1/2", "18:30",
        "46000", "29/03/2026 02:30", "08/03/2026 02:30", "3/4/2022 02:30",
    ],
    "array": ["[1,", "x", '{"a":1}', '[{"a":1,"a":2}]', '["a" "b"]', "1,2"],
    "reference": ["cars", "cars/c1/parts", "cars//c1", "/", "a/b/c"],
    "geopoint": ["91, 0", "0, 181", "x, y", "1.5", "1, 2, 3"],
    "bytes": ["***", "AAE", "a b"],
}
for cells in WRONG.values():
    cells += [" ", "\t"]
JSON_CELLS = [
    '{"stringValue":"7"}', '{"integerValue":"7"}', '{"doubleValue":1.5}', '{"nullValue":null}', '{"booleanValue":true}',
    '{"stringValue":""}',
    '{"mapValue":{"fields":{"k":{"stringValue":"v"}}}}', '{"timestampValue":"2026-01-31T18:00:00Z"}', "{}",
    '{"arrayValue":{"values":[{"integerValue":"1"}]}}',
]
BAD_JSON = ['{"stringValue":"a","stringValue":"b"}', '{"mapValue":{"fields":{"k":{"nullValue":null},"k":{"integerValue":"1"}}}}']
GUESSES = {
    "integers": ["0", "7", "-12", "9007199254740992", "100", "2026", " 5 "],
    "numbers": ["0", "7", "-12.5", "1.0", "1e-7", "-0.0", "1.5e3", "NaN", "-Infinity", "3"],
    "exponents": ["1E5", "2e3", "1.5e3", "1e-7", "9E0"],
    "booleans": ["true", "TRUE", "false", "FALSE"],
    "days": ["31/12/2026", "13.02.2025", "1/2/2026", "28-02-2024", "2026-12-31", "2026-06-30 6:30 p. m."],
    "months": ["12/31/2026", "2/13/2025", "1/2/2026", "2026/3/4 18:30:15", "12/30/2026 18:30"],
    "both orders": ["12/31/2026", "31/12/2026", "1/2/2026", "13/2/2026", "13/13/2026"],
    "no order": ["1/2/2026", "3/4/2026", "05-06-2026", "12/12/2026"],
    "moments": ["2026-01-31T18:00:00Z", "2026-01-31T18:00:00.5-06:00", "2026-12-31", "2026/1/2 18:30"],
    "arrays": ['["a"]', "[1,2]", "[]", '[{"stringValue":"x"}]'],
    "references": ['{"referenceValue":"projects/o/databases/d/documents/cars/c1"}', "cars/c1", "cars/c2/parts/p"],
    "points": ['{"geoPointValue":{"latitude":1.5,"longitude":-2.0}}', "19.4326, -99.1332"],
    "commas": ["499,00", "1234,5", "1.234,56", "1.234", "7", "-3,25"],
    "forms": [
        "7", "7.0", "true", "2026-01-31T18:00:00Z", "[1]", "{}", "null", "1e+22", "-9007199254740993", "9223372036854775807", "-7",
        "NaN",
    ],
}
COMMAS = {
    "integer": ["1.234", "12,0", "7", "-1.234.567", "0"], "double": ["499,00", "1234,5", "1.234,56", "1.234", "-0,5", "7", "1.000.000,001"],
}
BAD_COMMAS = ["10.5", "1.23", "12.34,5", "1234.567", "1,2,3", ",5", "1,234.5"]


# Noise. Each of these takes a `random.Random`.


def mutated(cell, random):
    """A cell with one character more, less, or another."""
    at = random.randrange(len(cell) + 1)
    signs = "0123456789+-.,/:eE %$\"'[]{}TZapm_ \t"
    return cell[:at] + random.choice(["", random.choice(signs)]) + cell[at + random.randint(0, 1) :]


def some_digits(random, most=20):
    count = random.choice([1, 1, 2, 3, 3, 4, random.randint(1, most)])
    return "".join(random.choice("0123456789") for _ in range(count))


def number_like(random):
    if random.random() < 0.03:
        return random.choice(["1e400", "-1E+309", "1e-400", "0e999"])
    cell = random.choice(["", "", "", "-", "-", "+", "--", "("]) + (some_digits(random) if random.random() < 0.95 else "")
    for _ in range(random.choice([0, 0, 0, 1, 2])):
        cell += random.choice(",. '") + "".join(random.choice("0123456789") for _ in range(random.choice([3, 3, 2])))
    if random.random() < 0.5:
        cell += random.choice(".,") + some_digits(random, 30)
    if random.random() < 0.25:
        cell += random.choice("eE") + random.choice(["", "-", "+"]) + str(random.choice([0, 1, 5, 22, 300, 308, 309, 400]))
    return cell + random.choice([""] * 12 + ["%", " €", "f", " "])


def date_like(random):
    year = random.choice([2026, 2024, 1900, 2000, 1999, 1, 9999, 0, 26, random.randrange(10000)])
    day, month = (random.randint(0, 32), random.randint(0, 13)) if random.random() < 0.1 else (random.randint(1, 28), random.randint(1, 12))
    one, other = [random.choice("///---.") for _ in range(2)]
    other = one if random.random() < 0.9 else other
    form = random.choice(["{:02d}", "{}"])
    parts = [form.format(part) for part in random.choice([(day, month), (month, day)])]
    years = f"{year:04d}" if random.random() < 0.9 else str(year)
    date = f"{years}{one}{parts[0]}{other}{parts[1]}" if random.random() < 0.5 else f"{parts[0]}{one}{parts[1]}{other}{years}"
    return date + clock_like(random)


def clock_like(random):
    hour, minute, second = random.randint(0, 25), random.randint(0, 61), random.randint(0, 61)
    clock = random.choice([
        f"{hour:02d}:{minute:02d}", f"{hour}:{minute:02d}", f"{hour:02d}:{minute:02d}:{second:02d}", f"{hour}:{minute}", f"{hour}",
    ])
    zone = random.choice([
        "", "", "", "Z", "+02:00", "-06:00", " p. m.", " a. m.", " PM", " p.m.", "z", "+0200", ".5", ".123456789Z", ".5Z",
    ])
    return random.choice(["", "", random.choice([" ", " ", "T", "  ", "t"]) + clock + zone])


def word_like(random):
    word = random.choice([
        "true", "false", "sí", "si", "no", "yes", "verdadero", "falso", "1", "0", "y", "n", "on", "x", "s", "null", "nul", "01", "1.0",
        "0.0", "-1",
    ])
    return "".join(random.choice([letter.lower(), letter.upper()]) for letter in word) + random.choice(["", "", "", " ", ".", "\u00a0"])


def some_json(random, depth=0):
    kinds = ["text", "integer", "double", "word", "member"] + ([] if depth else ["list", "list", "object"])
    kind = random.choice(kinds)
    if kind == "list":
        return [some_json(random, 1) for _ in range(random.randrange(4))]
    if kind == "object":
        return {random.choice(["a", "b", "stringValue", "integerValue"]): some_json(random, 1) for _ in range(random.randrange(3))}
    return {
        "text": random.choice(["", "a", "null", "7", "é", "\n"]), "integer": random.choice([0, 7, -1, 2**53, 2**53 + 1, 2**63]),
        "double": random.choice([0.5, -0.0, 1e22, 7.0]), "word": random.choice([True, False, None]),
        "member": random.choice([
            {"stringValue": "x"}, {"integerValue": "7"}, {"integerValue": 7}, {"doubleValue": "NaN"}, {"nullValue": None},
            {"booleanValue": True}, {"x": 1},
        ]),
    }[kind]


def json_like(random):
    cell = json.dumps(some_json(random), ensure_ascii=random.random() < 0.5)
    return mutated(cell, random) if random.random() < 0.2 else cell


def path_like(random):
    names = [random.choice(["cars", "c1", "a b", "é", "007", "null", "x.y", "parts"]) for _ in range(random.randrange(6))]
    return random.choice(["", "", "", "/", "projects/p/databases/d/documents/", "//"]) + "/".join(names) + random.choice(["", "", "", "/"])


def point_like(random):
    north, east = [random.choice(["0", "-0.5", "19.4326", "90", "90.1", "-180", "180.5", "1e1", "+5", "x", ".5", "007"]) for _ in range(2)]
    return random.choice(["", "", "("]) + north + random.choice([", ", ", ", ",", " ", "; ", ",  ", " , "]) + east


def bytes_like(random):
    cell = base64.b64encode(random.randbytes(random.randrange(8))).decode()
    return mutated(cell, random) if random.random() < 0.4 else cell


NOISE = {
    "integer": number_like, "double": number_like, "timestamp": date_like, "boolean": word_like, "array": json_like, "reference": path_like,
    "geopoint": point_like, "bytes": bytes_like,
}

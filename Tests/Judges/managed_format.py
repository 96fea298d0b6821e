"""Google's managed export folders, read and written by the facts about them alone: the log of LevelDB, entities of the old datastore.

`read_folder` gives the documents of a folder. What is certainly damaged or unknown raises `Damaged`; where the facts do not
say what it is, `Open`.
"""

import base64
import datetime
import struct

import google_crc32c

BLOCK, HEADER = 32_768, 7
WHOLE, FIRST, MIDDLE, LAST = 1, 2, 3, 4
VARINT, FIXED, BYTES, GROUP, GROUP_END = 0, 1, 2, 3, 4
TIMESTAMP, POINT, DATA, TEXT, BYTE_STRING, MAP, EMPTY_ARRAY, VECTOR = 7, 9, 14, 15, 16, 19, 24, 31
EPOCH = datetime.datetime(1970, 1, 1)
OVERALL = ".overall_export_metadata"


class Damaged(Exception):
    """No whole export, or one of another kind."""


class Open(Exception):
    """The facts do not say what it is, or it breaks a limit of the service."""


def need(truth, what):
    if not truth:
        raise Damaged(what)


def plain(truth, what):
    if not truth:
        raise Open(what)


# The log.


def checksum(data):
    crc = google_crc32c.value(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def read_log(data, file):
    begun = None
    for start in range(0, len(data), BLOCK):
        block = data[start : start + BLOCK]
        at = 0
        while at < len(block):
            if len(block) - at < HEADER:
                need(not any(block[at:]) and len(block) == BLOCK, f"{file}: half a header")
                break
            length, kind = struct.unpack_from("<HB", block, at + 4)
            if kind == 0 and length == 0:
                need(not any(block[at:]), f"{file}: bytes after the end of a block")
                break
            piece = block[at + HEADER : at + HEADER + length]
            need(len(piece) == length, f"{file}: half a fragment")
            need(block[at : at + 4] == checksum(block[at + 6 : at + HEADER] + piece), f"{file}: a checksum")
            need(kind in (WHOLE, FIRST, MIDDLE, LAST), f"{file}: a fragment of type {kind}")
            need((begun is None) == (kind in (WHOLE, FIRST)), f"{file}: fragments out of order")
            at += HEADER + length
            begun = (begun or b"") + piece
            if kind in (WHOLE, LAST):
                yield begun
                begun = None
    need(begun is None, f"{file}: half a record")


def write_log(records, pad=False):
    found = bytearray()
    for record in records:
        kinds = (WHOLE, FIRST)
        while True:
            room = BLOCK - len(found) % BLOCK
            if room < HEADER:
                found += bytes(room)
                room = BLOCK
            piece, record = record[: room - HEADER], record[room - HEADER :]
            kind = bytes([kinds[1 if record else 0]])
            found += checksum(kind + piece) + struct.pack("<H", len(piece)) + kind + piece
            kinds = (LAST, MIDDLE)
            if not record:
                break
    return bytes(found) + (bytes(-len(found) % BLOCK) if pad else b"")


# Messages.


class Cursor:
    """Reads a message from its bytes."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        found = self.data[self.at : self.at + count]
        need(len(found) == count, "half a field")
        self.at += count
        return found

    def varint(self):
        found = 0
        for shift in range(0, 70, 7):
            byte = self.take(1)[0]
            found |= (byte & 127) << shift
            if byte < 128:
                plain(found < 2**64, "a number of more than 64 bits")
                return found
        raise Damaged("a number of more than ten bytes")

    def message(self, group=None, depth=0):
        found = []
        plain(depth < 60, "groups in groups")
        while group is not None or self.at < len(self.data):
            number, wire = divmod(self.varint(), 8)
            need(0 < number < 2**29, "a field of no number")
            if wire == GROUP_END:
                need(number == group, "a group ends that did not begin")
                return found
            need(wire in (VARINT, FIXED, BYTES, GROUP, 5), f"a wire type {wire}")
            if wire == VARINT:
                value = self.varint()
            elif wire == BYTES:
                value = self.take(self.varint())
            elif wire == GROUP:
                value = self.message(number, depth + 1)
            else:
                value = self.take(8 if wire == FIXED else 4)
            found.append((number, wire, value))
        return found


def parse(data):
    return Cursor(data).message()


def every(message, number, wire):
    plain(all(one[1] == wire for one in message if one[0] == number), f"field {number} of another wire type")
    return [value for found, _, value in message if found == number]


def once(message, number, wire):
    """The field, or None where it is missing."""
    found = every(message, number, wire)
    plain(len(found) < 2, f"field {number} twice")
    return found[0] if found else None


def known(message, *numbers):
    plain(all(number in numbers for number, _, _ in message), "an unknown field")


def varint(number):
    number &= 2**64 - 1
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes(found) + bytes([number])


def tag(number, wire):
    return varint(number << 3 | wire)


def field(number, value):
    if isinstance(value, int):
        return tag(number, VARINT) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return tag(number, BYTES) + varint(len(data)) + data


def group(number, inner):
    return tag(number, GROUP) + inner + tag(number, GROUP_END)


def fixed(number, value):
    return tag(number, FIXED) + struct.pack("<d", value)


# Names.


def text_of(data):
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Damaged("no UTF-8") from None


def signed(number):
    return number - 2**64 if number >= 2**63 else number


def project_of(app):
    return app.partition("~")[2] if app.startswith(("s~", "e~", "dev~")) else app


def read_path(elements, kind, number, name):
    segments = []
    for element in elements:
        known(element, kind, number, name)
        collection, id, title = once(element, kind, BYTES), once(element, number, VARINT), once(element, name, BYTES)
        need(collection and (id is None) != (title is None) and title != b"", "an element of a path without its id")
        segments += [text_of(collection), text_of(title) if id is None else f"__id{signed(id)}__"]
        plain(id != 0, "the id 0")
    need(segments, "an empty path")
    plain(all(may_be_named(segment, id=index % 2 == 1) for index, segment in enumerate(segments)), "a name that is none")
    return "/".join(segments)


def may_be_named(segment, id):
    odd = segment.startswith("__") and segment.endswith("__") and len(segment) > 3
    numeric = id and segment.startswith("__id") and segment[4:-2].removeprefix("-").isdecimal()
    return segment not in (".", "..") and "/" not in segment and len(segment.encode()) <= 1500 and (not odd or numeric)


def read_key(key):
    """Project, database and path."""
    known(key, 13, 14, 20, 23)
    plain(not once(key, 20, BYTES), "a name space")
    app, path, database = once(key, 13, BYTES), once(key, 14, BYTES), once(key, 23, BYTES)
    need(app and path, "no key")
    inner = parse(path)
    known(inner, 1)
    return project_of(text_of(app)), text_of(database or b"(default)"), read_path(every(inner, 1, GROUP), 2, 3, 4)


# Values.


def read_fields(entity):
    indexed, raw = every(entity, 14, BYTES), every(entity, 15, BYTES)
    found = {}
    for data in [*indexed, *raw]:
        one = parse(data)
        known(one, 1, 2, 3, 4, 5)
        name, value, multiple = once(one, 3, BYTES), once(one, 5, BYTES), once(one, 4, VARINT)
        need(name is not None and value is not None and multiple is not None, "a property without its parts")
        plain(multiple in (0, 1) and not once(one, 2, BYTES), "a property with odd parts")
        meaning = once(one, 1, VARINT)
        # App Engine's short bytes have a meaning of their own where they are indexed.
        if meaning == BYTE_STRING and data in indexed:
            meaning = DATA
        found.setdefault(text_of(name), []).append((bool(multiple), meaning, read_value(meaning, parse(value), bool(multiple))))
    names = [[text_of(once(parse(data), 3, BYTES)) for data in datas] for datas in (indexed, raw)]
    plain(not set(names[0]) & set(names[1]), "an array in two halves")
    return {name: gathered(parts) for name, parts in found.items()}


def gathered(parts):
    multiple, meanings = {part[0] for part in parts}, {part[1] for part in parts}
    values = [value for _, _, value in parts]
    if multiple == {False}:
        need(len(parts) == 1, "a name twice")
        plain(meanings != {VECTOR}, "a vector of one that is none")
        return values[0]
    need(multiple == {True}, "a name twice")
    plain(EMPTY_ARRAY not in meanings, "an array in an array")
    if VECTOR in meanings:
        plain(meanings == {VECTOR}, "half a vector")
        return vector(values)
    plain(not any("arrayValue" in value for value in values), "an array in an array")
    return {"arrayValue": {"values": values}}


def vector(numbers):
    return {"mapValue": {"fields": {"__type__": {"stringValue": "__vector__"}, "value": {"arrayValue": {"values": numbers}}}}}


def read_value(meaning, value, multiple):
    need(meaning in (None, TIMESTAMP, POINT, DATA, TEXT, MAP, EMPTY_ARRAY, VECTOR), f"the meaning {meaning}")
    known(value, 1, 2, 3, 4, 5, 12)
    plain(len(value) < 2, "two values")
    number, wire, inner = value[0] if value else (None, None, None)
    plain(wire == {None: None, 1: VARINT, 2: VARINT, 3: BYTES, 4: FIXED, 5: GROUP, 12: GROUP}[number], "a value of another wire type")
    match meaning, number:
        case None, None:
            return {"nullValue": None}
        case None, 1:
            return {"integerValue": str(signed(inner))}
        case None, 2:
            plain(inner in (0, 1), "an odd boolean")
            return {"booleanValue": bool(inner)}
        case (None | 15), 3:
            return {"stringValue": text_of(inner)}
        case (None | 31), 4:
            return {"doubleValue": struct.unpack("<d", inner)[0]}
        case None, 12:
            return {"referenceValue": read_reference(inner)}
        case 7, 1:
            return {"timestampValue": moment(signed(inner))}
        case 9, 5:
            known(inner, 6, 7)
            latitude, longitude = once(inner, 6, FIXED), once(inner, 7, FIXED)
            need(latitude and longitude, "half a point")
            point = {"latitude": struct.unpack("<d", latitude)[0], "longitude": struct.unpack("<d", longitude)[0]}
            plain(abs(point["latitude"]) <= 90 and abs(point["longitude"]) <= 180, "a point that is nowhere")
            return {"geoPointValue": point}
        case 14, 3:
            return {"bytesValue": base64.b64encode(inner).decode()}
        case 19, 3:
            return read_map(parse(inner))
        case 24, None:
            plain(not multiple, "an array in an array")
            return {"arrayValue": {}}
    raise Damaged(f"the meaning {meaning} with the value {number}")


def read_map(entity):
    known(entity, 13, 14, 15, 16)
    fields = read_fields(entity)
    if fields.keys() == {"__vector__"}:
        array = fields["__vector__"].get("arrayValue", {})
        return vector(array.get("values", []))
    return {"mapValue": {"fields": fields}}


def read_reference(key):
    known(key, 13, 14, 20, 23)
    plain(not once(key, 20, BYTES), "a name space")
    app, database = once(key, 13, BYTES), once(key, 23, BYTES)
    need(app, "a reference to no project")
    path = read_path(every(key, 14, GROUP), 15, 16, 17)
    return f"projects/{project_of(text_of(app))}/databases/{text_of(database or b'(default)')}/documents/{path}"


def moment(microseconds):
    try:
        time = EPOCH + datetime.timedelta(microseconds=microseconds)
    except OverflowError:
        raise Open("a time without a year") from None
    return time.strftime(f"{time.year:04}-%m-%dT%H:%M:%S.") + f"{time.microsecond:06}Z"


def microseconds(time):
    whole, _, fraction = time.removesuffix("Z").partition(".")
    since = datetime.datetime.fromisoformat(whole) - EPOCH
    return (since.days * 86_400 + since.seconds) * 10**6 + int(f"{fraction[:6]:0<6}")


# Folders.


def read_record(record):
    """Project, database, path and fields of a document."""
    entity = parse(record)
    known(entity, 13, 14, 15, 16)
    key = once(entity, 13, BYTES)
    need(key is not None, "no key")
    fields = read_fields(entity)
    plain(all(map(may_be_field, fields)), "a field that is none")
    return *read_key(parse(key)), fields


def may_be_field(name):
    return name != "" and len(name.encode()) <= 1500 and not (name.startswith("__") and name.endswith("__") and len(name) > 3)


def overall_of(folder):
    found = list(folder.glob(f"*{OVERALL}"))
    need(found, f"{folder.name}: no {OVERALL}")
    plain(len(found) == 1, "more than one export")
    return found[0]


def read_folder(folder):
    """The databases that the documents are of, and the documents."""
    overall = overall_of(folder)
    records = list(read_log(overall.read_bytes(), overall.name))
    need(len(records) == 2 and records[0] == b"\x33", f"{overall.name}: no export")
    message = parse(records[1])
    databases = set()
    documents = {}
    for part in every(message, 1, BYTES):
        one = parse(part)
        metadata = folder / text_of(once(one, 2, BYTES) or b"")
        need(metadata.is_file(), f"{metadata.name} is missing")
        count = 0
        for path in outputs(metadata):
            need(path.is_file(), f"{path.name} is missing")
            for record in read_log(path.read_bytes(), path.name):
                project, database, name, fields = read_record(record)
                need(name not in documents, f"{path.name}: {name} twice")
                databases.add((project, database))
                documents[name] = fields
                count += 1
        need(count == (once(one, 3, VARINT) or 0), f"{metadata.name}: {count} documents")
    return databases, documents


def outputs(metadata):
    names = [text_of(name) for part in every(parse(metadata.read_bytes()), 2, BYTES) for name in every(parse(part), 2, BYTES)]
    plain(all(name and "/" not in name and "\0" not in name and name not in (".", "..") for name in names), "a file elsewhere")
    plain(len(set(names)) == len(names), "a file that is named twice")
    return [metadata.parent / name for name in names]


# Writing.


class Style:
    """What differs between exports: the application, the database, how texts and points are marked."""

    def __init__(self, app, database="(default)", texts=False, indexed=False, old_vectors=False):
        self.app, self.database, self.texts, self.indexed, self.old_vectors = app, database, texts, indexed, old_vectors


def elements(path, number, kind, id, name, only_first=False):
    segments = path.split("/")
    found = b""
    for collection, title in zip(segments[::2], segments[1::2]):
        numeric = title.startswith("__id") and title.endswith("__")
        found += group(number, field(kind, collection) + (field(id, int(title[4:-2])) if numeric else field(name, title)))
        if only_first:
            break
    return found


def write_record(path, fields, style):
    database = b"" if style.database == "(default)" else field(23, style.database)
    key = field(13, style.app) + field(14, elements(path, 1, 2, 3, 4)) + database
    return field(13, key) + write_fields(fields, style) + field(16, elements(path, 1, 2, 3, 4, only_first=True))


def write_fields(fields, style):
    return b"".join(write_field(name, value, style) for name, value in fields.items())


def write_field(name, value, style):
    ((kind, inner),) = value.items()
    place = 14 if style.indexed else 15
    if kind == "arrayValue":
        values = inner.get("values", [])
        if not values:
            return field(14, field(1, EMPTY_ARRAY) + field(3, name) + field(4, 0) + field(5, b""))
        return b"".join(write_property(place, name, 1, *write_value(one, style)) for one in values)
    if kind == "mapValue" and "__type__" in inner.get("fields", {}) and not style.old_vectors:
        numbers = inner["fields"]["value"]["arrayValue"]["values"]
        return b"".join(write_property(place, name, 1, VECTOR, fixed(4, float(one["doubleValue"]))) for one in numbers)
    return write_property(place, name, 0, *write_value(value, style))


def write_property(place, name, multiple, meaning, value):
    return field(place, (b"" if meaning is None else field(1, meaning)) + field(3, name) + field(4, multiple) + field(5, value))


def write_value(value, style):
    ((kind, inner),) = value.items()
    match kind:
        case "nullValue":
            return None, b""
        case "booleanValue":
            return None, field(2, int(inner))
        case "integerValue":
            return None, field(1, int(inner))
        case "doubleValue":
            return None, fixed(4, float(inner))
        case "stringValue":
            return TEXT if style.texts and len(inner) > 20 else None, field(3, inner)
        case "bytesValue":
            return DATA, field(3, base64.b64decode(inner))
        case "timestampValue":
            return TIMESTAMP, field(1, microseconds(inner))
        case "geoPointValue":
            return POINT, group(5, fixed(6, inner.get("latitude", 0)) + fixed(7, inner.get("longitude", 0)))
        case "referenceValue":
            _, project, _, database, _, path = inner.split("/", 5)
            app = style.app if project == project_of(style.app) else f"s~{project}"
            named = b"" if database == "(default)" else field(23, database)
            return None, group(12, field(13, app) + elements(path, 14, 15, 16, 17) + named)
        case "mapValue":
            empty = field(13, field(13, b"") + field(14, b"")) + field(16, b"")
            fields = inner.get("fields", {})
            if "__type__" in fields:
                numbers = fields["value"]["arrayValue"]["values"]
                parts = [write_property(15, "__vector__", 1, None, fixed(4, float(one["doubleValue"]))) for one in numbers]
                return MAP, field(3, empty + b"".join(parts))
            return MAP, field(3, empty + write_fields(fields, style))
    raise ValueError(kind)


def write_folder(folder, name, files, pad=False, kind=None):
    """An export of everything, or of a collection, in as many files as there are lists of records."""
    title = f"kind_{kind}" if kind else "all_kinds"
    inner = folder / "all_namespaces" / title
    inner.mkdir(parents=True)
    metadata, size = inner / f"all_namespaces_{title}.export_metadata", 0
    for number, records in enumerate(files):
        (inner / f"output-{number}").write_bytes(write_log(records, pad))
        size += len(write_log(records))
    names = b"".join(field(2, f"output-{number}") for number in range(len(files)))
    times = field(1, name) + field(2, 1_700_000_000_000_000) + field(3, 1_700_000_001_000_000)
    metadata.write_bytes(field(1, times) + field(2, field(1, kind or "") + names))
    head = field(1, field(1, 2) + field(3, 3))
    part = head + field(2, str(metadata.relative_to(folder))) + field(3, sum(map(len, files))) + field(4, size)
    (folder / f"{name}{OVERALL}").write_bytes(write_log([b"\x33", field(1, part)]))

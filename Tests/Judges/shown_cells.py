"""What the cells of people's tables show of Firestore's values, as another program would put it.

A value is that of the REST API: {"integerValue": "7"}.
"""
import datetime
import json
import re

REFERENCE = re.compile(r"projects/[^/]+/databases/[^/]+/documents/(.+)", re.DOTALL)


def number(value):
    """A double without a point that it does not need."""
    if isinstance(value, str):
        return value
    return re.sub(r"\.0$", "", repr(float(value)))


def moment(text, zone):
    """A local time, with the digits of its fraction."""
    local = datetime.datetime.fromisoformat(text[:19] + "+00:00").astimezone(zone)
    return local.strftime("%Y-%m-%d %H:%M:%S") + text[19:-1]


def words(value, zone):
    """The text of a value that is neither a map nor an array."""
    ((kind, content),) = value.items()
    if kind == "doubleValue":
        return number(content)
    if kind == "timestampValue":
        return moment(content, zone)
    if kind == "referenceValue":
        match = REFERENCE.fullmatch(content)
        return match[1] if match else content
    if kind == "geoPointValue":
        return f"{number(content.get('latitude', 0))}, {number(content.get('longitude', 0))}"
    if kind == "nullValue":
        return "null"
    if kind == "booleanValue":
        return str(content).lower()
    return content


def plain(value, zone):
    """A value as JSON without types."""
    ((kind, content),) = value.items()
    if kind == "nullValue":
        return None
    if kind == "booleanValue":
        return content
    if kind == "integerValue":
        return int(content)
    if kind == "doubleValue":
        return content if isinstance(content, str) else float(content)
    if kind == "arrayValue":
        return [plain(it, zone) for it in content.get("values", [])]
    if kind == "mapValue":
        fields = content.get("fields", {})
        if fields.get("__type__") == {"stringValue": "__vector__"}:
            return plain(fields["value"], zone)
        return {name: plain(it, zone) for name, it in fields.items()}
    return words(value, zone)


def shows(text, value, zone):
    """Whether a text is what people expect to see of a value."""
    if "arrayValue" in value or "mapValue" in value:
        try:
            return json.loads(text) == plain(value, zone)
        except ValueError:
            return False
    return text == words(value, zone)

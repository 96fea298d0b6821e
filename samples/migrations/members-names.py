"""Reads a document a line, and answers each with a line."""

import json
import sys
import unicodedata

NAMES = ["firstName", "paternalLastName", "maternalLastName"]


def tidy(text):
    return " ".join(unicodedata.normalize("NFC", text).split())


for line in sys.stdin:
    document = json.loads(line)
    fields = document["fields"]
    answer = {"same": True}
    for name in NAMES:
        text = fields.get(name, {}).get("stringValue")
        if text is None or text == tidy(text):
            continue
        if not tidy(text):
            answer = {"review": f"{name} is blank"}
            break
        fields[name] = {"stringValue": tidy(text)}
        answer = document
    print(json.dumps(answer))

#!/usr/bin/env python3
"""Writes the manual pages of the program, a page a command, from what it says of itself:

    generate-manual.py PROGRAM FOLDER

FOLDER/gymmigrate.1, FOLDER/gymmigrate-export.1, FOLDER/gymmigrate-migrate-plan.1 and so on. The date is that of
SOURCE_DATE_EPOCH, else of today.

The generator of swift-argument-parser is not used: it fills the examples of a discussion into one paragraph, drops what is
not ASCII, and leaves out the titles of options.
"""
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys


# What only the first page has, beside the help of the program.
ROOT = r"""
.SH ENVIRONMENT
.TP
.B GYMMIGRATE_ENV\fR, \fBGYMMIGRATE_PAGE_SIZE\fR and so on
The default of the option with that name.
.TP
.B GOOGLE_APPLICATION_CREDENTIALS
The file of the credentials, as for every client of Google's.
.TP
.B FIRESTORE_EMULATOR_HOST
Host and port of an emulator, instead of the service.
.SH FILES
.TP
.I gymmigrate.yaml
The environments and the schema; here, else in the user's configuration folder.
.TP
.I .gymmigrate/
The runs with their journals, and the embedded store; another folder with
.BR \-\-state\-dir .
"""


def escaped(text):
    """Text as roff prints it: hyphens that can be copied, and no line that begins a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    text = text.replace("^", "\\(ha").replace("~", "\\(ti")
    return re.sub(r"^\.", r"\\&.", text, flags=re.MULTILINE)


def bold(text):
    return f"\\fB{escaped(text)}\\fR"


def italic(text):
    return f"\\fI{escaped(text)}\\fR"


def words(command):
    return (command.get("superCommands") or []) + [command["commandName"]]


def page_name(command):
    return "-".join(words(command))


def reference(command):
    return f".BR \\%{escaped(page_name(command))} (1)"


def shown(items):
    return [item for item in items or [] if item.get("shouldDisplay", True)]


def subcommands(command):
    return [item for item in shown(command.get("subcommands")) if item["commandName"] != "help"]


def spelled(name):
    return ("-" if name["kind"] != "long" else "--") + name["name"]


def synopsis(command):
    if subcommands(command):
        words_of_value = [italic("subcommand")]
        if command.get("defaultSubcommand"):
            words_of_value = ["[" + words_of_value[0] + "]"]
        return words_of_value
    pieces = ["[" + italic("options") + "]"]
    required = [item for item in shown(command.get("arguments")) if not item["isOptional"] and item["kind"] == "option"]
    for item in required:
        pieces.append(f"{bold(spelled(item['preferredName']))} {italic(item['valueName'])}")
    for item in shown(command.get("arguments")):
        if item["kind"] == "positional":
            value = italic(item["valueName"]) + ("\\ ..." if item["isRepeating"] else "")
            pieces.append(f"[{value}]" if item["isOptional"] else value)
    return pieces


def discussion(text):
    """Paragraphs are filled; lines that are indented stay as they are; a line in capitals with a colon is a section."""
    lines, literal = [], False
    for line in text.split("\n"):
        heading = re.fullmatch(r"([A-Z][A-Z ]+):", line)
        if literal and not line.startswith("  "):
            lines += [".EE", ".RE"]
            literal = False
        if heading:
            name = "EXIT STATUS" if heading[1] == "EXIT CODES" else heading[1]
            lines.append(f".SH {name}")
        elif not line:
            if lines and lines[-1] != ".PP" and not lines[-1].startswith(".SH"):
                lines.append(".PP")
        elif line.startswith("  "):
            if not literal:
                if lines and lines[-1] == ".PP":
                    lines.pop()
                lines += [".PP", ".RS 4", ".EX"] if not (lines and lines[-1].startswith(".SH")) else [".RS 4", ".EX"]
                literal = True
            lines.append(escaped(line[2:]))
        else:
            lines.append(escaped(line))
    if literal:
        lines += [".EE", ".RE"]
    while lines and lines[-1] == ".PP":
        lines.pop()
    return lines


def option(item):
    value = italic(item["valueName"]) if item.get("valueName") else ""
    if item["kind"] == "positional":
        title = value + ("\\ ..." if item["isRepeating"] else "")
    else:
        names = sorted(item["names"], key=lambda name: name["kind"] == "long")
        title = ", ".join(bold(spelled(name)) for name in names)
        if item["kind"] == "option":
            title += f" {value}"
    text = item.get("abstract") or ""
    details = []
    if values := item.get("allValues"):
        if not all(re.search(rf"\b{re.escape(each)}\b", text) for each in values):
            details.append("values: " + ", ".join(values))
    if item.get("defaultValue") is not None:
        details.append("default: " + item["defaultValue"])
    if details:
        text += f" ({'; '.join(details)})"
    lines = [".TP", title, escaped(text) if text else "\\&"]
    if item.get("discussion"):
        lines += [".IP", escaped(item["discussion"].strip())]
    return lines


def page(command, root, date, version):
    name = page_name(command)
    lines = [
        '.\\" Generated from the help of the program.',
        f'.TH "{escaped(name.upper())}" 1 "{date}" "gymmigrate {version}" "User Commands"',
        ".nh",
        ".ad l",
        ".SH NAME",
        f"{escaped(name)} \\- {escaped((command.get('abstract') or '').rstrip('.'))}",
        ".SH SYNOPSIS",
        ".HP",
        f"{bold(' '.join(words(command)))} {' '.join(synopsis(command))}",
        ".SH DESCRIPTION",
    ]
    said = command.get("discussion") or command.get("abstract") or ""
    lines += discussion(said)
    if below := subcommands(command):
        lines.append(".SH SUBCOMMANDS")
        for item in below:
            lines += [".TP", reference(item), escaped(item.get("abstract") or "\\&")]
        if default := command.get("defaultSubcommand"):
            lines += [".PP", f"Without one: {bold(default)}."]
    sections = {}
    for item in shown(command.get("arguments")):
        title = item.get("sectionTitle") or ("Arguments" if item["kind"] == "positional" else "Options")
        sections.setdefault(title, []).append(item)
    for title in sorted(sections, key=lambda title: (title != "Arguments", title == "Options")):
        lines.append(f".SH {escaped(title.upper())}")
        for item in sections[title]:
            lines += option(item)
    if command is not root:
        lines += [".SH EXIT STATUS", "0 when all is done; every code is in", reference(root) + " ."]
    else:
        lines += ROOT.strip().split("\n")
    lines.append(".SH SEE ALSO")
    related = [] if command is root else [root]
    for parent in parents(root, command)[1:]:
        related.append(parent)
    related += subcommands(command)
    lines += [reference(item) + (" ," if item is not related[-1] else "") for item in related]
    return "\n".join(lines) + "\n"


def parents(root, command):
    """The commands above a command, the root first."""
    chain, here = [], root
    for word in words(command)[1:]:
        chain.append(here)
        here = next(item for item in here["subcommands"] if item["commandName"] == word)
    return chain


def all_commands(command):
    yield command
    for item in subcommands(command):
        yield from all_commands(item)


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    said = json.loads(subprocess.run([program, "--experimental-dump-help"], check=True, stdout=subprocess.PIPE).stdout)
    if said["serializationVersion"] != 0:
        sys.exit("generate-manual: the parser describes its commands in a form that this script does not know")
    version = subprocess.run([program, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    moment = os.environ.get("SOURCE_DATE_EPOCH")
    zone = datetime.timezone.utc
    date = (datetime.datetime.fromtimestamp(int(moment), zone) if moment else datetime.datetime.now(zone)).date()
    folder.mkdir(parents=True, exist_ok=True)
    for command in all_commands(said["command"]):
        (folder / f"{page_name(command)}.1").write_text(page(command, said["command"], date, version))


main()

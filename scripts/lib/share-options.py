"""Reads the command line reference, and writes it with options that several commands share said once.

An option or argument whose help is the same, word for word, in two commands or more stands in a section of its own; each of these commands
only names it. Commands whose help is that of another one refer to it.
"""

import collections
import re
import sys

HEAD = "## "
OPTION = re.compile(r"^  (?=[-<])")
TITLE = re.compile(r"^[A-Z][A-Z ]*:$")
LEAST = 2
# What every command has.
COMMON = ("--version", "-h, --help")
# What every command has that connects to a database.
CONNECTED = ("-e", "-q")


def sections(page):
    """The introduction, and the title and the lines of each section."""
    # A page has room for an example in one line.
    parts = re.split(r"(?m)^(?=## )", page.replace(" \\\n      ", " "))
    return parts[0], [with_names_of_subcommands(part.splitlines()) for part in parts[1:]]


def with_names_of_subcommands(lines):
    """The lines with the names of a command's subcommands alone: each has a section below, which begins with what it does."""
    if "SUBCOMMANDS:" not in lines:
        return lines
    start = lines.index("SUBCOMMANDS:")
    end = lines.index("", start)
    names = [line.split()[0] for line in lines[start + 1 : end] if re.match(r"^  \S", line)]
    return [*lines[:start], f"Subcommands: {', '.join(names)}", *lines[end:]]


def blocks(lines):
    """The lines in groups: an option with what follows it indented, or a line alone."""
    found = []
    for line in lines:
        if found and OPTION.match(found[-1][0]) and re.match(r"^ {10,}\S", line):
            found[-1].append(line)
        else:
            found.append([line])
    return found


def name(block):
    """How an option is called: `-e`, or `--json`."""
    return re.split(r"[ ,/]", block[0].strip())[0]


def is_option(block):
    return bool(OPTION.match(block[0]))


def without_empty_groups(kept):
    """Drops the titles of groups that have no option left, and blank lines behind others."""
    lines = []
    for index, block in enumerate(kept):
        following = kept[index + 1] if index + 1 < len(kept) else ["```"]
        is_empty = following[0] in ("", "```") or TITLE.match(following[0])
        if TITLE.match(block[0]) and is_empty:
            continue
        if block[0] == "" and lines and lines[-1] == "":
            continue
        lines += block
    return lines


def without_listed_values(block):
    """An option without the list of its values, where its text has all of them."""
    text = "\n".join(block)
    found = re.search(r"\s*\(values:\s([^;)]*)(?:;\s(default:[^)]*))?\)", text)
    if not found:
        return block
    before = text[: found.start()]
    if not all(value.strip() in before for value in found[1].replace("\n", " ").split(",")):
        return block
    default = " ".join(found[2].split()) if found[2] and "default:" not in before else ""
    return (before + (f" ({default})" if default else "") + text[found.end() :]).split("\n")


def plain_usage(lines):
    """The lines with a usage that names what is required, and a pointer to more help left out."""
    text = "\n".join(lines).replace("\nOVERVIEW: ", "\n")
    usage = re.search(r"^USAGE: (?:.+\n)+", text, re.M)
    if usage and usage[0].count("[") > 2 and "[<options>]" not in usage[0]:
        words = re.sub(r"\s*\[-[^\]]*(?:\.\.\.)?\]", "", " ".join(usage[0].split()))
        text = text.replace(usage[0], f"{words} [<options>]\n")
    # What the title and the list of arguments say already.
    lone = re.search(r"^USAGE: [^\n]*\n\n?", text, re.M)
    if lone and not re.search(r" --? ?\w*", re.sub(r"\[-[^\]]*\]", "", lone[0])):
        text = text.replace(lone[0], "")
    title = re.escape(lines[0].removeprefix(HEAD))
    text = re.sub(rf"\nUSAGE: {title} (\[<options>\]|<subcommand>)\n\n?", "\n", text)
    return re.sub(r"\n  See 'gymmigrate help .*' for detailed help.\n", "\n", text).split("\n")


def shortened(lines, shared):
    kept, named = [], []
    for block in blocks(plain_usage(lines)):
        if is_option(block) and block[0].strip().startswith(COMMON):
            continue
        if is_option(block) and tuple(block) in shared:
            named += [] if name(block) in CONNECTED else [name(block)]
            continue
        kept.append(without_listed_values(block) if is_option(block) else block)
    lines = without_empty_groups(kept)
    if not named:
        return lines
    end = len(lines) - 1 - lines[::-1].index("```")
    while lines[end - 1] == "":
        del lines[end - 1]
        end -= 1
    return lines[:end] + ["", f"Also: {', '.join(named)}"] + lines[end:]


def main():
    introduction, found = sections(sys.stdin.read())
    commands = [lines for lines in found if not re.match(r"## gymmigrate( help .*)?$", lines[0])]
    counts = collections.Counter(
        tuple(block) for lines in commands for block in blocks(lines) if is_option(block)
    )
    topics = {tuple(block) for lines in found if lines not in commands for block in blocks(lines) if is_option(block)}
    # One name means one thing there: what most commands mean by it.
    usual = {}
    for block in sorted(counts, key=lambda block: (block not in topics, -counts[block], block)):
        if counts[block] >= LEAST or block in topics:
            usual.setdefault(name(block), block)
    shared = set(usual.values())
    said = sorted(shared - topics, key=lambda block: block[0].lstrip(" -"))
    said = [block for block in said if not block[0].strip().startswith(COMMON)]
    page, seen, is_said = [introduction], {}, False
    for lines in found:
        if lines in commands and not is_said:
            shown = "\n".join(line for block in said for line in without_listed_values(list(block)))
            page.append(f"## Options of several commands\n\n```text\n{shown}\n```\n\n")
            is_said = True
        same = lines[0].rsplit(" ", 1)[-1], tuple(line for line in lines if not line.startswith(("## ", "USAGE:")))
        if same in seen:
            page.append(f"{lines[0]}\n\nThe same as `{seen[same]}`.\n\n")
            continue
        seen[same] = lines[0].removeprefix(HEAD)
        page.append("\n".join(shortened(lines, shared) if lines in commands else lines) + "\n")
    sys.stdout.write(re.sub(r"\n{3,}", "\n\n", "".join(page)).rstrip("\n") + "\n")


main()

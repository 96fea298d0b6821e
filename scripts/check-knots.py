#!/usr/bin/env python3
"""Refuses a knot in the executable: more than 8 files of Sources/gymmigrate that need each other.

A file needs another one where it names a type that the other declares; members that it only extends do not count. With -v, prints
every knot.
"""
import pathlib
import re
import sys

LIMIT = 8
DECLARATION = re.compile(
    r"^(?:@\w+\s+)*(?:(?:public|package|internal|private|fileprivate|final|indirect)\s+)*"
    r"(?:struct|class|enum|actor|protocol|typealias)\s+(\w+)",
    re.MULTILINE,
)
NOISE = re.compile(r'//[^\n]*|"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"')
INTERPOLATION = re.compile(r"\\\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)")


def code(text):
    """A text of Swift without its comments, and of its strings what is computed in them."""
    return NOISE.sub(lambda noise: " ".join([" ", *INTERPOLATION.findall(noise.group())]), text)


def components(graph):
    """The strongly connected components of a graph, largest first (Tarjan, without recursion)."""
    index, low, on_stack, stack, found = {}, {}, set(), [], []
    for root in graph:
        if root in index:
            continue
        work = [(root, iter(sorted(graph[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(sorted(graph[target]))))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    knot = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        knot.append(member)
                        if member == node:
                            break
                    found.append(sorted(knot))
    return sorted(found, key=len, reverse=True)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent / "Sources" / "gymmigrate"
    texts = {str(path.relative_to(root)): code(path.read_text()) for path in root.rglob("*.swift")}
    declared = {}
    for name, text in texts.items():
        for type_name in DECLARATION.findall(text):
            declared.setdefault(type_name, set()).add(name)
    graph = {}
    for name, text in texts.items():
        words = set(re.findall(r"\b[A-Z]\w*", text))
        graph[name] = {file for word in words & declared.keys() for file in declared[word] if file != name}
    knots = [knot for knot in components(graph) if len(knot) > 1]
    largest = len(knots[0]) if knots else 1
    if "-v" in sys.argv[1:]:
        for knot in knots:
            print(len(knot), " ".join(knot))
    if largest > LIMIT:
        print(f"{largest} of {len(graph)} files of Sources/gymmigrate need each other:", file=sys.stderr)
        print("  " + "\n  ".join(knots[0]), file=sys.stderr)
        return 1
    print(f"Knots: at most {largest} of {len(graph)} files of the executable need each other.")
    return 0


sys.exit(main())

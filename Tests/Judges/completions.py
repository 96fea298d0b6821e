#!/usr/bin/env python3
"""Types into bash, zsh and fish, and looks at what they complete: commands, options, environments, collections, migrations, runs and files.

    python3 completions.py [--require] path/to/gymmigrate

A shell that is not installed is skipped and named; with --require it is a failure. Needs nothing but Python's own library.
"""

import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time

CONFIGURATION = """\
schema: gym
environments:
  alphastage: { project: p, database: a, endpoint: "http://127.0.0.1:1" }
  betastage: { project: p, database: b, endpoint: "http://127.0.0.1:1" }
"""
# What is typed before the tabulator, and the word that has to be there then.
TYPED = [
    ("gymmigrate expo", "export"),
    ("gymmigrate export --no-sub", "--no-subcollections"),
    ("gymmigrate export -e alph", "alphastage"),
    ("gymmigrate copy --from beta", "betastage"),
    ("gymmigrate count mem", "members"),
    ("gymmigrate migrate apply user-e", "user-emails"),
    ("gymmigrate migrate undo 2", "RUN"),
    ("gymmigrate runs show 2", "RUN"),
    ("gymmigrate import user", "users.jsonl"),
    ("gymmigrate import steps/user", "steps/users-trim.yaml"),
    ("gymmigrate migrate plan steps/us", "steps/users-trim.yaml"),
    ("gymmigrate migrate apply --plan user", "users.jsonl"),
    ("gymmigrate export users -o user", "users.jsonl"),
    ("gymmigrate mirror status user", "users.jsonl"),
]
PROMPT = "PROMPT0"
STARTS = {
    "bash": (["--norc", "--noprofile", "-i"], "eval \"$(gymmigrate completion bash)\"; PS1=PROMPT$((0))"),
    "zsh": (["-f", "-i"], "fpath=($HOME $fpath); autoload -Uz compinit; compinit -u -d $HOME/dump; PS1=PROMPT$((0))"),
    "fish": (["--no-config", "-i"], "source $HOME/gymmigrate.fish; function fish_prompt; echo -n PROMPT(math 0); end; function fish_greeting; end"),
}


class Shell:
    def __init__(self, name, folder, environment):
        arguments, start = STARTS[name]
        self.text = ""
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            os.execvpe(name, [name, *arguments], environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        self.send(start + "\n")
        self.expect(PROMPT)

    def send(self, text):
        os.write(self.terminal, text.encode())

    def expect(self, word, seconds=120):
        """Whether a word comes up on the screen."""
        end = time.monotonic() + seconds
        while word not in self.text and time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.2)[0]:
                try:
                    more = os.read(self.terminal, 65536).decode(errors="replace")
                except OSError:
                    break
                # Without what only moves the cursor, colours and rings.
                self.text += re.sub(r"\x1b(\[[0-9;?>=]*[A-Za-z]|\][^\x07]*\x07|[()][AB0]|[=>78])|[\r\x07\x08\x0f]", "", more)
        return word in self.text

    def completes(self, typed, word):
        self.text = ""
        self.send(typed + "\t")
        found = self.expect(word)
        seen = self.text
        # Ctrl-U clears the line, and the shell goes on editing it.
        self.send("\x15")
        return None if found else f"{typed!r} and a tabulator: {seen[-200:]!r} has no {word!r}"

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.child, 0)


def prepared(binary, folder):
    """A folder with a program, a configuration and a run; returns the id of the run and the environment of shells."""
    (folder / "bin").mkdir()
    (folder / "bin/gymmigrate").symlink_to(binary)
    (folder / "gymmigrate.yaml").write_text(CONFIGURATION)
    (folder / "steps").mkdir()
    (folder / "steps/users-trim.yaml").write_text("")
    (folder / "users.jsonl").write_text('{"name":"users/u","fields":{"email":{"stringValue":"a@example.com"}}}\n')
    environment = {"HOME": str(folder), "PATH": f"{folder}/bin:{os.environ['PATH']}", "TERM": "xterm", "LANG": "C.UTF-8"}
    run = ["gymmigrate", "import", "users.jsonl", "-e", "local", "-q"]
    subprocess.run(run, cwd=folder, env=environment, check=True, executable=binary, stderr=subprocess.DEVNULL)
    for shell, file in [("zsh", "_gymmigrate"), ("fish", "gymmigrate.fish")]:
        script = subprocess.run([binary, "completion", shell], capture_output=True, text=True, check=True).stdout
        (folder / file).write_text(script)
    return next((folder / ".gymmigrate/runs").iterdir()).name, environment


def main():
    words = [word for word in sys.argv[1:] if word != "--require"]
    binary = str(pathlib.Path(words[0]).resolve())
    wrongs, tried, missing = [], [], [name for name in STARTS if not shutil.which(name)]
    with tempfile.TemporaryDirectory() as place:
        run, environment = prepared(binary, pathlib.Path(place))
        for name in STARTS:
            if name in missing:
                continue
            shell = Shell(name, place, environment)
            for typed, word in TYPED:
                wrong = shell.completes(typed, run if word == "RUN" else word)
                wrongs += [f"{name}: {wrong}"] if wrong else []
            shell.close()
            tried.append(name)
    if missing and "--require" in sys.argv:
        wrongs.append(f"not installed: {', '.join(missing)}")
    for wrong in wrongs:
        print(f"completions: {wrong}", file=sys.stderr)
    skipped = f"; SKIPPED, as they are not installed: {', '.join(missing)}" if missing else ""
    print(f"completions: {len(TYPED)} lines in {', '.join(tried)}{skipped}.")
    sys.exit(1 if wrongs else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Exports to, verifies and imports from an emulator of Cloud Storage that is not ours: gcp-storage-emulator of PyPI.

It keeps resumable and multipart uploads, checks CRC32C of metadata, serves ranges and lists. It lacks generations in requests,
preconditions and pages of lists, which Tests/Judges/storage_service.py plays strictly.

    storage_emulator.py BINARY
"""
import json
import os
import socket
import subprocess
import sys
import tempfile

from gcp_storage_emulator.server import create_server


def main():
    binary = os.path.abspath(sys.argv[1])
    samples = os.path.abspath("samples/gym")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = create_server("127.0.0.1", port, in_memory=True, default_bucket="backups")
    server.start()
    try:
        with tempfile.TemporaryDirectory() as folder:
            environment = {"PATH": os.environ["PATH"], "HOME": folder, "STORAGE_EMULATOR_HOST": f"127.0.0.1:{port}"}

            def run(*words, code=0):
                done = subprocess.run([binary, *words], cwd=folder, env=environment, capture_output=True, text=True)
                if done.returncode != code:
                    sys.exit(f"storage_emulator.py: {' '.join(words)}: exit {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
                return done.stdout

            run("import", f"{samples}/users.jsonl", f"{samples}/members.jsonl", "-e", "local")
            here = json.loads(run("export", "users", "-e", "local", "-o", "here.csv", "--json"))
            there = json.loads(run("export", "users", "-e", "local", "-o", "gs://backups/one/users.csv", "--json"))
            size = os.path.getsize(f"{folder}/here.csv")
            # A look, the start, and the only piece.
            counted = (there["requests"] - here["requests"], there["bytesOut"] - here["bytesOut"] - size)
            if counted[0] < 3 or not 0 < counted[1] < 2000:
                sys.exit(f"storage_emulator.py: of an upload of {size} bytes {counted} requests and further bytes are counted")
            run("export", "--all", "-e", "local", "-o", "gs://backups/all/", "--format", "jsonl", "--gzip")
            run("export", "products", "exercises", "-e", "local", "-o", "gs://backups/some.xlsx")
            run("export", "--all", "-e", "local", "-o", "gs://backups/nightly", "--dated", "--keep", "1")
            run("export", "--all", "-e", "local", "-o", "gs://backups/nightly", "--dated", "--keep", "1")
            run("export", "verify", "gs://backups/all")
            run("export", "verify", "gs://backups/nightly")
            run("export", "verify", "gs://backups/nightly/latest")
            run("diff", "--all", "--from", "gs://backups/nightly/latest", "--to", "local")
            run("import", "gs://backups/one/users.csv", "-e", "local", "--collection", "copies")
            run("import", "gs://backups/some.xlsx", "-e", "local", "--state-dir", "third")
            run("diff", "products", "exercises", "--from", "gs://backups/all", "--to", "local", "--state-dir", "third")
            run("import", "gs://backups/nightly/latest", "-e", "local", "--state-dir", "other")
            run("diff", "--all", "--from", "gs://backups/all", "--to", "local", "--state-dir", "other")
            run("migrate", "plan", "users-unify", "-e", "local", "-o", "gs://backups/plan.jsonl")
            run("migrate", "apply", "--plan", "gs://backups/plan.jsonl", "-e", "local", "--max-delete", "100")
            run("import", "gs://backups/none.jsonl", "-e", "local", code=66)
            run("import", "gs://no-such-bucket/users.jsonl", "-e", "local", code=78)
            run("export", "users", "-e", "local", "-o", "gs://no-such-bucket/users.csv", code=78)
            run("export", "users", "-e", "local", "-o", "gs://B/users.csv", code=64)
    finally:
        server.stop()
    print("An emulator of Cloud Storage keeps what is exported, and gives it back.")


if __name__ == "__main__":
    main()

#!/usr/bin/env bash
# Runs gymmigrate with the words of COMMAND, which may be quoted; nothing in them is run by a shell. The job gets its exit code.
set -euo pipefail
list=$(xargs -n 1 printf '%s\n' <<<"$COMMAND")
mapfile -t words <<<"$list"
code=0
gymmigrate "${words[@]}" || code=$?
echo "exit-code=$code" >>"$GITHUB_OUTPUT"
exit "$code"

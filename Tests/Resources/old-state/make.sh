#!/usr/bin/env bash
# Makes a state folder as a version of gymmigrate leaves it, in the working folder: finished runs, two that are killed in
# the middle (one of them behind a checkpoint), a plan and a scheduled export.
#
#   GYMMIGRATE=/path/to/the/old/gymmigrate SAMPLES=/path/to/samples/gym make.sh
#
# Then, with every write of the store in its one file:
#
#   python3 -c "import sqlite3; sqlite3.connect('.gymmigrate/local.sqlite').execute('pragma wal_checkpoint(truncate)')"
#   rm -f .gymmigrate/local.sqlite-*; tar --format=posix --owner=0 --group=0 -czf ../state-VERSION.tar.gz .
set -u
G=${GYMMIGRATE:?a binary of the version}; S=${SAMPLES:?samples/gym of the version}
head -120 $S/users.jsonl > users.jsonl; head -100 $S/members.jsonl > members.jsonl; head -400 $S/check_ins.jsonl > check_ins.jsonl; cp $S/groups.jsonl .
$G import users.jsonl groups.jsonl -e local --yes -q
$G migrate apply users-unify -e local --yes -q >/dev/null
$G migrate plan users-drop-legacy -e local -o plan.jsonl -q >/dev/null
( $G migrate apply user-emails is-active -e local --yes -q --batch-size 5 --max-writes-per-second 8 & p=$!; sleep 8; kill -9 $p; wait $p ) 2>/dev/null
( $G import members.jsonl check_ins.jsonl -e local --yes -q --batch-size 5 --max-writes-per-second 20 & p=$!; sleep 12; kill -9 $p; wait $p ) 2>/dev/null
$G export users -e local --format jsonl -o nightly --dated -q
$G runs list

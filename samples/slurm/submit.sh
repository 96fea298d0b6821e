#!/usr/bin/env bash
# Plans a command in shards, and submits its tasks and what finishes them: submit.sh FOLDER SHARDS COMMAND…
#
#   samples/slurm/submit.sh /shared/run-1 16 export --all -e prod --format jsonl
#
# FOLDER is on a file system that every node sees, and belongs to this run alone. Prints the two jobs.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1 shards=$2
shift 2

# Fixes the moment that is read and cuts the documents into ranges. A command that writes takes the lease here.
gymmigrate shard plan --shards "$shards" --to "$folder" -- "$@"

# One task a shard, at most as many at once as the cluster has room for; '%8' behind the range would make it eight.
mkdir -p "$folder/log"
tasks=$(sbatch --parsable --array="0-$((shards - 1))" --output="$folder/log/task-%a.log" "$here/work.sbatch" "$folder")

# Whatever became of the tasks: 'finish' names those that are missing and ends in 75.
finish=$(sbatch --parsable --dependency="afterany:$tasks" --output="$folder/log/finish.log" "$here/finish.sbatch" "$folder")
echo "$tasks $finish"

#!/usr/bin/env bash
# A Slurm cluster of two nodes on this machine carries out commands in shards, loses a node, and has to end as one process does.
#
#   check-slurm.sh [PART...]   parts: toy, export, import, copy, apply; all of them unless given
#
#   toy      the cluster alone: an array of 16 tasks, a node that dies; its tasks are run again
#   export   16 shards of 200,000 documents, concatenated, are the unsharded export, byte for byte
#   import, copy, apply
#            16 shards; a node is lost half-way, every shard is run a second time, and a tenth of all requests fails. The database,
#            every version that each document ever had, and the counts are those of one process; the server stores no more
#            within a second than one run's ramp allows; undone, the database is as before
#
# The samples' own scripts (samples/slurm) submit the work. GYMMIGRATE names the program (bin/gymmigrate otherwise); EXPORTED,
# USERS, SHARDS and SEED are the sizes and the seed. Needs Debian's slurm-wlm and munge; no root, and nothing of it stays.
set -euo pipefail
cd "$(dirname "$0")/.."

shards=${SHARDS:-16}
exported=${EXPORTED:-200000}
users=${USERS:-12000}
seed=${SEED:-1}
for tool in munged slurmctld slurmd sbatch squeue; do
  # Debian has the daemons in sbin.
  command -v "$tool" >/dev/null || PATH=$PATH:/usr/sbin
  command -v "$tool" >/dev/null || {
    echo "check-slurm: $tool is missing. On Debian: apt-get install slurm-wlm munge" >&2
    exit 69
  }
done
gymmigrate=$(realpath "${GYMMIGRATE:-bin/gymmigrate}")
[[ -x $gymmigrate ]] || {
  echo "check-slurm: there is no $gymmigrate; run 'make build', or name another with GYMMIGRATE" >&2
  exit 66
}
. scripts/lib/slurm.sh

root=$PWD
work=$(mktemp -d)
# Of its own, because munged wants a folder that everybody may enter.
cluster=$(mktemp -d)
server= proxy=
clean_up() {
  slurm_stop
  local pid
  for pid in $proxy $server; do
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  if [[ -n ${KEEP:-} ]]; then echo "Kept $work and $cluster."; else rm -rf "$work" "$cluster"; fi
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
# The jobs find the program by its name, as on a cluster where it is installed.
mkdir "$work/bin"
ln -s "$gymmigrate" "$work/bin/gymmigrate"
export PATH=$work/bin:$PATH GYMMIGRATE_STATE_DIR=$work/state

say() { printf '%s\n' "$*"; }
fail() {
  echo "check-slurm: $*" >&2
  exit 1
}
judge() { # COMMAND...
  python3 "$root/scripts/judge-shards.py" "$work/store.sqlite,shards" "$@" || fail "the judge says no"
}

start_cluster() {
  slurm_start "$cluster"
}

start_server() {
  [[ -z $server ]] || return 0
  gymmigrate serve --port 0 --data "$work/store.sqlite" 2>"$work/serve.log" &
  server=$!
  slurm_until 60 "the server" grep -q FIRESTORE_EMULATOR_HOST= "$work/serve.log"
  host=$(sed -n 's/^FIRESTORE_EMULATOR_HOST=//p' "$work/serve.log")
}

start_proxy() {
  rm -f "$work/proxy.port"
  python3 scripts/fault-proxy.py "${host##*:}" 10 "$seed" "$work/faults.json" >"$work/proxy.port" &
  proxy=$!
  slurm_until 10 "the proxy" test -s "$work/proxy.port"
  faulty=127.0.0.1:$(cat "$work/proxy.port")
}

stop_proxy() {
  kill "$proxy"
  wait "$proxy" || true
  proxy=
  say "  failed on purpose: $(cat "$work/faults.json")"
}

# One process, with a state folder a database.
one() { # DATABASE HOST COMMAND...
  local database=$1 at=$2
  shift 2
  gymmigrate "$@" --project shards --database "$database" --endpoint "http://$at" --state-dir "$work/state-$database" -q
}

# What became of a job's tasks, in an order that can be compared: one state a task.
states() { # JOB
  squeue --noheader --jobs "$1" --states all --array --format %T | sort | uniq -c | awk '{ print $1, $2 }'
}

part_toy() {
  say "toy: $shards tasks; node2 dies while they run"
  local folder=$work/toy job index
  mkdir "$folder"
  cat >"$folder/task.sh" <<'TASK'
#!/bin/bash
echo "$SLURMD_NODENAME" >>"$1/$SLURM_ARRAY_TASK_ID.began"
for _ in $(seq 30); do sleep 0.1; done
echo "$SLURM_ARRAY_TASK_MIN $SLURM_ARRAY_TASK_COUNT ${SLURM_RESTART_COUNT:-0} $SLURMD_NODENAME" >>"$1/$SLURM_ARRAY_TASK_ID.done"
TASK
  job=$(sbatch --parsable --array="0-$((shards - 1))" --output="$folder/%a.log" --requeue "$folder/task.sh" "$folder")
  slurm_until 30 "a task on node2" grep -qrx node2 "$folder" --include '*.began'
  slurm_kill_node node2
  slurm_wait "$job"
  [[ $(states "$job") == "$shards COMPLETED" ]] || fail "the tasks are $(states "$job")"
  local restarted=0
  for ((index = 0; index < shards; index++)); do
    [[ $(wc -l <"$folder/$index.done") -eq 1 ]] || fail "task $index came to its end $(wc -l <"$folder/$index.done") times"
    [[ $(cut -d ' ' -f 1,2 "$folder/$index.done") == "0 $shards" ]] || fail "task $index was: $(cat "$folder/$index.done")"
    [[ $(cut -d ' ' -f 3 "$folder/$index.done") == 0 ]] || restarted=$((restarted + 1))
  done
  [[ $restarted -gt 0 && $restarted -eq $(cat "$folder"/*.began | grep -c node2) ]] ||
    fail "$restarted tasks were run again, of $(cat "$folder"/*.began | grep -c node2) on node2"
  say "  $restarted tasks of node2 were run again, and each of $shards came to its end once"
  slurm_start_node node2
  slurm_until 60 node2 slurm_are_idle node2
}

# Plans and submits by the samples' scripts, and sets tasks and finish, the two jobs.
submit() { # FOLDER COMMAND...
  local folder=$1 jobs
  shift
  jobs=$(samples/slurm/submit.sh "$folder" "$shards" "$@") || fail "'$*' cannot be planned"
  read -r tasks finish < <(tail -n 1 <<<"$jobs")
}

shown() { # FOLDER: the ends of the logs of its jobs
  tail -n 3 "$1"/log/*.log >&2
}

part_export() {
  say "export: $exported documents in $shards shards"
  python3 - "$exported" >"$work/exported.jsonl" <<'PYTHON'
import random, sys
chance, count = random.Random(1), int(sys.argv[1])
letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
# Names as applications make them: automatic ones, numbered ones, and many with one beginning.
for n in range(count):
    kind = n % 4
    name = ("".join(chance.choices(letters, k=20)) if kind < 2 else f"user{n}" if kind == 2 else f"2026-01-{n % 28 + 1:02d}-ñ-{n}")
    print('{"fields":{"n":{"integerValue":"%d"},"name":{"stringValue":"Invented %d"},"isActive":{"booleanValue":%s}},'
          '"name":"people/%s"}' % (n, n % 977, ("true", "false")[n % 3 == 0], name))
PYTHON
  one exported "$host" import "$work/exported.jsonl" --validate off --schema none
  local place=(--project shards --database exported --endpoint "http://$host" --schema none) format
  for format in jsonl csv; do
    local folder=$work/export-$format fields=()
    [[ $format != csv ]] || fields=(--fields n,name,isActive)
    one exported "$host" export people "${fields[@]}" --format "$format" -o "$work/whole.$format" --schema none
    submit "$folder" export people "${fields[@]}" --format "$format" "${place[@]}"
    slurm_wait "$tasks"
    slurm_wait "$finish"
    [[ $(states "$finish") == "1 COMPLETED" ]] || { shown "$folder"; fail "finish is $(states "$finish")"; }
    cat "$folder"/parts/*."$format" | cmp - "$work/whole.$format" || fail "the parts are not the unsharded export"
    [[ $format != jsonl || $(wc -l <"$work/whole.$format") -eq $exported ]] || fail "the export has not $exported lines"
    say "  $(ls "$folder/parts" | wc -l) parts are the unsharded export, $(stat -c %s "$work/whole.$format") bytes of $format"
  done
}

# The users of the sample gym, and what each of the commands begins from.
make_gym() {
  gym=$work/gym
  [[ ! -d $gym ]] || return 0
  python3 samples/gym/generate.py --out "$work/all" --users "$users" >/dev/null 2>&1
  mkdir "$gym" "$work/there"
  mv "$work/all/users.jsonl" "$gym"
  # Of every ten, one is there as it is, and one is there with other fields.
  python3 - "$gym/users.jsonl" >"$work/there/users.jsonl" <<'PYTHON'
import json, sys
for number, line in enumerate(open(sys.argv[1])):
    if number % 10 == 3:
        print(line, end="")
    elif number % 10 == 7:
        print(json.dumps({"fields": {"x": {"integerValue": "1"}}, "name": json.loads(line)["name"]}))
PYTHON
}

load() { # DATABASE FILE: one commit after the other, so that all databases are of the same making
  one "$1" "$host" import "$2" --validate off --in-flight 1 >/dev/null
}

at() { # DATABASE HOST
  place=(--project shards --database "$1" --endpoint "http://$2" --schema gym)
}

prepare_import() { load "$1" "$work/there/users.jsonl"; }
command_import() {
  at "$@"
  command=(import "$gym" --mode upsert --validate off --ramp "${place[@]}")
}

prepare_copy() { load "$1" "$work/there/users.jsonl"; }
command_copy() {
  cat >"$work/copy-$1.yaml" <<YAML
schema: gym
environments:
  from: {project: shards, database: source, endpoint: "http://$2"}
  to: {project: shards, database: $1, endpoint: "http://$2"}
YAML
  at "$@"
  command=(copy users --from from --to to --mode upsert --ramp --config "$work/copy-$1.yaml")
}

prepare_apply() { load "$1" "$gym/users.jsonl"; }
command_apply() {
  at "$@"
  command=(migrate apply users-unify is-active --ramp "${place[@]}")
}

array() { # FOLDER LOG: submits every shard once more, and prints the job
  sbatch --parsable --array="0-$((shards - 1))" --output="$1/log/$2-%a.log" samples/slurm/work.sbatch "$1"
}

are_done() { # FOLDER JOB...
  local folder=$1 job
  shift
  for job in "$@"; do
    slurm_wait "$job"
    [[ $(states "$job") == "$shards COMPLETED" ]] || { shown "$folder"; fail "the tasks of job $job are $(states "$job")"; }
  done
}

total() { # DATABASE: its documents and former versions
  local documents versions
  read -r documents versions < <(judge extent "$1")
  echo $((documents + versions))
}

# What 'import' and the others do, NAME by NAME: one process into a database of its own, then the shards into another.
compare_writes() { # NAME LOSS
  local name=$1 loss=$2 one=$1-one many=$1-many folder=$work/$1
  local code=0 prepared writes lost second extent run command place
  make_gym
  "prepare_$name" "$one"
  "prepare_$name" "$many"
  judge keep "$many" "$work/before.json"
  prepared=$(total "$many")

  "command_$name" "$one" "$host"
  gymmigrate "${command[@]}" --state-dir "$work/state-one" -q --json >"$work/one.json" || code=$?
  [[ $code -eq 0 || $code -eq 2 ]] || fail "'${command[*]}' ended in $code"
  writes=$(($(total "$one") - prepared))

  start_proxy
  "command_$name" "$many" "$faulty"
  submit "$folder" "${command[@]}"
  judge wait "$many" $((prepared + writes / 4))
  lost=$(squeue --noheader --jobs "$tasks" --states RUNNING --array --nodelist node2 | wc -l)
  "$loss" node2
  say "  node2 is lost after a quarter of $writes writes, with $lost tasks"
  [[ $lost -gt 0 ]] || fail "no task was on node2"
  # Every shard a second time, beside the first ones and those that are run again; and once more when all is done.
  second=$(array "$folder" second)
  are_done "$folder" "$tasks" "$second"
  extent=$(judge extent "$many")
  are_done "$folder" "$(array "$folder" third)"
  [[ $(judge extent "$many") == "$extent" ]] || fail "tasks that were done have written again"
  slurm_wait "$finish"

  code=0
  gymmigrate shard finish "$folder" --json -q >"$work/many.json" || code=$?
  [[ $code -eq 0 || $code -eq 2 ]] || { shown "$folder"; fail "finish ended in $code"; }
  judge accounts "$work/one.json" "$work/many.json"
  judge same "$one" "$many"
  # The ramp allows 500, and the commit that a second begins with.
  judge pace "$one" 600 "$prepared"
  judge pace "$many" 750 "$prepared"

  run=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["runId"])' <"$work/many.json")
  at "$many" "$faulty"
  # The journals of all tasks are in the run's own folder.
  gymmigrate migrate undo "$run" "${place[@]}" --state-dir "$folder" -q || fail "the run cannot be undone"
  judge kept "$many" "$work/before.json"
  stop_proxy
  slurm_kill_tasks node2
  slurm_start_node node2
  slurm_until 60 node2 slurm_are_idle node2
}

part_import() {
  say "import: $users users in $shards shards, and a node that loses its power"
  compare_writes import slurm_kill_node
}

part_copy() {
  say "copy: $users users in $shards shards, and a node that Slurm takes for dead while its tasks run on"
  make_gym
  load source "$gym/users.jsonl"
  compare_writes copy slurm_cut_off_node
}

part_apply() {
  say "apply: two migrations of $users users in $shards shards, and a node that loses its power"
  compare_writes apply slurm_kill_node
}

[[ $# -gt 0 ]] || set -- toy export import copy apply
for part in "$@"; do
  declare -F "part_$part" >/dev/null || {
    echo "check-slurm: there is no part '$part'; there are toy, export, import, copy and apply" >&2
    exit 64
  }
done
start_cluster
for part in "$@"; do
  [[ $part == toy ]] || start_server
  "part_$part"
done
say "check-slurm: all is as it should be."

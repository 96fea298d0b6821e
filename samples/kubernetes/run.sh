#!/usr/bin/env bash
# Not run: there is no Kubernetes here. Only its syntax is checked.
#
# Plans a command, runs a pod a shard, and finishes: run.sh RUN SHARDS COMMAND…; the run's folder is /shards/RUN in the pods.
#
#   samples/kubernetes/run.sh run-1 16 export --all -e prod --format jsonl
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
run=$1 shards=$2
shift 2
in_shell() { kubectl exec gymmigrate-shell -- gymmigrate "$@"; }

kubectl apply -f "$here/volume.yaml" -f "$here/shell.yaml"
kubectl wait --for=condition=Ready --timeout=5m pod/gymmigrate-shell

in_shell shard plan --shards "$shards" --to "/shards/$run" -- "$@"
tasks=$(sed -e "s,/shards/run-1,/shards/$run," -e "s/^  \(completions\|parallelism\|maxFailedIndexes\): 16/  \1: $shards/" \
  "$here/job.yaml" | kubectl create -o name -f -)
# A job that fails is over, too; 'finish' says what is missing.
until kubectl get "$tasks" -o 'jsonpath={.status.conditions[?(@.status=="True")].type}' | grep -qwE 'Complete|Failed'; do
  sleep 10
done
in_shell shard finish "/shards/$run"

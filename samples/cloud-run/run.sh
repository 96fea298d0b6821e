#!/usr/bin/env bash
# Not run: there is no Cloud Run here. Only its syntax is checked.
#
# Plans a command, runs a task a shard as a Cloud Run job, and finishes: run.sh gs://BUCKET/FOLDER SHARDS COMMAND…
#
#   samples/cloud-run/run.sh gs://my-bucket/shards/run-1 16 export --all -e prod --format jsonl
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1 shards=$2
shift 2
region=${REGION:-us-central1}

gcloud run jobs replace "$here/job.yaml" --region "$region"
gymmigrate shard plan --shards "$shards" --to "$folder" -- "$@"
# A task that failed for good does not keep 'finish' from saying which.
gcloud run jobs execute gymmigrate-shards --region "$region" --tasks "$shards" --wait \
  --args "shard,work,$folder,--log-format,json" || true
gymmigrate shard finish "$folder"

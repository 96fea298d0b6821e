# Sourced: a Slurm cluster of one user on one machine, in a folder of its own: munged, slurmctld and two slurmd on loopback.
#
#   slurm_start FOLDER     starts it, sets and exports SLURM_CONF, and returns when both nodes take jobs; the folder lies where
#                          everybody may enter, as in /tmp
#   slurm_kill_node NODE   kills a node as a power cut does: its slurmd, and all that it started
#   slurm_cut_off_node NODE  kills its slurmd alone: Slurm takes the node for dead, and its tasks run on
#   slurm_start_node NODE  starts it again
#   slurm_wait JOB         returns when nothing of a job is left to run; fails after SLURM_PATIENCE seconds (600)
#   slurm_stop             stops everything
#
# What it needs of Debian: slurm-wlm, munge. No root, no cgroups, no service of the system.

slurm_nodes=(node1 node2)
slurm_controller= slurm_munged=
declare -A slurm_node=()

slurm_start() { # FOLDER
  slurm_folder=$(realpath "$1")
  mkdir -p "$slurm_folder"/{state,log,node1,node2}
  # munged wants its socket where everybody can reach it; the key is its owner's alone.
  chmod 711 "$slurm_folder"
  local host user controller first second
  host=$(hostname -s)
  user=$(id -un)
  read -r controller first second < <(python3 -c '
import socket
sockets = [socket.socket() for _ in range(3)]
for each in sockets:
    each.bind(("127.0.0.1", 0))
print(*(each.getsockname()[1] for each in sockets))')

  # One secret that all daemons share, and who asks is known by it.
  (umask 077 && dd if=/dev/urandom of="$slurm_folder/munge.key" bs=1024 count=1 status=none)
  cat >"$slurm_folder/slurm.conf" <<CONF
ClusterName=loopback
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$controller
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$slurm_folder/munge.socket,cred_expire=5
StateSaveLocation=$slurm_folder/state
SlurmdSpoolDir=$slurm_folder/%n
SlurmctldPidFile=$slurm_folder/slurmctld.pid
SlurmdPidFile=$slurm_folder/%n.pid
SlurmctldLogFile=$slurm_folder/log/slurmctld.log
SlurmdLogFile=$slurm_folder/log/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=2
# A node that dies is noticed within seconds, and its tasks are run again.
SlurmdTimeout=5
MessageTimeout=5
JobRequeue=1
ReturnToService=2
# Two nodes are one machine: they claim more processors than they see.
SlurmdParameters=config_overrides
NodeName=node1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$first CPUs=${SLURM_CPUS:-8} RealMemory=8192 State=UNKNOWN
NodeName=node2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$second CPUs=${SLURM_CPUS:-8} RealMemory=8192 State=UNKNOWN
PartitionName=all Nodes=node1,node2 Default=YES MaxTime=60 State=UP
CONF
  export SLURM_CONF=$slurm_folder/slurm.conf

  munged --foreground --socket="$slurm_folder/munge.socket" --key-file="$slurm_folder/munge.key" \
    --pid-file="$slurm_folder/munged.pid" --seed-file="$slurm_folder/munged.seed" \
    --log-file="$slurm_folder/log/munged.log" >"$slurm_folder/log/munged.out" 2>&1 &
  slurm_munged=$!
  slurm_until 10 "munged" test -S "$slurm_folder/munge.socket"
  slurmctld -D >"$slurm_folder/log/slurmctld.out" 2>&1 &
  slurm_controller=$!
  local node
  for node in "${slurm_nodes[@]}"; do slurm_start_node "$node"; done
  slurm_until 60 "both nodes" slurm_are_idle "${slurm_nodes[@]}"
}

slurm_start_node() { # NODE
  slurmd -D -N "$1" >"$slurm_folder/log/$1.out" 2>&1 &
  slurm_node[$1]=$!
}

slurm_are_idle() { # NODE...
  local node
  for node in "$@"; do
    [[ $(sinfo --noheader --nodes "$node" --format %T 2>/dev/null) =~ ^(idle|mixed|allocated)$ ]] || return 1
  done
}

# Waits for a condition, up to so many seconds.
slurm_until() { # SECONDS WHAT COMMAND...
  local deadline=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    if ((SECONDS >= deadline)); then
      echo "slurm: waited in vain for $what; the last lines of the logs:" >&2
      tail -n 5 "$slurm_folder"/log/* >&2
      return 1
    fi
    sleep 0.2
  done
}

# Says whether nothing of a job waits or runs.
slurm_is_over() { # JOB
  [[ -z $(squeue --noheader --jobs "$1" --states all --format %T 2>/dev/null |
    grep -vE '^(COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL)$') ]]
}

slurm_wait() { # JOB
  slurm_until "${SLURM_PATIENCE:-600}" "job $1" slurm_is_over "$1"
}

# The processes of tasks on a node: the slurmstepd, which have its log open, and those that were started with its name.
slurm_processes() { # NODE
  local file
  {
    # Processes that end meanwhile are no error.
    { find /proc/[0-9]*/fd -lname "$slurm_folder/log/$1.log" 2>/dev/null || true; } | cut -d / -f 3
    for file in /proc/[0-9]*/environ; do
      if grep -qzxF "SLURM_CONF=$SLURM_CONF" "$file" && grep -qzxF "SLURMD_NODENAME=$1" "$file"; then
        cut -d / -f 3 <<<"$file"
      fi
    done 2>/dev/null
  } | sort -un
}

slurm_kill_tasks() { # NODE
  local -a processes
  while mapfile -t processes < <(slurm_processes "$1") && ((${#processes[@]} > 0)); do
    kill -KILL "${processes[@]}" 2>/dev/null || true
    sleep 0.1
  done
}

slurm_kill_node() { # NODE
  slurm_cut_off_node "$1"
  slurm_kill_tasks "$1"
}

slurm_cut_off_node() { # NODE
  kill -KILL "${slurm_node[$1]}" 2>/dev/null || true
  wait "${slurm_node[$1]}" 2>/dev/null || true
  unset "slurm_node[$1]"
}

slurm_stop() {
  local pid node
  for node in "${!slurm_node[@]}"; do slurm_cut_off_node "$node"; done
  for node in "${slurm_nodes[@]}"; do slurm_kill_tasks "$node"; done
  for pid in $slurm_controller $slurm_munged; do
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  slurm_controller= slurm_munged=
}

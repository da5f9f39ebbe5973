#!/bin/bash
# ray_nodes.sh COMMAND...
#
# Runs COMMAND on the first node of a Slurm job, with a Ray that has all nodes of the job: the head on this node, and a
# worker on each other one, which srun starts. When COMMAND ends, Ray ends on all nodes, and its exit code is the job's.
# Outside Slurm, or on one node, it only runs COMMAND: verl then starts Ray itself.
#
# RAY_NODES_PORT: the port of the head; by default one that follows from the job's number.
# RAY_NODES_WAIT: seconds within which all nodes have to join; by default 300.
set -euo pipefail
[ $# -gt 0 ] || { echo "Say what to run: bash trainer/ray_nodes.sh python3 trainer/run.py" >&2; exit 2; }
[ "${SLURM_JOB_NUM_NODES:-1}" -gt 1 ] || exec "$@"

here=${SLURMD_NODENAME:-$(hostname -s)}
others=$((SLURM_JOB_NUM_NODES - 1))
# A port below 20000 may be one of Ray's workers.
port=${RAY_NODES_PORT:-$((20000 + SLURM_JOB_ID % 12000))}
address=$(hostname --ip-address | tr ' ' '\n' | grep -v -e : -e '^127\.' | head -n 1 || true)
export RAY_ADDRESS=${address:-127.0.0.1}:$port

on_others=(--nodes="$others" --ntasks="$others" --ntasks-per-node=1 --exclude="$here")
started=()
over() {
  code=$?
  trap - EXIT TERM INT
  if [ ${#started[@]} -gt 0 ]; then
    # In turn, because srun only kills what it is told to end, and Ray on a node has more processes than that one.
    timeout 30 srun --overlap "${on_others[@]}" ray stop >/dev/null 2>&1 || true
    timeout 30 ray stop >/dev/null 2>&1 || true
    kill "${started[@]}" 2>/dev/null || true
  fi
  wait
  exit "$code"
}
trap over EXIT
trap 'exit 143' TERM INT

ray start --head --block --node-ip-address="${RAY_ADDRESS%:*}" --port="$port" &
started+=($!)
# --overlap: the worker of a node shares the allocation with what this script runs. --kill-on-bad-exit: one that ends ends all.
srun --overlap --kill-on-bad-exit=1 "${on_others[@]}" ray start --block --address="$RAY_ADDRESS" &
started+=($!)

deadline=$((SECONDS + ${RAY_NODES_WAIT:-300}))
while joined=$(ray status --address="$RAY_ADDRESS" 2>/dev/null | grep -c ' node_' || true); [ "${joined:-0}" -lt "$SLURM_JOB_NUM_NODES" ]; do
  for pid in "${started[@]}"; do
    kill -0 "$pid" 2>/dev/null || { echo "Ray ended before all nodes had joined; the log of the job says why." >&2; exit 1; }
  done
  [ "$SECONDS" -lt "$deadline" ] || { echo "Only $joined of $SLURM_JOB_NUM_NODES nodes joined Ray at $RAY_ADDRESS; see whether they reach that address and port." >&2; exit 1; }
  sleep 1
done
"$@" &
command=$!
# Not in the foreground, so that a signal is not held back until the command ends.
trap 'kill -TERM "$command" 2>/dev/null; wait "$command" || true; exit 143' TERM INT
wait "$command"

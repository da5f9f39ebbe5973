#!/bin/sh
# Hands jobs to Slurm, around the keeper, which is the script of each of them. docs/slurm.md tells how. Runs where sbatch and
# squeue do; job directories lie where every node sees them.
#   slurm.sh submit KEEPER DIR OPTION...   give a committed job to Slurm, once
#   slurm.sh status KEEPER RUNS [ID...]    the keeper's answer, after what Slurm knows was written down
#   slurm.sh cancel KEEPER DIR             take it out of the queue, or have its keeper end it
# Files of a job directory: slurm.job, its number; slurm.queue, "<state> <why it waits>"; slurm.end, "<last state> <code>".
set -u
umask 077
unset CDPATH
say() { printf '%s\n' "$*"; }
fail() {
  say "error $*"
  exit 1
}
first() { # first line of a file into LINE
  LINE=''
  [ -e "$1" ] && { read -r LINE || [ -n "$LINE" ]; } 2>/dev/null <"$1"
}
keep_line() { # FILE LINE: whole or not at all
  say "$2" >"$1.new" && mv -f "$1.new" "$1"
}
word() { printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"; }
user=$(id -un)
# A controller that is away takes minutes to say nothing.
quick=''
! command -v timeout >/dev/null 2>&1 || quick='timeout 10'

submit() { # KEEPER DIR OPTION...
  keeper=$1
  cd "$2" 2>/dev/null && [ -e job ] || fail "absent"
  directory=$2 id=${2##*/}
  shift 2
  # Two who submit at once, and one who was killed between handing over and writing down.
  exec 9>>slurm.lock
  if command -v flock >/dev/null 2>&1; then flock -w 60 9 || fail "slurm another process submits this job"; fi
  first slurm.job
  if [ -n "$LINE" ] || [ -e pid ] || [ -e exit ]; then
    say "submitted known"
    return
  fi
  # Runs of different projects may have the same id.
  set -- "--job-name=evo-$(say "$directory" | cksum | cut -d ' ' -f 1)-$id" "$@"
  number=$(squeue -h -t all -u "$user" -n "${1#*=}" -o %A 2>&1) || fail "slurm $number"
  answer=known
  if [ -z "$number" ]; then
    # Without the environment of whoever submits; a job that began is not begun again by Slurm.
    number=$(printf '#!/bin/sh\nexec sh %s batch %s\n' "$(word "$keeper")" "$(word "$directory")" |
      sbatch --parsable --export=NONE --no-requeue --open-mode=append --chdir="$directory" --output=keeper.log "$@" 2>&1) ||
      fail "slurm $number"
    answer=new
  fi
  # A cluster's name may follow the number, and a warning go before it.
  number=$(say "$number" | tail -n 1)
  number=${number%%;*}
  case $number in '' | *[!0-9]*) fail "slurm $number" ;; esac
  keep_line slurm.job "$number" || fail "disk $directory"
  say "submitted $answer"
}

# What Slurm says of the jobs, as "<number> <state> <reason>", or nothing when it cannot be asked.
ask() { $quick squeue -h -t all -u "$user" -o '%A %T %r' 2>/dev/null && say asked; }
isover() { # STATE
  case $1 in
  PENDING | RUNNING | CONFIGURING | COMPLETING | SUSPENDED | REQUEUED | REQUEUE_HOLD | REQUEUE_FED | RESIZING | SIGNALING | STAGE_OUT | STOPPED | SPECIAL_EXIT | RESV_DEL_HOLD)
    return 1 ;;
  esac
}
status() { # KEEPER RUNS ID...
  keeper=$1 runs=$2
  shift 2
  told=''
  for id in "$@"; do
    case $id in '' | .* | -* | *[!A-Za-z0-9._-]*) continue ;; esac
    cd "$runs/$id" 2>/dev/null && [ ! -e slurm.end ] || continue
    first slurm.job
    [ -n "$LINE" ] || continue
    [ -n "$told" ] || told=$(ask)
    case $told in *asked) look "$LINE" ;; esac
  done
  exec sh "$keeper" status "$runs" "$@"
}
look() { # NUMBER, in its directory
  number=$1 state='' reason=''
  while read -r at now why; do
    [ "$at" != "$number" ] || { state=$now reason=$why; }
  done <<END
$told
END
  code=''
  if [ -z "$state" ]; then
    # Slurm forgets a job some minutes after its end; with accounting it can still be looked up.
    set -- $($quick sacct -n -P -X -j "$number" -o State,ExitCode 2>/dev/null | tail -n 1 | tr '|' ' ')
    state=${1:-GONE}
    for last in "$@"; do code=$last; done
  fi
  if isover "$state"; then
    # Its keeper's last words may still be on their way through a shared file system.
    if [ ! -e exit ]; then
      first slurm.over
      now=$(date +%s)
      [ -n "$LINE" ] || keep_line slurm.over "$now"
      [ $((now - ${LINE:-$now})) -ge "${EVO_SLURM_SETTLE:-15}" ] || return
      cause=killed
      case $state in
      TIMEOUT | DEADLINE) cause=timeout ;;
      CANCELLED) cause=cancelled ;;
      *) [ ! -e cancel ] || cause=cancelled ;;
      esac
      sh "$keeper" conclude "$PWD" "$cause"
      [ -e exit ] || return
    fi
    keep_line slurm.end "$state $code"
  else
    first slurm.queue
    [ "$LINE" = "$state $reason" ] || keep_line slurm.queue "$state $reason"
  fi
}

cancel() { # KEEPER DIR
  sh "$1" cancel "$2" || exit 1
  cd "$2" || exit 1
  first slurm.job
  [ -n "$LINE" ] || return
  # One that waits is taken out of the queue; one that runs is ended by its keeper, which records how.
  scancel --state=PENDING "$LINE" 2>/dev/null
  scancel --batch --signal=USR1 "$LINE" 2>/dev/null
  return 0
}

verb=${1-}
[ $# -gt 0 ] && shift
case $verb in
submit | status | cancel) "$verb" "$@" ;;
*) fail "usage" ;;
esac

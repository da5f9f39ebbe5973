#!/bin/sh
# Hands jobs to Slurm. The script of each job is the keeper. docs/slurm.md describes it. Runs where sbatch and squeue do;
# job directories have to be on a file system that every node sees.
#   slurm.sh submit KEEPER DIR OPTION...   give a committed job to Slurm, once
#   slurm.sh array KEEPER RUNS NAME INDEX:ID... -- OPTION...
#                                          the same for committed jobs that are handed over as one array
#   slurm.sh status KEEPER RUNS [ID...]    write down what Slurm knows, then give the keeper's answer
#   slurm.sh cancel KEEPER DIR             take the job out of the queue, or let its keeper end it
# Files of a job directory: slurm.job, its number; slurm.requeue, Slurm may start it again; slurm.queue, "<state> <why it waits>";
# slurm.end, "<last state> <code> <seconds> <peak memory in KiB> <reason>", with - for each value that accounting lacks.
set -u
umask 077
unset CDPATH
say() { printf '%s\n' "$*"; }
fail() {
  say "error $*"
  exit 1
}
first() { # reads the first line of a file into LINE
  LINE=''
  [ -e "$1" ] && { read -r LINE || [ -n "$LINE" ]; } 2>/dev/null <"$1"
}
keep_line() { # FILE LINE: writes the whole line or nothing
  say "$2" >"$1.new" && mv -f "$1.new" "$1"
}
newline='
'
word() { printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"; }
user=$(id -un)
# If the controller is away, squeue waits for minutes before it fails.
quick=''
! command -v timeout >/dev/null 2>&1 || quick='timeout 10'

submit() { # KEEPER DIR OPTION...
  keeper=$1
  cd "$2" 2>/dev/null && [ -e job ] || fail "absent"
  directory=$2 id=${2##*/}
  shift 2
  # For two processes that submit at once, and for one that was killed after it handed the job over but before it wrote so.
  exec 9>>slurm.lock
  if command -v flock >/dev/null 2>&1; then flock -w 60 9 || fail "slurm another process is submitting this job"; fi
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
    mark_requeue . "$@"
    hand_over --chdir="$directory" --output=keeper.log "$@" <<END
#!/bin/sh
$for_steps
exec sh $(word "$keeper") batch $(word "$directory")
END
    answer=new
  fi
  number=$(number_in "$number") || fail "slurm $number"
  keep_line slurm.job "$number" || fail "unsure $directory"
  say "submitted $answer"
}
# Otherwise --export=NONE would also hold for srun in a job: what it starts on the nodes would have neither PATH nor EVO_*.
for_steps='export SLURM_EXPORT_ENV=ALL'
hand_over() { # reads a script, and sets number to the job's number as Slurm prints it
  # Without the environment of the person who submits.
  number=$(sbatch --parsable --export=NONE --open-mode=append "$@" 2>&1) || fail "slurm $number"
}
number_in() { # a cluster's name may follow the number, and a warning may come before it
  set -- "$(say "$1" | tail -n 1)"
  set -- "${1%%;*}"
  say "$1"
  case $1 in '' | *[!0-9]*) return 1 ;; esac
}
mark_requeue() { # DIR OPTION...
  at=$1
  shift
  for option in "$@"; do
    case $option in
    --requeue) : >"$at/slurm.requeue" ;;
    --no-requeue) rm -f "$at/slurm.requeue" ;;
    esac
  done
}

array() { # KEEPER RUNS NAME INDEX:ID... -- OPTION...
  keeper=$1 group=$3
  cd "$2" 2>/dev/null || fail "absent"
  runs=$2
  shift 3
  members=''
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    members="$members $1"
    shift
  done
  shift
  exec 9>>.slurm.lock
  if command -v flock >/dev/null 2>&1; then flock -w 60 9 || fail "slurm another process is submitting these jobs"; fi
  name=evo-$(say "$runs/$group" | cksum | cut -d ' ' -f 1)-$group
  known=$(squeue -r -h -t all -u "$user" -n "$name" -o %i 2>&1) || fail "slurm $known"
  wanted='' indices='' script=''
  for member in $members; do
    index=${member%%:*} id=${member#*:}
    case $index$id in '' | *[!A-Za-z0-9._-]*) fail "usage" ;; esac
    [ -e "$id/job" ] || fail "absent"
    first "$id/slurm.job"
    if [ -n "$LINE" ] || [ -e "$id/pid" ] || [ -e "$id/exit" ]; then continue; fi
    found=''
    for at in $known; do case $at in *"_$index") found=$at ;; esac done
    if [ -n "$found" ]; then
      keep_line "$id/slurm.job" "$found" || fail "unsure $runs/$id"
    else
      mark_requeue "$id" "$@"
      wanted="$wanted $member" indices=$indices,$index
      script="$script$index) d=$(word "$runs/$id") ;;$newline"
    fi
  done
  if [ -z "$wanted" ]; then
    say "submitted known"
    return
  fi
  hand_over --chdir="$runs" --output=/dev/null --job-name="$name" --array="${indices#,}" "$@" <<END
#!/bin/sh
$for_steps
case \$SLURM_ARRAY_TASK_ID in
${script}esac
cd "\$d" && exec sh $(word "$keeper") batch "\$d" >>keeper.log 2>&1
END
  number=$(number_in "$number") || fail "slurm $number"
  for member in $wanted; do
    keep_line "${member#*:}/slurm.job" "${number}_${member%%:*}" || fail "unsure $runs"
  done
  say "submitted new"
}

# Prints a line "<number> <state> <reason>" for each job, and "asked" at the end if Slurm answered.
ask() { $quick squeue -r -h -t all -u "$user" -o '%i %T %r' 2>/dev/null && say asked; }
isover() { # STATE
  case $1 in
  PENDING | RUNNING | CONFIGURING | COMPLETING | SUSPENDED | REQUEUED | REQUEUE_HOLD | REQUEUE_FED | RESIZING | SIGNALING | STAGE_OUT | STOPPED | SPECIAL_EXIT | RESV_DEL_HOLD)
    return 1 ;;
  esac
}
status() { # KEEPER RUNS ID...
  keeper=$1 runs=$2
  shift 2
  queue='' isasked=''
  for id in "$@"; do
    case $id in '' | .* | -* | *[!A-Za-z0-9._-]*) continue ;; esac
    cd "$runs/$id" 2>/dev/null && [ ! -e slurm.end ] || continue
    first slurm.job
    [ -n "$LINE" ] || continue
    # Asked once for all jobs, also when the controller is away.
    [ -n "$isasked" ] || queue=$(ask) isasked=1
    case $queue in *asked) look "$LINE" ;; esac
  done
  exec sh "$keeper" status "$runs" "$@"
}
look() { # NUMBER: runs in the directory of the job
  number=$1 state='' reason='' told=''
  while read -r at now why; do
    [ "$at" != "$number" ] || { state=$now reason=$why; }
  done <<END
$queue
END
  if [ -z "$state" ]; then
    # Slurm forgets a job some minutes after its end; accounting still has it.
    account "$number"
    state=${told%% *}
    state=${state:-GONE}
  fi
  # Without cgroups, Slurm reports a job that used too much memory like any other failed job; only the log has the reason.
  [ "$state" != FAILED ] || ! grep -q '^slurmstepd.*: error: Exceeded job memory limit' keeper.log 2>/dev/null ||
    state=OUT_OF_MEMORY
  if isover "$state"; then
    # A shared file system may not yet show what the keeper wrote last, and Slurm may start a job again that lost its node.
    if [ ! -e exit ] || { [ -e slurm.requeue ] && isinterrupted "$state"; }; then
      first slurm.over
      now=$(date +%s)
      [ -n "$LINE" ] || keep_line slurm.over "$now"
      [ $((now - ${LINE:-$now})) -ge "${EVO_SLURM_SETTLE:-15}" ] || return
    fi
    if [ ! -e exit ]; then
      cause=killed
      case $state in
      TIMEOUT | DEADLINE) cause=timeout ;;
      CANCELLED) cause=cancelled ;;
      *) [ ! -e cancel ] || cause=cancelled ;;
      esac
      sh "$keeper" conclude "$PWD" "$cause"
      [ -e exit ] || return
    fi
    [ -n "$told" ] || account "$number"
    keep_line slurm.end "$state ${told#* }"
  else
    rm -f slurm.over
    first slurm.queue
    [ "$LINE" = "$state $reason" ] || keep_line slurm.queue "$state $reason"
  fi
}
isinterrupted() { case $1 in PREEMPTED | NODE_FAIL | BOOT_FAIL) ;; *) return 1 ;; esac }
account() { # NUMBER: sets told to "<state> <code> <seconds> <peak memory in KiB> <reason>", or to nothing without accounting
  told=$($quick sacct -n -P --units=K -j "$1" -o JobID,State,ExitCode,ElapsedRaw,MaxRSS,Reason 2>/dev/null | awk -F '|' '
    $1 !~ /[.]/ { state = $2; sub(/ .*/, "", state); code = $3; seconds = $4; reason = $6 }
    { rss = $5; sub(/K$/, "", rss); if (rss + 0 > peak) peak = rss + 0 }
    END { if (state) print state, code ? code : "-", seconds ~ /^[0-9]+$/ ? seconds : "-", peak ? int(peak) : "-", reason ? reason : "-" }')
}

cancel() { # KEEPER DIR
  sh "$1" cancel "$2" || exit 1
  cd "$2" || exit 1
  first slurm.job
  [ -n "$LINE" ] || return
  # Slurm drops a waiting job; the keeper of a running job ends it and records how.
  scancel --state=PENDING "$LINE" 2>/dev/null
  scancel --batch --signal=USR1 "$LINE" 2>/dev/null
  return 0
}

verb=${1-}
[ $# -gt 0 ] && shift
case $verb in
submit | array | status | cancel) "$verb" "$@" ;;
*) fail "usage" ;;
esac

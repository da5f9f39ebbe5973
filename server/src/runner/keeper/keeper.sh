#!/bin/sh
# Keeps detached jobs on the machine where it runs. docs/jobs.md describes the protocol. A host needs only this file,
# a POSIX shell, coreutils (or BusyBox) and, to run jobs, flock and setsid from util-linux (or perl).
#   keeper.sh submit DIR BYTES CKSUM <payload   commit a job, once
#   keeper.sh status RUNS [ID...]               report on the directories; start a keeper where one is missing
#   keeper.sh cancel DIR                        ask the job to end
#   keeper.sh keep DIR                          supervise the job (started by the executor or by status)
#   keeper.sh batch DIR                         the same, as the script of a Slurm job, which may run on another node
#   keeper.sh ray DIR [NAME...]                 the same, as the entrypoint of a Ray job; passes on the variables NAME
#   keeper.sh conclude DIR CAUSE [QUEUE]        record the end of such a job when its keeper could not
set -u
umask 077
unset CDPATH
self=$0
linux=''
[ -n "${EVO_KEEPER_PS-}" ] || [ ! -r /proc/self/stat ] || linux=1
die() { # writes to keeper.log
  say "$(date) $*" >&2
  exit 1
}
newline='
'

say() { printf '%s\n' "$*"; }
fail() {
  say "error $*"
  exit 1
}

# --- facts about the system: sets BOOT; NOW (hundredths of a second, independent of the clock); START, GROUP
boot() {
  if [ -n "$linux" ]; then
    read -r BOOT </proc/sys/kernel/random/boot_id
  else
    BOOT=$(sysctl -n kern.boottime 2>/dev/null | tr -d ' \n\t')
    BOOT=${BOOT:-unknown}
  fi
}
clock() {
  if [ -n "$linux" ]; then
    read -r NOW _ </proc/uptime
    NOW=${NOW%.*}${NOW#*.}
  else
    today
    NOW=${TODAY}00
  fi
}
# A signal that is sent to every process of a job also ends the ps or date that its keeper has just started. The keeper then
# asks again: no answer does not mean that the job has ended.
today() { until TODAY=$(date +%s); do :; done; } # seconds
# A zombie counts as dead: where PID 1 does not reap, as in many containers, zombies stay for ever.
identify() {
  START='' GROUP='' stat=''
  if [ -n "$linux" ]; then
    { while IFS= read -r part || [ -n "$part" ]; do stat=$stat$part; done; } 2>/dev/null <"/proc/$1/stat" || return 1
    # The name in parentheses may contain anything, so fields are counted after the last parenthesis.
    set -- ${stat##*) }
    case ${1-Z} in Z | X | x) return 1 ;; esac
    GROUP=$3
    shift 19
    START=$1
  else
    number=$1 looks=0
    until
      set -- $(ps -o pgid=,stat=,lstart= -p "$number" 2>/dev/null)
      [ $# -gt 0 ] || ! kill -0 "$number" 2>/dev/null
    do
      looks=$((looks + 1))
      [ "$looks" -lt 20 ] || break
      sleep 0.1 8>&- 9>&-
    done
    case ${2-Z} in Z*) return 1 ;; esac
    GROUP=$1
    shift 2
    START=$(printf '%s_' "$@")
    START=${START%_}
  fi
}
# alive PID START BOOT [anything]: this same process still runs
alive() { [ "${3-}" = "$BOOT" ] && identify "$1" && [ "$START" = "$2" ]; }
first() { # reads the first line of a file into LINE, without the padding
  LINE=''
  [ -f "$1" ] && { read -r LINE || [ -n "$LINE" ]; } 2>/dev/null <"$1"
}
if [ -n "$linux" ] || stat -c %s . >/dev/null 2>&1; then
  sizes() { exec stat -L -c %s "$@" 2>/dev/null; } # in $(...) only
  details() { stat -c 'file %Y %s %d:%i:%W %n' "$@" 2>/dev/null; }
else
  sizes() { exec stat -L -f %z "$@" 2>/dev/null; }
  details() { stat -f 'file %m %z %d:%i:%B %N' "$@" 2>/dev/null; }
fi
if command -v flock >/dev/null 2>&1; then
  try() { flock -n "$1"; }
else
  try() { perl -e 'use Fcntl ":flock"; open(F, ">&=", $ARGV[0]) && flock(F, LOCK_EX | LOCK_NB) || exit 1' "$1"; }
fi
if command -v setsid >/dev/null 2>&1; then
  session() { exec setsid "$@"; }
else
  session() { exec perl -e 'use POSIX; POSIX::setsid(); exec @ARGV' "$@"; }
fi
lock() { # takes the lock of an open descriptor; waits a moment, because a process that only tests the lock holds it briefly
  tries=0
  until try "$1"; do
    tries=$((tries + 1))
    [ "$tries" -lt 10 ] || return 1
    sleep 0.1
  done
}

# --- one job directory, which is the working directory of all functions below
enter() {
  case $1 in *"$newline"*) fail "directory" ;; /*) ;; *) fail "directory" ;; esac
  cd "$1" 2>/dev/null || fail "absent"
  J=$1 id=${1##*/}
}
header() { # reads the lines that the keeper needs; the rest of the payload is for the job's shell
  gpus=0 budget='' grace='' evidence='' log='' cwd='' batch=''
  while IFS= read -r line; do
    case $line in
    '#gpus '*) gpus=${line#* } ;;
    '#budget '*) budget=${line#* } ;;
    '#grace '*) grace=${line#* } ;;
    '#evidence '*) evidence=${line#* } ;;
    '#log '*) log=${line#* } ;;
    '#cwd '*) cwd=${line#* } ;;
    '#batch') batch=1 ;;
    '#end') return 0 ;;
    '#'*) ;;
    *) return 1 ;;
    esac
  done <job
  return 1
}

# --- status is asked often, so it comes early: the shell then need not read the rest of this file
status() { # RUNS [ID...]: reports everything in one answer
  boot
  runs=$1
  shift
  [ $# -gt 0 ] || for job in "$runs"/*/job; do
    job=${job%/job}
    [ ! -e "$job/job" ] || set -- "$@" "${job##*/}"
  done
  if [ -n "$linux" ] && [ $# -gt 2 ] && cd "$runs" 2>/dev/null && command -v awk >/dev/null 2>&1; then
    tell_many "$@"
  else
    say "evotrainer-status 2 $(date +%s) $BOOT"
    for id in "$@"; do tell_one "$id"; done
  fi
  say "evotrainer-end"
}
known() { case $1 in '' | .* | -* | *[!A-Za-z0-9._-]*) return 1 ;; esac }
# What marks an end is a file of the keeper's that was renamed: while that one is there, the job itself wrote the mark.
isforged() { # NAME
  case $1 in
  exit | code.* | stop.*) [ -e "${1%%.*}.pending" ] ;;
  *) return 1 ;;
  esac
}
isended() { [ -e exit ] && ! isforged exit; }
tell_one() {
  known "$1" && cd "$runs/$1" 2>/dev/null && [ -e job ] || return
  say "job $1"
  for name in keeper pid exit cancel waiting attempt slurm.job slurm.queue slurm.end ray.job ray.queue ray.end stop.cancelled stop.timeout stop.oversize code.[0-9]*; do
    [ -e "$name" ] && ! isforged "$name" || continue
    first "$name"
    say "has $name $LINE"
  done
  describe
  isended || heal "$runs/$1"
}
describe() { # lists only regular files: a link may lead anywhere
  set --
  for name in heartbeat exit stdout.log stderr.log stdout.log.1 stderr.log.1 rollouts.jsonl metrics.jsonl gpu.jsonl ray.log; do
    [ ! -f "$name" ] || [ -L "$name" ] || isforged "$name" || set -- "$@" "$name"
  done
  details "$@"
}
# The same with three processes for all jobs instead of several for each: fifty jobs take hardly longer than one. Files
# that grow are listed after `exit`, so their sizes are final once `exit` is listed.
tell_many() {
  list=''
  for id in "$@"; do
    known "$id" || continue
    list="$list $id/job $id/exit.pending $id/code.pending $id/stop.pending $id/keeper $id/pid $id/exit $id/cancel $id/waiting $id/attempt $id/slurm.job $id/slurm.queue $id/slurm.end\
 $id/ray.job $id/ray.queue $id/ray.end $id/stop.cancelled $id/stop.timeout $id/stop.oversize $id/code.[0-9]* $id/heartbeat $id/stdout.log $id/stderr.log\
 $id/stdout.log.1 $id/stderr.log.1 $id/rollouts.jsonl $id/metrics.jsonl $id/gpu.jsonl $id/ray.log"
  done
  told=$(
    { date +%s && stat -c '%n %f file %Y %s %d:%i:%W' $list 2>/dev/null; } | LC_ALL=C awk -v boot="$BOOT" '
      function first(path,  line) { line = ""; getline line <path; close(path); sub(/ *$/, "", line); return line }
      # The name in parentheses may contain anything, so fields are counted after the last parenthesis.
      function alive(keeper,  part, text, line, path, field) {
        if (split(keeper, part, " ") < 4 || part[4] != boot) return 0
        path = "/proc/" part[2] "/stat"
        while ((getline line <path) > 0) text = text line
        close(path)
        sub(/.*\) /, "", text)
        return split(text, field, " ") > 19 && field[1] !~ /[ZXx]/ && field[20] == part[3]
      }
      function over() { if (id != "" && !ended && !alive(keeper)) heal = heal " " id }
      NR == 1 { print "evotrainer-status 2 " $1 " " boot; next }
      $2 !~ /^8/ { next } # not a file
      {
        slash = index($1, "/")
        name = substr($1, slash + 1)
        if (name == "job") {
          over()
          id = substr($1, 1, slash - 1); keeper = ""; ended = 0; pending = " "
          print "job " id
          next
        }
        if (substr($1, 1, slash - 1) != id) next
        if (name ~ /[.]pending$/) { sub(/[.]pending$/, "", name); pending = pending name " "; next }
        mark = name
        sub(/[.].*/, "", mark)
        if (name ~ /^exit$|^code[.]|^stop[.]/ && index(pending, " " mark " ")) next
        if (name !~ /^heartbeat$|[.]log|[.]jsonl$/) {
          line = first($1)
          print "has " name " " line
          if (name == "keeper") keeper = line
          if (name == "exit") ended = 1
        }
        if (name ~ /^heartbeat$|^exit$|[.]log|[.]jsonl$/) print "file", $4, $5, $6, name
      }
      END { over(); print "heal" heal }'
  )
  say "${told%"$newline"heal*}"
  for id in ${told##*"$newline"heal}; do
    (cd "$runs/$id" 2>/dev/null && heal "$runs/$id")
  done
}
heal() { # starts a keeper if none is alive: at the beginning, after a restart, after somebody killed it
  # Slurm or Ray starts the keeper of a batch job, perhaps on another node.
  header && [ -z "$batch" ] || return
  first keeper
  set -- "$1" $LINE
  [ $# -ge 5 ] && alive "$3" "$4" "$5" && return
  (session sh "$self" keep "$1" </dev/null >/dev/null 2>>keeper.log &)
}
case ${1-} in status)
  shift
  status "$@"
  exit
  ;;
esac

prepare() { # makes files that later only have to be filled in place and renamed, which works on a full disk
  for name in exit.pending stop.pending pid.pending keeper; do
    (set -C && printf '%511s\n' '' >"$name") 2>/dev/null || [ -e "$name" ] || return 1
  done
  for name in code.pending cancel.pending job.lock heartbeat keeper.log stdout.log stderr.log; do
    (set -C && true >"$name") 2>/dev/null || [ -e "$name" ] || return 1
  done
}
fill() { printf '%-511s\n' "$2" 2>/dev/null 1<>"$1"; }

submit() { # DIR BYTES CKSUM: prints "submitted new", "submitted known" or "error ..."
  case $1 in *"$newline"*) fail "directory" ;; esac
  mkdir -p "$1" 2>/dev/null || [ -d "$1" ] || fail "disk $1"
  enter "$1"
  temporary=.job.$$
  trap 'rm -f "$temporary"' EXIT
  trap 'exit 1' HUP INT TERM
  head -c "$2" >"$temporary" 2>/dev/null || fail "disk $J"
  set -- "$2 $3" $(cksum <"$temporary")
  [ "$1" = "${3-} ${2-}" ] || fail "short ${3-}"
  if [ ! -e job ]; then
    prepare || fail "disk $J"
    sync "$temporary" 2>/dev/null
    if ln "$temporary" job 2>/dev/null; then
      enqueue
      say "submitted new"
      return
    fi
    [ -e job ] || fail "disk $J"
  fi
  cmp -s "$temporary" job || fail "conflict"
  say "submitted known"
}

# --- GPUs: one lock for each GPU, which the processes of the job hold, and a queue in the order of submission
places() { # finds the folder of the locks: on this node, even if several nodes share the home directory
  L=${EVO_LOCKS:-${HOME:-/tmp}/.evotrainer/locks/$(uname -n)}
  mkdir -p "$L/queue" 2>/dev/null
}
enqueue() {
  header && [ "$gpus" -gt 0 ] || return 0
  places
  (
    exec 8>>"$L/queue.lock" || exit 1
    until try 8; do sleep 0.05; done
    ticket
  )
}
ticket() { # needs the lock of the queue; writes "<job's ticket> <GPUs wanted>"
  first ticket
  if [ -z "$LINE" ]; then
    first "$L/last"
    number=$((${LINE:-0} + 1))
    fill "$L/last" "$number"
    LINE=$(printf '%09d' "$number").$id
    say "$LINE" >ticket
  fi
  [ -e "$L/queue/$LINE" ] || say "$gpus" >"$L/queue/$LINE"
}
# Two descriptors have the same meaning everywhere: 9 is the keeper's lock, 8 the lock of the queue and later of the job.
# flock(1) uses other descriptors for the GPUs.
list_gpus() { # sets all (how many there are) and free (indices that no foreign process uses and nobody has locked)
  all=0 free='' have=0
  quick=''
  command -v timeout >/dev/null 2>&1 && quick='timeout 20'
  used=$($quick nvidia-smi --query-compute-apps=gpu_uuid --format=csv,noheader 2>/dev/null)
  listed=$($quick nvidia-smi --query-gpu=index,uuid --format=csv,noheader 2>/dev/null)
  while IFS=', ' read -r index uuid; do
    case $index in '' | *[!0-9]*) continue ;; esac
    all=$((all + 1))
    case $used in *"$uuid"*) continue ;; esac
    ( : >>"$L/gpu-$index.lock" && flock -n "$L/gpu-$index.lock" true) 2>/dev/null 8>&- 9>&- || continue
    free="$free $index" have=$((have + 1))
  done <<END
$listed
END
}
my_turn() { # succeeds unless an earlier job waits for GPUs that this machine has
  first ticket
  mine=$LINE
  for other in "$L/queue"/*; do
    name=${other##*/}
    [ "$name" = "$mine" ] && return 0
    first "$other"
    set -- $LINE # wanted, pid, start, boot
    if [ $# -ge 4 ]; then
      if alive "$2" "$3" "$4"; then
        [ "$1" -gt "$all" ] || return 1
      elif [ "$4" != "$BOOT" ]; then rm -f "$other"; fi
    elif [ "${1:-0}" -le "$all" ] && ! old "$other"; then
      return 1 # its keeper is about to start
    fi
  done
  return 0
}
old() { [ -z "$(find "$1" -mmin -1 2>/dev/null)" ]; }
take_gpus() { # returns only if the job ended before it started
  places
  command -v flock >/dev/null 2>&1 || record noflock
  exec 8>>"$L/queue.lock"
  while :; do
    beat
    [ ! -e cancel ] || record_cancelled
    if try 8; then
      ticket
      first ticket
      identify $$ && say "$gpus $$ $START $BOOT" >"$L/queue/$LINE"
      list_gpus
      if my_turn && [ "$have" -ge "$gpus" ]; then
        rm -f "$L/queue/$mine" waiting
        set -- sh "$self" start "$J"
        chosen='' count=0
        for index in $free; do
          [ "$count" -lt "$gpus" ] || break
          chosen=$chosen${chosen:+,}$index count=$((count + 1))
          # flock(1) keeps the lock open in all processes below it.
          set -- flock -n "$L/gpu-$index.lock" "$@"
        done
        EVO_GPUS=$chosen
        export EVO_GPUS
        exec "$@"
      fi
      say "$gpus $all $have" 2>/dev/null >waiting
      flock -u 8
    fi
    sleep 1 8>&- 9>&-
  done
}

# --- the keeper
keep() { # DIR: becomes the only keeper of a job, or exits
  # The job must not see the rest of the environment.
  exec env -i PATH="${PATH:-/usr/local/bin:/usr/bin:/bin}" ${HOME+"HOME=$HOME"} ${USER+"USER=$USER"} \
    ${LOGNAME+"LOGNAME=$LOGNAME"} ${SHELL+"SHELL=$SHELL"} ${LANG+"LANG=$LANG"} ${LC_ALL+"LC_ALL=$LC_ALL"} \
    ${LC_CTYPE+"LC_CTYPE=$LC_CTYPE"} ${TZ+"TZ=$TZ"} ${TMPDIR+"TMPDIR=$TMPDIR"} ${EVO_LOCKS+"EVO_LOCKS=$EVO_LOCKS"} \
    ${EVO_GPU_SAMPLING+"EVO_GPU_SAMPLING=$EVO_GPU_SAMPLING"} \
    ${EVO_KEEPER_PS+"EVO_KEEPER_PS=$EVO_KEEPER_PS"} sh "$self" supervise "$1"
}
batch() { # DIR: like keep, with Slurm's variables about the node and the GPUs of the allocation
  pass_on "$1" 'SLURMD?_[A-Z0-9_]*'
}
# The keeper of a Ray job has a separate session. So it outlives Ray's process, ends the job and records its end when Ray
# kills that process. It is also a child of Ray's process, so Ray's TERM reaches both the keeper and the job.
ray() { # DIR [NAME...]
  enter "$1"
  [ -e job ] || fail "absent"
  boot
  identify $$ || fail "cannot tell who this is"
  EVO_RAY="$$ $START"
  export EVO_RAY
  trap : HUP INT TERM
  shift
  names='RAY_[A-Za-z0-9_]*|PYTHONPATH|VIRTUAL_ENV|CONDA_PREFIX|CONDA_DEFAULT_ENV|EVO_RAY'
  for name in "$@"; do
    case $name in '' | [0-9]* | *[!A-Za-z0-9_]*) fail "name" ;; esac
    names="$names|$name"
  done
  (
    session sh "$self" under_ray "$J" "$names" </dev/null >/dev/null 2>>keeper.log
  ) &
  child=$!
  until wait "$child" || ! identify "$child"; do :; done
  first exit
  # Ray shows the exit code, too.
  case $LINE in code.[0-9]*)
    LINE=${LINE#code.}
    exit "${LINE%% *}"
    ;;
  esac
  say "$LINE"
  exit 1
}
under_ray() { pass_on "$@"; } # DIR NAMES
pass_on() { # DIR NAMES: becomes the keeper, with the variables whose names match the extended expression NAMES
  names="$2|CUDA_VISIBLE_DEVICES|ROCR_VISIBLE_DEVICES|ZE_AFFINITY_MASK"
  set -- sh "$self" supervise "$1"
  for name in $(env | sed -n -E "s/^($names)=.*/\\1/p"); do
    eval "value=\$$name"
    set -- "$name=$value" "$@"
  done
  exec env -i PATH="${PATH:-/usr/local/bin:/usr/bin:/bin}" ${HOME+"HOME=$HOME"} ${USER+"USER=$USER"} \
    ${LOGNAME+"LOGNAME=$LOGNAME"} ${SHELL+"SHELL=$SHELL"} ${LANG+"LANG=$LANG"} ${LC_ALL+"LC_ALL=$LC_ALL"} \
    ${LC_CTYPE+"LC_CTYPE=$LC_CTYPE"} ${TZ+"TZ=$TZ"} ${TMPDIR+"TMPDIR=$TMPDIR"} \
    ${EVO_KEEPER_PS+"EVO_KEEPER_PS=$EVO_KEEPER_PS"} "$@"
}
supervise() {
  enter "$1"
  boot
  header || die "$J/job is not a job"
  # The system sends these to whole sessions at logout and shutdown: the keeper stays to record what happens.
  trap : HUP INT TERM
  # A cancelled batch job gets this signal, because a shared file system may show the file only later.
  asked=''
  trap 'asked=1' USR1
  # Ray sends TERM to every process of a job itself.
  under=${EVO_RAY-}
  unset EVO_RAY
  [ -z "$under" ] || trap 'asked=told' TERM
  exec 9<>keeper
  if [ -n "$batch" ] && [ "${SLURM_RESTART_COUNT:-0}" -gt 0 ]; then
    # On a node that Slurm gave up, the earlier attempt may live a little longer.
    waited=0
    until lock 9; do
      waited=$((waited + 1))
      [ "$waited" -lt 120 ] || die "an earlier attempt is still running"
    done
    again
  else
    lock 9 || exit 0
  fi
  ! isended || exit 0
  claim
  begun='' child='' ended=''
  first pid
  if [ -n "$LINE" ]; then
    adopt $LINE
    watch
  fi
  beat
  [ ! -e cancel ] || record_cancelled
  [ "$gpus" -eq 0 ] || take_gpus
  launch
}
# Slurm starts a job again if its node failed or went to another job. The evidence of the earlier attempt is set aside, so
# every rollout counts once; the trainer's other files stay, checkpoints among them.
again() { # the file "attempt" keeps the number of restarts, and how many hundredths of a second the earlier attempts took
  first attempt
  set -- ${LINE:-0 0}
  [ "$SLURM_RESTART_COUNT" -gt "$1" ] || return 0
  # The earlier attempt was over, or was being stopped.
  for name in code.0 cancel stop.cancelled stop.timeout stop.oversize; do [ ! -e "$name" ] || return 0; done
  before=$2 took=0
  first pid
  set -- $LINE
  if [ $# -ge 5 ]; then
    began=$5
    set -- $(details heartbeat)
    took=$(((${2:-$began} - began) * 100))
  fi
  aside=attempt.$SLURM_RESTART_COUNT
  mkdir -p "$aside" || die "$J/$aside cannot be made"
  for name in pid exit code.[0-9]* heartbeat *.jsonl stdout.log stderr.log stdout.log.1 stderr.log.1 policy; do
    [ ! -e "$name" ] || mv -f "$name" "$aside/" || die "$J/$name cannot be set aside"
  done
  rm -f slurm.over slurm.end
  prepare || die "the disk is full"
  say "$SLURM_RESTART_COUNT $((before + took))" >attempt.new && mv -f attempt.new attempt || die "the disk is full"
}
start() { # DIR: continues after take_gpus, with the locks on the GPUs
  enter "$1"
  boot
  header || die "$J/job is not a job"
  trap : HUP INT TERM
  flock -u 8
  exec 8>&-
  claim
  begun='' child='' ended=''
  launch
}
claim() { # writes "<how many keepers so far> <pid> <start> <boot>"; the lock on this file is what counts
  first keeper
  set -- $LINE
  # A keeper that waits for GPUs comes here twice, with another process number.
  [ -n "${EVO_GPUS-}" ] && set -- "$((${1:-1} - 1))"
  identify $$ && fill keeper "$((${1:-0} + 1)) $$ $START $BOOT"
}
adopt() {
  leader=$1 started=$2 booted=$3 begun=$4
  [ "$booted" = "$BOOT" ] && return
  lived
  record restarted
}
lived() { # sets `begun` for a job whose machine restarted or is gone: the job lived at least until its last heartbeat
  # It compares the times of files. If somebody set the clock in between, it counts no more than the job's budget.
  set -- $(details pid) $(details heartbeat)
  clock
  begun=$((NOW - (${7:-$2} - $2) * 100))
  [ $((NOW - begun)) -le $((budget + grace)) ] || begun=$((NOW - budget - grace))
}
launch() {
  [ -z "${EVO_GPUS-}" ] || say "$EVO_GPUS" 2>/dev/null >gpus
  while :; do
    # The job must not inherit the keeper's lock.
    session sh "$self" lead "$J" </dev/null >/dev/null 2>>keeper.log 9>&- &
    child=$!
    while :; do
      first pid
      [ -z "$LINE" ] || break 2
      identify "$child" || break
      sleep 0.02 9>&-
    done
    reap
    first pid
    if [ -n "$LINE" ]; then
      # The job is over already, and a shell reports an exit code only once.
      ended=$code
      break
    fi
    [ -z "${asked-}" ] || [ "$code" = 99 ] || record_cancelled
    case $code in
    96) record unstarted.cwd "$cwd" ;;
    99) ;; # the shell of an earlier keeper is about to start the job
    *) record unstarted "$code" ;;
    esac
    beat
    sleep 0.2 9>&-
  done
  adopt $LINE
  [ "$leader" = "$child" ] || child=''
  watch
}
reap() { # sets `code` to the exit code of the job's shell; a trapped signal makes `wait` return early, so it waits again
  while
    wait "$child" 2>/dev/null
    code=$?
    [ "$code" -gt 128 ] && kill -0 "$child" 2>/dev/null
  do :; done
}
watch() {
  clock
  beaten=0 stopped='' since=0 sampled=$((NOW - sampling + 300)) sampler=''
  for name in cancelled timeout oversize; do
    [ -e "stop.$name" ] || continue
    stopped=$name
    first "stop.$name"
    clock
    since=${LINE:-$NOW}
  done
  while :; do
    clock
    alive "$leader" "$started" "$booted" || over
    if [ $((NOW - beaten)) -ge 100 ]; then
      beat
      beaten=$NOW
      measure
      # Ray has ended the process around this keeper, or the node has lost Ray.
      [ -z "${under-}" ] || [ -n "$stopped" ] || {
        set -- $under
        identify "$1" && [ "$START" = "$2" ] || stop orphaned
      }
      # In the background, because the watch must not wait for a driver that hangs.
      if [ "$sampling" -gt 0 ] && [ $((NOW - sampled)) -ge "$sampling" ]; then
        sampled=$NOW
        if [ -z "$sampler" ] || ! identify "$sampler"; then
          sample_gpus </dev/null >/dev/null 2>&1 9>&- &
          sampler=$!
        fi
      fi
    fi
    if [ -n "$stopped" ]; then
      [ $((NOW - since)) -lt "$grace" ] || signal KILL
    elif [ -n "${asked-}" ] || [ -e cancel ]; then
      stop cancelled
    elif [ $((NOW - begun)) -ge "$budget" ]; then
      stop timeout
    fi
    # This notices the end of a short job soon, and costs a long job nothing.
    pause=0.25
    if [ $((NOW - begun)) -lt 300 ]; then pause=0.05; elif [ -z "$stopped" ] && [ $((NOW - begun)) -ge 6000 ]; then pause=1; fi
    sleep "$pause" 9>&-
  done
}
# Every 15 s, the first time 3 s after the start; a test may set it. 0: the machine has no GPUs to ask.
sampling=${EVO_GPU_SAMPLING:-1500}
command -v nvidia-smi >/dev/null 2>&1 || sampling=0
sample_gpus() { # writes a line of metrics: means over the job's GPUs, or over all GPUs if it was given none
  quick=''
  command -v timeout >/dev/null 2>&1 && quick='timeout 10'
  first gpus
  mine=${LINE:-${CUDA_VISIBLE_DEVICES-}}
  step=0
  [ ! -f metrics.jsonl ] || [ -L metrics.jsonl ] || step=$(tail -n 1 metrics.jsonl 2>/dev/null | sed -n 's/.*"step": *\([0-9]\{1,12\}\)[,} ].*/\1/p')
  means=$($quick nvidia-smi ${mine:+"--id=$mine"} --query-gpu=utilization.gpu,memory.used,power.draw \
    --format=csv,noheader,nounits 2>/dev/null |
    LC_ALL=C awk -F ', *' '{
      for (i = 1; i <= 3; i++) if ($i ~ /^[0-9]+(\.[0-9]+)?$/) { sum[i] += $i; n[i]++ }
    } END {
      if (n[1]) printf ", \"gpu_util\": %.1f", sum[1] / n[1]
      if (n[2]) printf ", \"gpu_memory_mib\": %.0f", sum[2] / n[2]
      if (n[3]) printf ", \"gpu_power_watts\": %.1f", sum[3] / n[3]
    }')
  [ -z "$means" ] || [ -L gpu.jsonl ] || { [ -e gpu.jsonl ] && [ ! -f gpu.jsonl ]; } || say "{\"step\": ${step:-0}$means}" >>gpu.jsonl
}
measure() { # one program measures all files, the logs first
  set --
  for name in stdout.log stderr.log; do [ ! -e "$name" ] || set -- "$@" "$name"; done
  logs=$# total=0
  for size in $(sizes "$@" ./*.jsonl); do
    if [ "$logs" -eq 0 ]; then total=$((total + size)); else
      logs=$((logs - 1))
      [ "$size" -le "$log" ] || for name in "$@"; do limit_log "$name"; done
    fi
  done
  [ -n "$stopped" ] || [ "$total" -le "$evidence" ] || stop oversize
}
limit_log() { # the job opened its log for appending, so the keeper can empty it
  size=$(sizes "$1")
  [ "${size:-0}" -gt "$log" ] || return 0
  # A new file each time, so a process that copies it can notice.
  # The job may have laid a link there, which is not followed.
  rm -rf "$1.new"
  (set -C && cat "$1" >"$1.new") 2>/dev/null && mv -f "$1.new" "$1.1"
  true >"$1"
}
stop() {
  stopped=$1 since=$NOW
  # Before the signal, so a later keeper sends no second TERM: many trainers take a second one for "now".
  fill stop.pending "$NOW"
  rm -rf stop.cancelled stop.timeout stop.oversize
  mv -f stop.pending "stop.$1" 2>/dev/null
  [ "${asked-}" = told ] || signal TERM
}
marked() { # lists processes whose environment names this job: they may have left its group
  [ -n "$linux" ] || return 0
  files=$(LC_ALL=C grep -lszxF "EVO_RUN_DIR=$J" /proc/[0-9]*/environ 2>/dev/null)
  [ $? -le 128 ] || return 1
  for found in $files; do
    found=${found#/proc/}
    found=${found%/environ}
    # A zombie has no environment, and this process and its children have none of the job's variables.
    say "$found"
  done
  return 0
}
signal() { # signals the group once, and each process that left the group once
  # No "--" before the group: dash and BusyBox do not accept it there.
  kill "-$1" "-$leader" 2>/dev/null
  for left in $(marked); do
    identify "$left" && [ "$GROUP" != "$leader" ] && kill "-$1" "$left" 2>/dev/null
  done
  return 0
}
over() { # the leader has ended: kills what is left of the job, then records its end
  cause=killed
  [ -z "$sampler" ] || kill "$sampler" 2>/dev/null
  if [ -n "$child" ]; then
    code=$ended
    [ -n "$code" ] || reap
    [ "$code" -le 128 ] || cause=signal.$((code - 128))
    # The number of an adopted group that ended long ago may belong to another process by now.
    kill -KILL "-$leader" 2>/dev/null
  fi
  rounds=0
  while [ "$rounds" -lt 60 ]; do
    until left=$(marked); do :; done
    [ -n "$left" ] || break
    for one in $left; do kill -KILL "$one" 2>/dev/null; done
    rounds=$((rounds + 1))
    sleep 0.05
  done
  for name in code.[0-9]*; do [ ! -e "$name" ] || cause=$name; done
  if [ "${asked-}" = told ] && [ -z "$stopped" ]; then
    clock
    fill stop.pending "$NOW"
    mv -f stop.pending stop.cancelled 2>/dev/null
  fi
  [ "$stopped" != orphaned ] || cause=ray.orphaned
  record "$cause"
}
record_cancelled() {
  clock
  fill stop.pending "$NOW"
  mv -f stop.pending stop.cancelled 2>/dev/null
  record unstarted.cancelled
}
record() { # CAUSE [DETAIL]: writes "<cause> <hundredths of a second> <time> <detail>"
  clock
  lasted=$((NOW - ${begun:-$NOW}))
  [ "$lasted" -ge 0 ] || lasted=0
  first ticket
  [ -z "$LINE" ] || { places && rm -f "$L/queue/$LINE"; }
  tidy
  today
  fill exit.pending "$1 $lasted $TODAY ${2-}"
  # The job may have removed what says why it was stopped.
  [ -z "${stopped-}" ] || [ -e "stop.$stopped" ] || (set -C && true >"stop.$stopped") 2>/dev/null
  # Into a folder that the job made there it would be moved.
  [ ! -d exit ] || rm -rf exit
  mv -f exit.pending exit 2>/dev/null
  exit 0
}
tidy() { # removes what a confined job wrote where nothing is kept
  scratch=${J%/*}.scratch/$id
  [ -d "$scratch" ] || return 0
  # The kernel makes a folder there that nobody may open.
  chmod -R u+rwx "$scratch" 2>/dev/null
  rm -rf "$scratch"
}
beat() { touch heartbeat 2>/dev/null; } # works on a full disk

conclude() { # DIR CAUSE [QUEUE]: records the end of a batch job that is over for Slurm or Ray
  enter "$1"
  queue=${3:-slurm}
  exec 9<>keeper
  lock 9 || exit 0
  ! isended || exit 0
  boot
  clock
  first pid
  set -- "$2" $LINE
  case $1 in
  timeout | cancelled)
    fill stop.pending "$NOW"
    mv -f stop.pending "stop.$1" 2>/dev/null
    ;;
  esac
  # The uptime here says nothing about the node that ran the job.
  if [ $# -gt 1 ]; then
    header
    lived
    record "$queue.$1"
  fi
  record "unstarted.$1"
}

# --- the job's own shell, leader of its session and group
lead() {
  enter "$1"
  boot
  header || exit 95
  exec 8<>job.lock
  lock 8 || exit 99
  # No job runs twice, and no job runs unless it can be found again.
  first pid
  [ -z "$LINE" ] || exit 99
  cd "$cwd" 2>/dev/null || exit 96
  identify $$ || exit 95
  clock
  fill "$J/pid.pending" "$$ $START $BOOT $NOW $(date +%s)"
  mv -f "$J/pid.pending" "$J/pid" || exit 98
  # This shell survives the TERM to its group and records the exit code itself, even if no keeper is alive at the end.
  trap : TERM INT HUP
  evo_dir=$J evo_gpus=${EVO_GPUS-} evo_env=$(command -v env)
  unset EVO_GPUS EVO_LOCKS EVO_KEEPER_PS EVO_GPU_SAMPLING
  set -- "$evo_env"
  # Shells start background processes with SIGINT and SIGQUIT ignored.
  "$evo_env" --default-signal=INT,QUIT true 2>/dev/null && set -- "$@" --default-signal=INT,QUIT
  set -- "$@" --
  (
    exec 8>&- </dev/null >>"$J/stdout.log" 2>>"$J/stderr.log"
    . "$J/job"
  )
  code=$?
  # The job may have written codes itself, which would count beside its own from now on.
  rm -rf "$J"/code.[0-9]*
  mv -f "$J/code.pending" "$J/code.$code"
  exit "$code"
}
evo_contract() { # the payload calls this after the variables that the project declares
  EVO_RUN_DIR=$evo_dir
  export EVO_RUN_DIR
  [ -z "$evo_gpus" ] && return 0
  CUDA_VISIBLE_DEVICES=$evo_gpus CUDA_DEVICE_ORDER=PCI_BUS_ID
  export CUDA_VISIBLE_DEVICES CUDA_DEVICE_ORDER
}

# --- questions
cancel() {
  enter "$1"
  [ -e job ] || fail "absent"
  isended || mv -f cancel.pending cancel 2>/dev/null
  say "cancelling"
}

verb=${1-}
[ $# -gt 0 ] && shift
case $verb in
submit | cancel | keep | batch | ray | under_ray | conclude | supervise | start | lead) "$verb" "$@" ;;
*) fail "usage" ;;
esac

#!/bin/sh
# Writes evidence from a shell script into EVO_RUN_DIR. POSIX sh, awk and dd; you need to install nothing, not even jq.
#
#   write_evidence.sh metrics STEP NAME=NUMBER...
#   write_evidence.sh rollout id=7-3 split=train step=40 item=repair-017 outcome=pass reward=1 \
#       component:tests=1 stop_reason=success user="Fix it." assistant="Done." extra:host=node-7
#
# Turns are system=, user=, assistant= and tool=, in the order in which they happened. group= defaults to STEP/ITEM and
# sample= to 0. run, harness, seed and policy come from EVO_RUN_ID, EVO_HARNESS, EVO_SEED and EVO_POLICY_IN, or from
# run= and so on; unknown values become null. outcome=unknown needs unknown_reason=.
#
# The script checks a record before it writes, and appends each line with one write, so several processes can write at
# the same time.
set -u

fail() {
  printf 'write_evidence: %s\n' "$1" >&2
  exit 1
}

# Prints $1 as a JSON string. Bytes over 127 pass unchanged: the text must be UTF-8.
string() {
  printf '%s\n' "$1" | LC_ALL=C awk '
    BEGIN { for (i = 1; i < 32; i++) code[sprintf("%c", i)] = sprintf("\\u%04x", i); printf "\"" }
    {
      if (NR > 1) printf "\\n"
      n = length($0)
      for (i = 1; i <= n; i++) {
        c = substr($0, i, 1)
        if (c == "\\" || c == "\"") printf "\\%s", c
        else if (c in code) printf "%s", code[c]
        else printf "%s", c
      }
    }
    END { printf "\"" }'
}

matches() { # text, extended regular expression
  printf '%s' "$1" | LC_ALL=C awk -v re="^($2)\$" 'NR == 1 { ok = $0 ~ re } END { exit !(NR == 1 && ok) }'
}

number() { # name, value
  [ "$2" = null ] || matches "$2" '-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?' ||
    fail "$1 must be a number or null, got '$2'."
}

count() { # name, value
  matches "$2" '0|[1-9][0-9]*' || fail "$1 must be a whole number of at least 0, got '$2'."
}

string_or_null() {
  if [ -n "$1" ]; then string "$1"; else printf null; fi
}

append() { # file, line
  [ -n "${EVO_RUN_DIR:-}" ] || fail "There is no folder to write to: set EVO_RUN_DIR."
  mkdir -p "$EVO_RUN_DIR" || fail "The folder $EVO_RUN_DIR cannot be made."
  # dd collects the line and writes it at once; the shell's own printf may write it in pieces.
  printf '%s\n' "$2" | dd obs=8388608 2>/dev/null >>"$EVO_RUN_DIR/$1" || fail "$EVO_RUN_DIR/$1 cannot be written."
}

metrics() {
  [ $# -ge 1 ] || fail "metrics needs a step."
  count step "$1"
  line="{\"step\":$1"
  shift
  for pair; do
    case $pair in
      ?*=*) ;;
      *) fail "A metric is NAME=NUMBER, got '$pair'." ;;
    esac
    # A name may contain an =, a number does not.
    name=${pair%=*}
    number "$name" "${pair##*=}"
    line="$line,$(string "$name"):${pair##*=}"
  done
  append metrics.jsonl "$line}"
}

rollout() {
  id='' split='' step='' item='' group='' outcome='' reward='' unknown_reason='' stop_reason='' started_at=''
  sample=0 tokens=null duration_ms=null logprob_mean=''
  run=${EVO_RUN_ID:-} harness=${EVO_HARNESS:-} seed=${EVO_SEED:-null} policy=${EVO_POLICY_IN:-}
  components='' extra='' turns=''
  for pair; do
    key=${pair%%=*}
    value=${pair#*=}
    [ "$key" != "$pair" ] || fail "A field is NAME=VALUE, got '$pair'."
    case $key in
      id) id=$value ;;
      run) run=$value ;;
      split) split=$value ;;
      step) step=$value ;;
      item) item=$value ;;
      group) group=$value ;;
      sample) sample=$value ;;
      outcome) outcome=$value ;;
      unknown_reason) unknown_reason=$value ;;
      reward) reward=$value ;;
      stop_reason) stop_reason=$value ;;
      tokens) tokens=$value ;;
      logprob_mean) logprob_mean=$value ;;
      policy) policy=$value ;;
      harness) harness=$value ;;
      seed) seed=$value ;;
      started_at) started_at=$value ;;
      duration_ms) duration_ms=$value ;;
      component:?*)
        [ "$value" != null ] || fail "$key must be a number; leave it out where there is none."
        number "$key" "$value"
        components="$components${components:+,}$(string "${key#component:}"):$value"
        ;;
      extra:?*) extra="$extra${extra:+,}$(string "${key#extra:}"):$(string "$value")" ;;
      system | user | assistant | tool)
        turns="$turns${turns:+,}{\"role\":\"$key\",\"text\":$(string "$value")}"
        ;;
      *) fail "There is no field '$key'; put it into extra:$key=." ;;
    esac
  done
  [ -n "$id" ] || fail "id is missing."
  [ -n "$run" ] || fail "The run has no name: set EVO_RUN_ID, or give run=."
  [ -n "$item" ] || fail "item is missing."
  [ -n "$reward" ] || fail "reward is missing; write reward=null when there was none."
  case $split in
    train | selection | audit) ;;
    *) fail "split must be train, selection or audit, got '$split'." ;;
  esac
  case $outcome in
    pass | fail) ;;
    unknown) [ -n "$unknown_reason" ] || fail "An unknown outcome needs unknown_reason=: why could it not be judged?" ;;
    *) fail "outcome must be pass, fail or unknown, got '$outcome'." ;;
  esac
  count step "$step"
  count sample "$sample"
  number reward "$reward"
  number duration_ms "$duration_ms"
  [ -z "$logprob_mean" ] || { [ "$logprob_mean" != null ] && number logprob_mean "$logprob_mean"; } ||
    fail "logprob_mean must be a number; leave it out where there is none."
  [ "$tokens" = null ] || count tokens "$tokens"
  [ "$seed" = null ] || count seed "${seed#-}"
  line="{\"id\":$(string "$id"),\"run\":$(string "$run"),\"split\":\"$split\",\"step\":$step,\"item\":$(string "$item")"
  line="$line,\"group\":$(string "${group:-$step/$item}"),\"sample\":$sample,\"outcome\":\"$outcome\""
  [ -z "$unknown_reason" ] || line="$line,\"unknown_reason\":$(string "$unknown_reason")"
  line="$line,\"reward\":$reward,\"components\":{$components},\"stop_reason\":$(string_or_null "$stop_reason")"
  line="$line,\"turns\":[$turns],\"tokens\":$tokens"
  [ -z "$logprob_mean" ] || line="$line,\"logprob_mean\":$logprob_mean"
  line="$line,\"policy\":$(string_or_null "$policy"),\"harness\":$(string_or_null "$harness"),\"seed\":$seed"
  line="$line,\"started_at\":$(string_or_null "$started_at"),\"duration_ms\":$duration_ms,\"extra\":{$extra}}"
  append rollouts.jsonl "$line"
}

case ${1:-} in
  metrics | rollout)
    command=$1
    shift
    "$command" "$@"
    ;;
  *) fail "The first word must be rollout or metrics." ;;
esac

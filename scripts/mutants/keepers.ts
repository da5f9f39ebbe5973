import { of } from "./mutant.ts";

const job = ["server/src/runner/confine/confinedJob.test.ts"];
const marks = ["server/src/runner/confine/falseMarks.test.ts"];
const forged = ["server/src/runner/keeper/forgedMarks.test.ts"];
const gpus = ["server/src/runner/keeper/keeperGpus.test.ts"];
const mounts = ["server/src/runner/confine/mounts.test.ts"];

/** What the scripts beside a job keep from it: what it sees, and how it ends. */
export const keeperGuards = [
  ...of("server/src/runner/keeper/confine.sh", mounts, [
    [
      "A confined job finds what is outside of its folders read-only.",
      `[ -n "$serving" ] && asked ro "$point" ||`,
      "true ||",
    ],
    [
      "A blank before a digit in the project's path leaves nothing writable.",
      `point="$point\\\\0\${rest%`,
      `point="$point\\\\\${rest%`,
    ],
    ["A folder that is only shown cannot be written to.", `  [ "$1" = keep ] || fixed "$r$2"`, "  :"],
    [
      "What Perl was refused is done by mount, and not left out.",
      `  [ -n "$serving" ] && asked ro "$1" || put -o remount,bind,ro "$1"`,
      `  [ -n "$serving" ] && { asked ro "$1"; true; } || put -o remount,bind,ro "$1"`,
    ],
  ]),
  ...of("server/src/runner/keeper/confine.sh", job, [
    ["What a confined job must not see is hidden from it.", `    hide) hide "$1" ;;`, "    hide) ;;"],
    ["A confined job sees no process but its own.", `empty proc "" "$r/proc"`, ":"],
    [
      "A confined job writes no temporary files of others.",
      `for p in /tmp /var/tmp; do\n  [ ! -d "$p" ]`,
      `for p in /tmp /var/tmp; do\n  true`,
    ],
    [
      "What a confined job writes into the home folder goes with it.",
      `  if ! mount -t overlay -o "lowerdir=$h,upperdir=home,workdir=work,userxattr" overlay "$r$h" 2>/dev/null; then`,
      `  if ! mount --bind "$h" "$r$h" 2>/dev/null; then`,
    ],
    [
      "A confined job takes no mount away.",
      `"$unshare" -U -m "--map-user=$u" "--map-group=$g" -- "$@"`,
      `"$@"`,
    ],
    [
      "A confined job reaches no socket of the session.",
      `if [ -d /run ] && [ ! -L /run ]; then`,
      "if false; then",
    ],
  ]),
  ...of("server/src/runner/keeper/keeper.sh", forged, [
    [
      "A mark counts only once the keeper's own file has become it.",
      `  exit | code.* | stop.*) [ -e "\${1%%.*}.pending" ] ;;`,
      "  exit | code.* | stop.*) return 1 ;;",
    ],
    [
      "A mark of a job's own is not believed either where many jobs are asked for.",
      `if (name ~ /^exit$|^code[.]|^stop[.]/ && index(pending, " " mark " ")) next`,
      "",
    ],
    [
      "Nothing is measured through a link.",
      `[ ! -f "$name" ] || [ -L "$name" ] || isforged`,
      `[ ! -f "$name" ] || isforged`,
    ],
  ]),
  ...of("server/src/runner/keeper/keeper.sh", marks, [
    ["A job that wrote its code itself ends with the one that it had.", `  rm -rf "$J"/code.[0-9]*\n`, ""],
    [
      "A job that wrote the mark of its end itself can still be cancelled.",
      "isended() { [ -e exit ] && ! isforged exit; }",
      "isended() { [ -e exit ]; }",
    ],
  ]),
  ...of("server/src/runner/keeper/keeper.sh", gpus, [
    ["Numbers of GPUs go through no link.", `[ -z "$means" ] || [ -L gpu.jsonl ] ||`, `[ -z "$means" ] ||`],
  ]),
];

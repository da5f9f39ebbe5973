import { duration } from "../../../../shared/words/numbers.ts";
import type { HostFinding } from "../../../../shared/protocol/views/hosts.ts";
import { HarnessError } from "../../base/errors.ts";
import { JobSpec } from "../job/jobSpec.ts";
import { statusOf } from "../job/jobDirectory.ts";
import { posixChecksum, renderJob } from "../keeper/payload.ts";
import { shellWord } from "../../base/shellWord.ts";
import { parseStatusReport } from "../keeper/statusReport.ts";
import { accelerator, clock, disk, gpus, keeper, linger, noLogin, python, shell, slurm } from "./findings.ts";
import { pythonOf } from "./trainerPython.ts";
import { confinement } from "./confinementFinding.ts";
import { shippedConfiners } from "../confine/confiners.ts";
import { probeScript, readProbe } from "../confine/probe.ts";
import { spreading, type CannotConfine, type Confiner } from "../confine/step.ts";
import { rayFindings } from "../ray/rayFindings.ts";
import { installation, type HostPrograms } from "../ssh/hostPrograms.ts";
import { HostShell } from "../ssh/hostShell.ts";
import { workFolder } from "../ssh/hostWork.ts";
import type { SshRoute } from "../ssh/sshArguments.ts";

export interface ExamineOptions {
  /** With them a job that does nothing is run there, and its folder removed. */
  readonly programs?: HostPrograms;
  /** The command of the project's trainer: the Python that it starts is the one that is asked for torch. */
  readonly command?: readonly string[];
  readonly signal?: AbortSignal;
}

/**
 * Looks at all that a job needs on a host. Leaves nothing there but the work folder and the keeper.
 * @throws HarnessError cancelled
 */
export async function examineHost(route: SshRoute, options: ExamineOptions = {}): Promise<HostFinding[]> {
  const { signal } = options;
  const connection = new HostShell({ ...route, patienceSeconds: 5 });
  const stop = (): void => connection.close();
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted === true) stop();
  try {
    return await look(connection, options);
  } catch (e) {
    if (!HarnessError.is(e) || HarnessError.is(e, "cancelled")) throw e;
    if (signal?.aborted === true)
      throw new HarnessError("cancelled", "The check of this host stopped there.");
    return [noLogin(route, e)];
  } finally {
    signal?.removeEventListener("abort", stop);
    connection.close();
  }
}

async function look(connection: HostShell, { programs, command }: ExamineOptions): Promise<HostFinding[]> {
  const { route } = connection;
  const asks = pythonOf(command ?? [], route.spec);
  const started = Date.now();
  await connection.run("true");
  const login = Math.max(0, Date.now() - started - connection.waited) / 1000;
  const asked = Date.now();
  const facts = read((await connection.run(machineQuestions(route))).toString("utf8"));
  const answered = Date.now();
  const trial =
    programs === undefined || facts.has("missing") || facts.get("system") !== "Linux" || !facts.has("free")
      ? undefined
      : await tryJob(connection, programs);
  const can = programs === undefined ? undefined : await canConfine(connection, programs);
  for (const [key, value] of read(
    (await connection.run(pythonQuestions(route, asks.program))).toString("utf8"),
  ))
    facts.set(key, value);
  return [
    {
      about: "login",
      state: "good",
      found: `${route.spec.local ? "this machine" : (facts.get("account") ?? "in")} after ${duration(login)}`,
      mend: null,
    },
    ...shell(facts, connection.noise, login),
    ...keeper(facts, trial),
    ...(can === undefined ? [] : [confinement(can)]),
    ...linger(facts),
    ...disk(facts, route),
    ...clock(facts, { asked, answered }),
    ...python(facts, route, asks),
    ...accelerator(facts, route),
    ...gpus(facts, route),
    ...slurm(facts, route),
    ...(route.spec.ray === undefined ? [] : await rayFindings({ ...route, ray: route.spec.ray })),
  ];
}

/** What keeps jobs of a host from what is not theirs. */
async function canConfine(connection: HostShell, programs: HostPrograms): Promise<Confiner | CannotConfine> {
  const { slurm, ray } = connection.route.spec;
  const spreads = slurm !== undefined ? spreading.slurm : ray === undefined ? undefined : spreading.ray;
  if (spreads !== undefined) return { by: null, reason: spreads };
  const confiners = shippedConfiners(programs.keeper);
  const scratch = `${workFolder(connection.route.spec)}/.probe`;
  return readProbe((await connection.run(probeScript(confiners, scratch))).toString("utf8"), confiners);
}

const say = `say() { printf '%s=%s\\n' "$1" "$(printf '%s' "$2" | tr '\\n' ' ')"; }
t() { if command -v timeout >/dev/null 2>&1; then timeout 45 "$@" || { r=$?; [ $r -ne 124 ] || echo 'no answer within 45 s'; return $r; }; else "$@"; fi; }
`;

function machineQuestions(route: SshRoute): string {
  const folder = workFolder(route.spec);
  const { slurm: asked } = route.spec;
  return `umask 077
${say}say system "$(uname -s)"
say account "$(id -un)@$(uname -n)"
say shell "\${SHELL-}"
say clock "$(date +%s)"
for p in flock setsid git tar cksum stat cmp; do command -v "$p" >/dev/null 2>&1 || say missing "$p"; done
[ -r /proc/self/stat ] || say missing /proc
if mkdir -p ${folder} 2>/dev/null && [ -w ${folder} ]; then
say free "$(df -Pk ${folder} | tail -n 1 | awk '{print $4}')"
say inodes "$(df -Pi ${folder} 2>/dev/null | tail -n 1 | awk '{print $2, $4}')"
(f=${folder}/.lock.$$; exec 9>"$f" && flock -n 9; r=$?; rm -f "$f"; exit $r) 2>/dev/null || say unlockable yes
fi
if command -v busctl >/dev/null 2>&1; then
say kills "$(busctl get-property org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager KillUserProcesses 2>/dev/null)"
say linger "$(loginctl show-user "$(id -un)" --property Linger --value 2>/dev/null)"
fi
${asked === undefined ? "" : slurmQuestions(asked.partition)}`;
}

const slurmQuestions = (
  partition: string | undefined,
): string => `say slurm "$(sinfo --version 2>&1 | tail -n 1)"
say nodes "$(sinfo -h -o '%P %a %D' ${partition === undefined ? "" : `-p ${shellWord(partition)} `}2>&1 | head -n 20)"
say accounting "$(sacct -n -X 2>&1 >/dev/null | tail -n 1)"
`;

function pythonQuestions({ spec }: SshRoute, python: string): string {
  const program = shellWord(python);
  const path = spec.environment["PATH"];
  return `${path === undefined ? "" : `PATH=${shellWord(path)}; export PATH\n`}${say}say python "$(t ${program} -c 'import platform; print(platform.python_version())' 2>&1 | tail -n 1)"
say torch "$(t ${program} -c 'import torch; print(torch.__version__, torch.version.cuda, torch.cuda.device_count() if torch.cuda.is_available() else 0)' 2>&1 | tail -n 1)"
if command -v nvidia-smi >/dev/null 2>&1; then
if n=$(t nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader 2>&1); then
say gpus "$(printf '%s\\n' "$n" | grep -c .)"
say gpu "$(printf '%s\\n' "$n" | head -n 1)"
say driver "$(t nvidia-smi 2>/dev/null | sed -n 's/.*CUDA Version: *\\([0-9.]*\\).*/\\1/p')"
else say smi "$(printf '%s\\n' "$n" | head -n 1)"; fi
fi`;
}

/** The values that were said, one line each: a host may say anything. */
function read(text: string): Map<string, string> {
  const facts = new Map<string, string>();
  for (const [, key = "", value = ""] of text.matchAll(/^([a-z]+)=(.*)$/gm)) {
    const clean = value
      .replace(/\p{C}+/gu, " ")
      .trim()
      .slice(0, 200);
    facts.set(key, key === "missing" && facts.has(key) ? `${facts.get(key) ?? ""}, ${clean}` : clean);
  }
  return facts;
}

/** Runs a job that does nothing. Gives the seconds that it took, or why it failed. */
async function tryJob(connection: HostShell, programs: HostPrograms): Promise<number | string> {
  const { script, installedIn } = installation(programs);
  const command = ["sh", "-c", "echo evotrainer"];
  const job = renderJob(
    JobSpec.parse({ id: "doctor", command, cwd: "/", environment: {}, budgetSeconds: 60 }),
  );
  const program = installedIn("$k").keeper;
  const started = Date.now();
  const reply = (
    await connection.run(`umask 077
k="$HOME/.evotrainer/keeper"; mkdir -p "$k" && k=$(cd "$k" && pwd -P) || exit 1
${script}r=$(mktemp -d ${workFolder(connection.route.spec)}/.doctor.XXXXXX) && r=$(cd "$r" && pwd -P) || exit 1
sh "${program}" submit "$r/doctor" ${job.length} ${posixChecksum(job)} <<'END_OF_JOB'
${job.toString("utf8")}END_OF_JOB
i=0
while [ $i -lt 50 ]; do
s=$(sh "${program}" status "$r" doctor)
case $s in *'has exit '*) break ;; esac
i=$((i + 1)); sleep 0.1
done
printf '%s\\n' "$s"; tail -n 1 "$r/doctor/keeper.log"; printf 'printed='; cat "$r/doctor/stdout.log"
rm -rf "$r"`)
  ).toString("utf8");
  const report = parseStatusReport(reply);
  const facts = report?.jobs.get("doctor");
  if (report === undefined || facts === undefined) return lastLine(reply);
  const status = statusOf("doctor", facts, report.now);
  if (status.exitCode !== 0) return status.reason ?? lastLine(reply);
  return /^printed=evotrainer$/m.test(reply) ? (Date.now() - started) / 1000 : "it wrote nothing";
}

const lastLine = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.replace(/\p{C}+/gu, " ").trim())
    .filter((line) => line !== "" && line !== "printed=")
    .at(-1)
    ?.slice(0, 200) ?? "no answer";

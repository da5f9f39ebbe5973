import { counted } from "../../../../shared/words/numbers.ts";
import { mkdir, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import { dirname, join, resolve } from "node:path";
import { codeOf, HarnessError, messageOf } from "../../base/errors.ts";
import { exists } from "../../base/files.ts";
import { inLine } from "../../base/plainText.ts";
import { completed } from "../../engine/fromRuns/verlProject.ts";
import { findRuns } from "../../engine/fromRuns/findRuns.ts";
import { planRuns, type RunsPlan } from "../../engine/fromRuns/planRuns.ts";
import { projectText } from "../../engine/fromRuns/projectText.ts";
import { importRuns } from "../../engine/fromRuns/runVersions.ts";
import { verdictIn, type Verdict } from "../../engine/fromRuns/verdict.ts";
import { decideBy } from "../../evidence/importing/decide.ts";
import { placeOf } from "../../engine/workspace/place.ts";
import { withEngine } from "../../engine/owner/withEngine.ts";
import { openWorkspace } from "../../engine/workspace/workspace.ts";
import { openRepository, resolveCommit } from "../../lineage/repository.ts";
import { projectFile } from "../../project/project.ts";
import { showProgress } from "../terminal/progressLine.ts";
import { printResult, type Io } from "../terminal/io.ts";

export interface FromOptions {
  readonly from: readonly string[];
  readonly passWhen?: string;
  readonly dryRun: boolean;
  /** Takes what is proposed, and asks nothing. */
  readonly yes: boolean;
  /** The folder of the examples that come with the product. */
  readonly examples: string;
}

interface Made {
  readonly folder: string;
  readonly plan: RunsPlan;
  readonly verdict: Verdict;
  /** Paths in the folder. */
  readonly added: readonly string[];
  readonly imported: readonly {
    readonly version: string;
    readonly rollouts: number;
    readonly metrics: number;
  }[];
}

/**
 * `evotrainer init --from <runs…>`: proposes a project around launch scripts, settings and runs, asks, writes it, and makes a
 * version of each run. @throws HarnessError badInput, notFound, notARepository, noCommits, cancelled
 */
export async function initFrom(io: Io, cwd: string, folder: string, options: FromOptions): Promise<void> {
  const root = resolve(cwd, folder);
  if (await exists(join(root, projectFile)))
    throw new HarnessError(
      "badInput",
      `${root} has an ${projectFile} already; it is a project. Bring further runs in with \`evotrainer import\`.`,
    );
  decideBy(options.passWhen);
  const found = await findRuns(options.from.map((path) => resolve(cwd, path)));
  const verdict: Verdict =
    options.passWhen === undefined
      ? await verdictIn(found.runs)
      : { passWhen: options.passWhen, isKnown: true, why: "as you gave it with --pass-when" };
  const programs = join(options.examples, "verl-launch");
  const planned = (known: Verdict): Promise<RunsPlan> =>
    completed(planRuns(found, root), { found, root, programs, verdict: known });
  let plan = await planned(verdict);
  if (options.dryRun) {
    printResult(io, { folder: root, plan, verdict, added: [], imported: [] }, planText);
    return;
  }
  // Versions are commits: whether there can be any is found out before anything is written.
  await resolveCommit(await openRepository(root, { readOnly: true }), "HEAD");
  const decided =
    io.json || options.yes
      ? verdict
      : await agreed(io, { folder: root, plan, verdict, added: [], imported: [] });
  // What was answered may be what the command needs.
  if (decided !== verdict) plan = await planned(decided);
  const files = { [projectFile]: projectText(plan), ...plan.copies };
  const added = await addFiles(root, files);
  await importRuns(await openWorkspace(root), { domain: plan.name, runs: plan.runs, files });
  const made: Made = {
    folder: root,
    plan,
    verdict: decided,
    added,
    imported: await evidenceOf(io, root, plan, decided),
  };
  printResult(io, made, (shown) =>
    [...(options.yes ? [planText(shown), ""] : []), madeText(shown)].join("\n"),
  );
}

/** Adds files; none that is there is overwritten. @throws HarnessError badInput */
async function addFiles(root: string, files: Readonly<Record<string, string>>): Promise<string[]> {
  for (const path of Object.keys(files))
    if (await exists(join(root, path)))
      throw new HarnessError(
        "badInput",
        `${join(root, path)} cannot be written: it is there already; move it away.`,
      );
  for (const [path, text] of Object.entries(files)) {
    const to = join(root, path);
    try {
      await mkdir(dirname(to), { recursive: true });
      await writeFile(to, text, { flag: "wx" });
    } catch (e) {
      const why = codeOf(e) === "EEXIST" ? "it is there already" : messageOf(e);
      throw new HarnessError("badInput", `${to} cannot be written: ${why}.`, { cause: e });
    }
  }
  return Object.keys(files);
}

/** Brings the rollouts and metrics of each run in, as evidence of its version. */
async function evidenceOf(
  io: Io,
  root: string,
  { runs }: RunsPlan,
  { passWhen }: Verdict,
): Promise<Made["imported"]> {
  const imported: Made["imported"][number][] = [];
  await withEngine(placeOf(root), async (engine) => {
    for (const { name: version, path } of runs) {
      const report = await engine.request(
        "evidence.import",
        { paths: [path], version, run: version, ...(passWhen === null ? {} : { passWhen }) },
        { progress: ({ message }) => showProgress(io, message) },
      );
      imported.push({ version, rollouts: report.rollouts, metrics: report.metrics });
    }
  });
  showProgress(io, "");
  return imported;
}

/** Shows the plan on a terminal, and asks; elsewhere nobody can be asked. @throws HarnessError badInput, cancelled */
async function agreed(io: Io, proposed: Made): Promise<Verdict> {
  const { stdin } = process;
  if (!stdin.isTTY || !io.live)
    throw new HarnessError(
      "badInput",
      "Without a terminal, nobody can answer questions: look at the plan with --dry-run, and accept it with --yes.",
    );
  io.out(`${planText(proposed)}\n\n`);
  const asking = createInterface({ input: stdin });
  const ask = async (question: string): Promise<string> => {
    io.err(question);
    return (await asking.question("")).trim();
  };
  try {
    let { verdict } = proposed;
    if (!verdict.isKnown) {
      const said = await ask("What counts as solved, such as reward >= 1.0 (empty: nothing is known)? ");
      if (said !== "") {
        decideBy(said);
        verdict = { passWhen: said, isKnown: true, why: "as you answered" };
      }
    }
    const answer = await ask("Write these files and import the runs (yes/no)? ");
    if (/^y(es)?$/i.test(answer)) return verdict;
    throw new HarnessError("cancelled", "Nothing was written.");
  } finally {
    asking.close();
  }
}

function planText({ folder, plan, verdict }: Made): string {
  const { command, surfaces, frozen, runs, copies, unknown, evaluation } = plan;
  const setting = (one: RunsPlan["frozen"][number]): string =>
    `    ${one.path} = ${inLine(String(one.value))}: ${one.why} (${one.from})`;
  const listed = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [`  ${title}`, ...lines];
  return [
    `A project ${plan.name} in ${folder}:`,
    `  starts ${command.words.join(" ")}: ${command.why}`,
    ...listed(
      "may change, in your own files:",
      surfaces.map((one) => `${setting(one)}, ${one.factor}`),
    ),
    ...listed("stays as it is:", frozen.map(setting)),
    `  counts as solved ${verdict.passWhen === null ? (verdict.isKnown ? "what the rollouts say" : "nothing yet") : `what has ${verdict.passWhen}`}: ${verdict.why}`,
    "  decides by solve_rate, the share of rollouts that are solved",
    ...listed(
      "measures versions on:",
      evaluation.told.map((one) => `    ${inLine(one)}`),
    ),
    ...listed(
      "gets these files:",
      Object.keys(copies).map((path) => `    ${path}`),
    ),
    ...listed(
      "has these runs as versions:",
      runs.map(
        ({ name, changes, factor }, i) =>
          `    ${name}${i === 0 ? "" : changes.length === 0 ? ": the settings of the one before" : `: ${changes.map((c) => `${c.path} ${String(c.from)} → ${String(c.to)}`).join(", ")}${factor === null ? ", which are several factors or none" : ` (${factor})`}`}`,
      ),
    ),
    ...listed(
      "could not know:",
      [
        ...(verdict.isKnown ? [] : [`What counts as solved: ${verdict.why}. Say it with --pass-when.`]),
        ...unknown,
      ].map((one) => `    ${inLine(one)}`),
    ),
  ].join("\n");
}

function madeText({ folder, plan, added, imported }: Made): string {
  return [
    `Added to ${folder}:`,
    ...added.map((path) => `  ${path}`),
    ...imported.map(
      ({ version, rollouts, metrics }) =>
        `Imported ${version}: ${counted(rollouts, "rollout")}, ${counted(metrics, "metric row")}.`,
    ),
    `Nothing was overwritten, and nothing committed to your branch. Next: \`evotrainer diagnose ${plan.runs.at(-1)?.name ?? "<version>"}\` says what is wrong with the newest run, and \`evotrainer propose\` answers it with a change of ${plan.files.join(", ")}.`,
  ].join("\n");
}

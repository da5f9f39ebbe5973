import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { counted } from "../../../../shared/words/numbers.ts";
import { showProgress } from "../terminal/progressLine.ts";
import { exists, privateFolder } from "../../base/files.ts";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { findEvidenceRoot } from "../../engine/project/bareProject.ts";
import type { ResultOf } from "../../engine/services/services.ts";
import { placeOf } from "../../engine/workspace/place.ts";
import { withEngine } from "../../engine/owner/withEngine.ts";
import { saysNoCommits } from "../../engine/workspace/repositoryOf.ts";
import { engineFolderOf, openWorkspace } from "../../engine/workspace/workspace.ts";
import { projectFile } from "../../project/project.ts";
import { goOn } from "../terminal/goOn.ts";
import { interruptible } from "../terminal/interruptible.ts";
import { exitCodes, paint, printResult, type Io } from "../terminal/io.ts";
import { table } from "../terminal/table.ts";
import { Option } from "commander";
import type { AddVerb, Given } from "../terminal/verb.ts";

export const addImport: AddVerb = (program, { io, cwd, exitWith }) => {
  program
    .command("import <path...>")
    .description("import evidence of any known format into the archive, and report what it lacks")
    .option("--as <format>", "read every file in this format, or as this mapping (*.evidence.yaml) says")
    .option("--version <version>", "the version that the evidence belongs to; one per run by default")
    .option("--run <run>", "the run that all files belong to")
    .addOption(
      new Option("--split <split>", "the split of all rollouts").choices(["train", "selection", "audit"]),
    )
    .option("--domain <domain>", "the domain for a lineage; by default the lineage's name")
    .option("--pass-when <cel>", "what counts as solved if the source has no verdict, e.g. 'reward >= 1.0'")
    .action(
      async (
        paths: string[],
        o: Given<{
          as?: string;
          domain?: string;
          version?: string;
          run?: string;
          split?: "train" | "selection" | "audit";
          passWhen?: string;
        }>,
      ) => exitWith(await importPaths(io(), cwd, paths, o)),
    );
};

export interface ImportOptions {
  readonly as?: string;
  readonly version?: string;
  readonly run?: string;
  readonly split?: "train" | "selection" | "audit";
  readonly domain?: string;
  readonly passWhen?: string;
}

/** `evotrainer import <path…>`: evidence of any known format into the archive, with a report of what it lacks. */
export async function importPaths(
  io: Io,
  cwd: string,
  paths: readonly string[],
  options: ImportOptions,
): Promise<number> {
  const root = await findEvidenceRoot(cwd);
  // A misspelt path must not leave an archive behind in a folder that has nothing to do with us.
  for (const path of paths)
    if (!(await exists(resolve(cwd, path))))
      throw new HarnessError("notFound", `There is no file or folder ${resolve(cwd, path)}.`);
  await prepareEvidence(root);
  const report = await interruptible(goOn.import, (signal) =>
    withEngine(placeOf(root), (engine) =>
      engine.request(
        "evidence.import",
        {
          paths: paths.map((path) => resolve(cwd, path)),
          ...options,
          ...(options.as?.endsWith(".yaml") === true ? { as: resolve(cwd, options.as) } : {}),
        },
        { signal, progress: ({ message }) => showProgress(io, message) },
      ),
    ),
  ).finally(() => showProgress(io, ""));
  printResult(io, report, (report) => render(io, report));
  const nothing = report.files.read + report.files.unchanged + report.lineages.length === 0;
  return nothing || report.files.refused > 0 || report.quarantined > 0
    ? exitCodes.finding
    : exitCodes.success;
}

/** Makes git ignore the engine's folder: through the repository of a project, by itself where there is none, or no commit. */
export async function prepareEvidence(root: string): Promise<void> {
  if (await exists(join(root, projectFile)))
    try {
      await openWorkspace(root);
      return;
    } catch (e) {
      // Versions need commits, but evidence does not.
      if (!saysNoCommits(e)) throw e;
    }
  const folder = engineFolderOf(root);
  await privateFolder(folder);
  try {
    await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx", mode: 0o600 });
  } catch (e) {
    if (codeOf(e) !== "EEXIST") throw e;
  }
}

function render(io: Io, r: ResultOf<"evidence.import">): string {
  const heading = (text: string): string => paint(io, "bold", text);
  const more = r.scores === 0 ? "" : ` and ${counted(r.scores, "score")} without rollouts`;
  const lines = [
    `${counted(r.rollouts, "rollout")} and ${counted(r.metrics, "metric row")}${more} added from ${counted(r.files.read, "file")}; ${r.files.unchanged} unchanged, ${r.quarantined} quarantined, ${r.files.unrecognised} not recognised, ${r.files.refused} refused.`,
  ];
  if (r.nonFinite > 0)
    lines.push(
      `${counted(r.nonFinite, "value")} that ${r.nonFinite === 1 ? "was NaN or Infinity and is" : "were NaN or Infinity and are"} now null.`,
    );
  for (const note of r.notes) lines.push(note);
  for (const lineage of r.lineages) lines.push("", ...lineageLines(io, lineage));
  const shownRuns = r.runs.slice(0, 20);
  if (shownRuns.length > 0)
    lines.push(
      "",
      heading("In the archive"),
      table(
        [
          ["  run", "version", "format", "rollouts", "metric steps"],
          ...shownRuns.map((run) => [
            `  ${run.run}`,
            run.version,
            run.format,
            `${run.rollouts}`,
            `${run.metricSteps}`,
          ]),
        ],
        [3, 4],
        io,
      ),
    );
  if (r.runs.length > shownRuns.length)
    lines.push(`  … ${counted(r.runs.length - shownRuns.length, "more run")}`);
  for (const c of r.coverage) {
    lines.push("", heading(`What ${c.title} provides (${counted(c.rollouts, "rollout")})`));
    const rows: string[][] = [
      ...c.missing.map(({ field, reason }) => [`  ${field}`, "missing", reason ?? "no rollout has it"]),
      ...c.partial.map(({ field, rollouts }) => [
        `  ${field}`,
        "in part",
        `${counted(rollouts, "rollout")} without`,
      ]),
      ...c.inferred.map(({ field, how }) => [`  ${field}`, "inferred", how]),
    ];
    lines.push(rows.length === 0 ? "  everything" : table(rows, [], io));
    for (const u of c.unknown) lines.push(`  outcome unknown in ${u.rollouts}: ${u.reason}`);
    lines.push(...verdictAdvice(c));
    const disabled = r.disabled.filter((d) => d.format === c.format);
    if (disabled.length > 0)
      lines.push(
        "  Disabled diagnostics, by what they need:",
        table(
          byNeeds(disabled).map(([needs, names]) => [`    ${needs}`, names.join(", ")]),
          [],
          io,
        ),
      );
  }
  listing(
    lines,
    heading("Quarantined"),
    r.quarantined,
    r.problems.map((p) => `${p.path}:${p.line}: ${p.reason}`),
  );
  listing(
    lines,
    heading("Refused"),
    r.files.refused,
    r.refused.map((p) => `${p.path}: ${p.reason}`),
  );
  listing(
    lines,
    heading("Not recognised"),
    r.files.unrecognised,
    r.unrecognised.map((p) => `${p.path}: ${p.reason}`),
  );
  if (r.unrecognised.some(({ path }) => /\.(jsonl?|csv|parquet)$/.test(path)))
    lines.push("  A mapping (*.evidence.yaml, docs/mapping.md) can say what the fields of such a file mean.");
  listing(
    lines,
    heading("The last line is not complete; import again once it is"),
    r.waiting.length,
    r.waiting.map((w) => `${w.path}: ${counted(w.bytes, "byte")} wait`),
  );
  return lines.join("\n");
}

/** What to do where no rollout of a format has an outcome. */
function verdictAdvice({ missing }: ResultOf<"evidence.import">["coverage"][number]): string[] {
  const lacks = (name: string): boolean => missing.some(({ field }) => field === name);
  if (!lacks("outcome")) return [];
  if (!lacks("reward"))
    return ["  Say what counts as solved with --pass-when, e.g. --pass-when 'reward >= 1.0'."];
  if (!lacks("components"))
    return [
      "  There is no reward either: say what counts as solved by a component, e.g. --pass-when 'components.<name> >= 1.0'; `evotrainer rollouts show <run>/<id>` lists them.",
    ];
  return lacks("turns")
    ? []
    : [
        "  Nothing in them says how well it went. If a turn shows it, say which one, e.g. --pass-when 'turns.exists(t, t.text.contains(\"…\"))'; diagnostics that need no outcome label them anyway.",
      ];
}

function lineageLines(io: Io, l: ResultOf<"evidence.import">["lineages"][number]): string[] {
  const decisions = Object.entries(l.decisions).map(([decision, n]) => `${n} ${decision}`);
  return [
    paint(io, "bold", `Lineage ${l.lineage} (${l.format})`),
    `  ${counted(l.versionsAdded, "version")} added, ${l.updated} updated, ${l.unchanged} unchanged: ${decisions.join(", ") || "no decisions"}`,
    ...l.undecided
      .slice(0, 10)
      .map(
        (u) =>
          `  ${u.versions} undecided: ${u.status === null ? "no status" : `status "${u.status}"`}, first ${u.first}`,
      ),
    ...l.missing.map((m) => `  ${m.field} missing: ${m.reason}`),
    ...l.gaps.slice(0, 10).map((gap) => `  no file has the parent ${gap}`),
    ...l.notes.map((note) => `  ${note}`),
    ...l.problems.slice(0, 10).map((p) => `  ${p.file}${p.line === null ? "" : `:${p.line}`}: ${p.reason}`),
    ...(l.problems.length > 10 ? [`  … ${l.problems.length - 10} more problems`] : []),
    `  Look at it with: evotrainer lineage --domain ${l.domain}`,
  ];
}

function listing(lines: string[], title: string, count: number, entries: readonly string[]): void {
  if (count === 0) return;
  lines.push("", title, ...entries.slice(0, 10).map((e) => `  ${e}`));
  if (count > 10) lines.push(`  … ${count - 10} more`);
}

/** Diagnostics that lack the same fields, in the order in which they come first. */
function byNeeds(
  disabled: readonly { readonly diagnostic: string; readonly needs: readonly string[] }[],
): [needs: string, names: string[]][] {
  const found = new Map<string, string[]>();
  for (const { diagnostic, needs } of disabled) {
    const key = needs.join(", ");
    found.set(key, [...(found.get(key) ?? []), diagnostic]);
  }
  return [...found];
}

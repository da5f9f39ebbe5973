import { turnNumbers } from "../../../../shared/words/turnNumbers.ts";
import { mkdir, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { counted, percent, percentWithin, plural } from "../../../../shared/words/numbers.ts";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { exists } from "../../base/files.ts";
import { inLine } from "../../base/plainText.ts";
import type { ResultOf } from "../../engine/services/services.ts";
import { loadProjectSpec, projectFile } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { evidenceVersion, inspect } from "../terminal/inspect.ts";
import { givenFiles, withOption, type WithFiles } from "../terminal/given.ts";
import { paint, printResult, type Io } from "../terminal/io.ts";
import { showProgress } from "../terminal/progressLine.ts";
import { collect, seedNumber, splitOption } from "../terminal/options.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";

interface GapsOptions extends WithFiles {
  readonly against?: string;
  readonly split?: "train" | "selection";
  readonly seed: number;
  readonly without: readonly string[];
  readonly write?: string;
}

export const addGaps: AddVerb = (program, { io, cwd }) => {
  program
    .command("gaps [version]")
    .description("find failures that no label explains, and draft diagnostics that would explain them")
    .option("--against <version>", "the version to compare with; by default the parent")
    .addOption(splitOption())
    .option("--seed <n>", "which items drafts are made from, and which they are judged on", seedNumber, 1)
    .option(
      "--without <label>",
      "as if there were no such diagnostic; may be given several times",
      collect,
      [],
    )
    .addOption(withOption())
    .option(
      "--write <draft>",
      "write this draft into the project's folder of diagnostics, or without a project into this folder",
    )
    .action(async (version: string | undefined, o: Given<GapsOptions>) => gaps(io(), cwd, version, o));
};

type Gaps = ResultOf<"versions.gaps">;

/** `evotrainer gaps [version]`: what the labels leave open, and drafts of diagnostics. */
export async function gaps(
  io: Io,
  cwd: string,
  asked: string | undefined,
  options: GapsOptions,
): Promise<void> {
  await inspect(cwd, async (inspection) => {
    const { write, against, split, seed, without } = options;
    const files = await givenFiles(io, { cwd, root: inspection.root }, options.with);
    const version = await evidenceVersion(inspection, asked);
    const found = await inspection.engine
      .request(
        "versions.gaps",
        {
          ...{ version, seed, without: [...without], with: files },
          ...(against === undefined ? {} : { against: await evidenceVersion(inspection, against) }),
          ...(split === undefined ? {} : { split }),
        },
        {
          progress: ({ message, done, total }) =>
            showProgress(io, `${message} ${String(done)} of ${String(total)}`),
        },
      )
      .finally(() => showProgress(io, ""));
    if (write === undefined) {
      printResult(io, found, (shown) => render(io, shown));
      for (const p of found.problems) io.err(`Left out: ${inLine(p)}\n`);
      return;
    }
    const { path, isProject } = await writeDraft(inspection.root, found, write);
    printResult(
      io,
      { path },
      (made) =>
        `${made.path} is written. Read it, then \`evotrainer ${isProject ? `propose --diagnostic ${made.path}\` asks for its admission` : "diagnose` labels with it"}.`,
    );
  });
}

/** @throws HarnessError notFound for an unknown draft, badInput where there is no folder or the file exists */
async function writeDraft(
  root: string,
  { drafts }: Gaps,
  name: string,
): Promise<{ readonly path: string; readonly isProject: boolean }> {
  const draft = drafts.find((one) => one.name === name);
  if (draft === undefined)
    throw new HarnessError(
      "notFound",
      `There is no draft ${name}; there are: ${drafts.map((one) => one.name).join(", ") || "none"}.`,
    );
  const isProject = await exists(join(root, projectFile));
  const [folder] = isProject ? (await loadProjectSpec(workTree(root))).diagnostics : ["."];
  if (folder === undefined)
    throw new HarnessError(
      "badInput",
      "evotrainer.yaml names no folder of diagnostics; add one under `diagnostics`.",
    );
  const path = posix.join(folder, `${name}.diagnostic.yaml`);
  await mkdir(join(root, folder), { recursive: true });
  try {
    await writeFile(join(root, path), draft.text, { flag: "wx" });
  } catch (e) {
    if (codeOf(e) !== "EEXIST") throw e;
    throw new HarnessError("badInput", `${path} exists already; rename it or remove it first.`);
  }
  return { path, isProject };
}

function render(io: Io, found: Gaps): string {
  const { version, against, split, induced, drafts, trend } = found;
  const heading = (text: string): string => paint(io, "bold", text);
  const compared = against === null ? "" : `, compared with ${against}`;
  const left = [
    ...(induced.chance === 0
      ? []
      : [`${induced.chance} that ${plural(induced.chance, "tells", "tell")} no more than chance there`]),
    ...(induced.repeats === 0
      ? []
      : [`${induced.repeats} that ${plural(induced.repeats, "repeats", "repeat")} a label or another draft`]),
  ].join(", ");
  return [
    heading(`${version}, ${split} split, ${counted(found.rollouts, "rollout")}${compared}`),
    "",
    heading("Gaps"),
    ...(found.gaps.length === 0 ? ["  none"] : found.gaps.map((gap) => `  ${gap.message}`)),
    ...(trend.length < 2 ? [] : [`  By step: ${trendText(trend)}.`]),
    "",
    heading("Drafts"),
    `  Made from ${counted(induced.from, "rollout")}, and judged on ${counted(induced.judgedOn, "rollout")} of other items${left === "" ? "" : `; left out: ${left}`}.`,
    ...(drafts.length === 0 ? ["  none"] : drafts.flatMap((draft) => ["", ...draftLines(draft)])),
    ...(drafts.length === 0 ? [] : ["", "`evotrainer gaps --write <draft>` writes one as a file."]),
  ].join("\n");
}

const mostSteps = 8;

const trendText = (trend: Gaps["trend"]): string =>
  trend
    .slice(-mostSteps)
    .map(({ at, unexplained, failures }) => `${at.replace("step ", "")}: ${unexplained} of ${failures}`)
    .join(", ");

function draftLines(draft: Gaps["drafts"][number]): string[] {
  const share = (of: typeof draft.precision): string =>
    of === null ? "unknown" : percentWithin(of.value, of.low, of.high);
  const like = [...draft.overlaps, ...draft.withheld]
    .map(({ label, jaccard }) => `${label} ${jaccard.toFixed(2)}`)
    .join(", ");
  const examples = draft.examples
    .map(({ rollout, turns }) =>
      turns.length === 0 ? rollout : `${rollout} (${turnNumbers(turns.slice(0, 4))})`,
    )
    .join("; ");
  return [
    `  ${draft.name}: ${inLine(draft.when)}`,
    `    tells ${draft.says}`,
    `    precision ${share(draft.precision)}, where chance gives ${percent(draft.base)}; recall ${share(draft.recall)}; ${counted(draft.support, "rollout")}`,
    ...(like === "" ? [] : [`    overlap (Jaccard): ${like}`]),
    ...(examples === "" ? [] : [`    for example ${inLine(examples)}`]),
  ];
}

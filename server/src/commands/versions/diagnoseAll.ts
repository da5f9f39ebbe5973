import { peopleSaid } from "../../../../shared/words/people.ts";
import { counted, percent, percentWithin } from "../../../../shared/words/numbers.ts";
import type { ParamsOf, ResultOf } from "../../engine/services/services.ts";
import { inLine } from "../../base/plainText.ts";
import { showProgress } from "../terminal/progressLine.ts";
import type { Inspection } from "../terminal/inspect.ts";
import { goOn } from "../terminal/goOn.ts";
import { interruptible } from "../terminal/interruptible.ts";
import { exitCodes, paint, printResult, type Io } from "../terminal/io.ts";
import { table } from "../terminal/table.ts";

type Diagnosis = ResultOf<"versions.diagnose">;

/** Versions that are labelled together: as many as the archive remembers the labels of, and few enough to hold in memory. */
const atOnce = 50;

/** What `diagnose` says of several versions: a line each. */
type Overview = Pick<Diagnosis, "version" | "split" | "score" | "reported" | "findings"> & {
  readonly rollouts: number;
};

/**
 * `evotrainer diagnose` in a folder with several imported versions: each of them in one line, the findings by name. Answers
 * with the exit code.
 */
export async function diagnoseAll(
  io: Io,
  { engine }: Inspection,
  versions: readonly string[],
  asked: Pick<ParamsOf<"versions.diagnose">, "split" | "with">,
): Promise<number> {
  const found: Overview[] = [];
  const problems = new Set<string>();
  await interruptible(goOn.diagnose, async (signal) => {
    for (const [i, version] of versions.entries()) {
      if (i % atOnce === 0) {
        showProgress(io, `Labelling ${counted(versions.length, "version")}`);
        const some = versions.slice(i, i + atOnce);
        await engine.request("versions.label", { versions: some, ...asked }, { signal });
      }
      showProgress(io, `Diagnosing ${version}, ${i + 1} of ${versions.length}`);
      const diagnosis = await engine.request(
        "versions.diagnose",
        { version, trusted: true, ...asked },
        { signal },
      );
      const { split, score, reported, findings, signals } = diagnosis;
      found.push({ version, split, score, reported, findings, rollouts: signals["rollouts"] ?? 0 });
      for (const problem of diagnosis.problems) problems.add(problem);
    }
  }).finally(() => showProgress(io, ""));
  // After the diagnoses, which set the labels that people's answers are held against.
  const labels = [...new Set(found.flatMap(({ findings }) => findings.map(({ name }) => name)))];
  const { with: files } = asked;
  const { people } = await engine.request("rollouts.people", {
    labels,
    ...(files === undefined ? {} : { with: files }),
  });
  const said = people.length === 0 ? {} : { people };
  printResult(io, { versions: found, ...said }, (all) => render(io, all.versions, all.people));
  for (const problem of problems) io.err(`Left out: ${inLine(problem)}\n`);
  return found.some(({ findings }) => findings.some((f) => f.severity !== "info"))
    ? exitCodes.finding
    : exitCodes.success;
}

function render(
  io: Io,
  versions: readonly Overview[],
  people: ResultOf<"rollouts.people">["people"] = [],
): string {
  const rows = versions.map(({ version, split, rollouts, score, reported, findings }) => [
    version,
    split,
    rollouts === 0 ? "–" : String(rollouts),
    score === null ? reportedText(reported) : percentWithin(score.value, score.low, score.high),
    named(findings),
  ]);
  const unknown = versions.filter(({ score, rollouts }) => score === null && rollouts > 0).length;
  return [
    paint(io, "bold", counted(versions.length, "version")),
    "",
    table([["version", "split", "rollouts", "solve rate", "findings"], ...rows], [2], io),
    ...peopleSaid(people),
    "",
    ...(unknown === 0
      ? []
      : [
          `Where the solve rate is unknown, no rollout has a known outcome; import with --pass-when to say what counts as solved.`,
        ]),
    "`evotrainer diagnose <version>` says more about one of them.",
  ].join("\n");
}

/** Scores that came without rollouts, of each set one. */
const reportedText = (reported: Overview["reported"]): string =>
  reported.length === 0
    ? "unknown"
    : `reported: ${reported.map(({ score, set }) => `${percent(score)}${set === null ? "" : ` on ${set}`}`).join(", ")}`;

/** The names of what was found, the most severe first; what says the same as another is left to the page of the version. */
function named(findings: Overview["findings"]): string {
  const said = findings.filter(({ under }) => under === undefined);
  const parts = (["critical", "warning", "info"] as const).flatMap((severity) => {
    const names = said.filter((f) => f.severity === severity).map(({ name }) => name);
    return names.length === 0 ? [] : [`${severity}: ${names.join(", ")}`];
  });
  return parts.length === 0 ? "none" : parts.join("; ");
}

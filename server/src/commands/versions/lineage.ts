import { labelsFound } from "../../../../shared/model/labelShare.ts";
import type { LabelByPeople } from "../../../../shared/protocol/results/people.ts";
import { decisionText } from "../../../../shared/words/stages.ts";
import { measuredElsewhere, percent } from "../../../../shared/words/numbers.ts";
import type { LineageReport, VersionReport } from "../../../../shared/ledger/lineage.ts";
import { meantVersion } from "../../base/meantVersion.ts";
import { withPlainTexts } from "../../base/plainText.ts";
import { readLineageReport } from "../../engine/versions/lineageReport.ts";
import { findProjectRoot } from "../../engine/workspace/workspace.ts";
import { printResult, type Io } from "../terminal/io.ts";
import { isAnnotation } from "./annotationWords.ts";
import { peopleBeside, type PeopleOnLabels } from "./peopleBeside.ts";
import { renderVersion } from "./renderVersion.ts";
import { renderLineage } from "./renderLineage.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";

type LineageArguments = [
  what: string | undefined,
  version: string | undefined,
  words: string[],
  options: Given<{ dot: boolean; domain?: string; predictions: boolean; differences: boolean }>,
];

export const addLineage: AddVerb = (program, { io, cwd }) => {
  program
    .command("lineage [what] [version] [words...]")
    .description(
      "show all versions with their decisions and the reasons, or one version. To annotate one: note, tag, untag or name <version> <words>. After somebody changed the ledger by hand: accept",
    )
    .option("--dot", "as a Graphviz graph", false)
    .option("--domain <domain>", "an imported lineage; by default the project's")
    .option("--predictions", "show instead what was predicted for each version, and what came true", false)
    .option(
      "--differences",
      "show instead which decisions would be different with the diagnostics that were admitted since",
      false,
    )
    .action(async (...[what, version, words, { predictions, differences, ...o }]: LineageArguments) => {
      if (what === "accept") await (await import("./acceptLedger.ts")).acceptLedger(io(), cwd);
      else if (what !== undefined && version === undefined && !isAnnotation(what))
        await oneVersion(io(), cwd, what, o.domain);
      else if (what !== undefined)
        await (await import("./annotateVersion.ts")).annotateVersion(io(), cwd, { what, version, words });
      else if (predictions) await (await import("./predictions.ts")).predictions(io(), cwd);
      else if (differences) await (await import("./differences.ts")).differences(io(), cwd, o.domain);
      else await lineage(io(), cwd, o);
    });
};

/** `evotrainer lineage`: versions, decisions, why. */
export async function lineage(
  io: Io,
  cwd: string,
  options: { dot: boolean; domain?: string },
): Promise<void> {
  const root = await findProjectRoot(cwd);
  const report = await readLineageReport(root, options.domain);
  if (options.dot) {
    io.out(dot(report));
    return;
  }
  const people = await peopleBeside(io, root, report.versions.flatMap(labelNames));
  printResult(io, withPeople(report, people), (report) => renderLineage(io, report));
}

/** `evotrainer lineage <version>`: all that the lineage says of one. @throws HarnessError notFound, badInput */
async function oneVersion(io: Io, cwd: string, asked: string, domain: string | undefined): Promise<void> {
  const root = await findProjectRoot(cwd);
  const report = await readLineageReport(root, domain);
  const name = meantVersion(
    asked,
    report.versions.map((v) => v.name),
  );
  const found = report.versions.filter((v) => v.name === name);
  for (const version of found) {
    const people = await peopleBeside(io, root, labelNames(version));
    printResult(io, withPeople(version, people), (shown) => renderVersion(io, shown, withPlainTexts(report)));
  }
}

const labelNames = ({ labels }: VersionReport): string[] => labelsFound(labels).map(({ name }) => name);

/** With what people said of the labels, where they said anything. */
const withPeople = <T extends object>(report: T, people: readonly LabelByPeople[]): T & PeopleOnLabels =>
  people.length === 0 ? report : { ...report, people };

/** Graphviz: one node per version, shape by decision. */
function dot(report: LineageReport): string {
  const shapes: Readonly<Record<string, string>> = {
    keep: "ellipse",
    base: "circle",
    reject: "box",
    invalid: "triangle",
    prune: "plaintext",
  };
  const lines = report.versions.flatMap((v) => [
    `  ${JSON.stringify(v.name)} [shape=${shapes[v.decision] ?? "ellipse"}, label=${JSON.stringify(`${v.name}\n${scoreText(v)} ${decisionText(v)}`)}];`,
    ...(v.parent === null
      ? []
      : [
          `  ${JSON.stringify(v.parent)} -> ${JSON.stringify(v.name)} [label=${JSON.stringify(v.factor ?? "")}];`,
        ]),
    ...(v.merges === undefined
      ? []
      : [`  ${JSON.stringify(v.merges)} -> ${JSON.stringify(v.name)} [label="merge", style=dashed];`]),
    ...(v.joins === undefined
      ? []
      : [`  ${JSON.stringify(v.joins)} -> ${JSON.stringify(v.name)} [label="joined", style=dotted];`]),
  ]);
  return `digraph lineage {\n${lines.join("\n")}\n}\n`;
}

function scoreText({ score, measured }: VersionReport): string {
  if (score !== null) return percent(score);
  return measured?.value === undefined || measured.value === null ? "" : measuredElsewhere(measured.value);
}

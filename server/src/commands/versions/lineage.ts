import { measuredElsewhere, percent } from "../../../../shared/words/numbers.ts";
import type { LineageReport, VersionReport } from "../../../../shared/ledger/lineage.ts";
import { readLineageReport } from "../../engine/versions/lineageReport.ts";
import { findProjectRoot } from "../../engine/workspace/workspace.ts";
import { printResult, type Io } from "../terminal/io.ts";
import { renderLineage } from "./renderLineage.ts";

/** `evotrainer lineage`: versions, decisions, why. */
export async function lineage(
  io: Io,
  cwd: string,
  options: { dot: boolean; domain?: string },
): Promise<void> {
  const report = await readLineageReport(await findProjectRoot(cwd), options.domain);
  if (options.dot) io.out(dot(report));
  else printResult(io, report, () => renderLineage(io, report));
}

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
    `  ${JSON.stringify(v.name)} [shape=${shapes[v.decision] ?? "ellipse"}, label=${JSON.stringify(`${v.name}\n${scoreText(v)} ${v.decision}`)}];`,
    ...(v.parent === null
      ? []
      : [
          `  ${JSON.stringify(v.parent)} -> ${JSON.stringify(v.name)} [label=${JSON.stringify(v.factor ?? "")}];`,
        ]),
  ]);
  return `digraph lineage {\n${lines.join("\n")}\n}\n`;
}

function scoreText({ score, measured }: VersionReport): string {
  if (score !== null) return percent(score);
  return measured?.value === undefined || measured.value === null ? "" : measuredElsewhere(measured.value);
}

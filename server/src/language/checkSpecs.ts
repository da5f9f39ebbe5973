import { relative, sep } from "node:path";
import { diagnose } from "./features/diagnostics.ts";
import { findSpecs } from "./findSpecs.ts";
import type { Severity } from "./rule.ts";
import { allRules } from "./ruleSet.ts";
import { SpecIndex } from "./specIndex.ts";

/** One finding as a person reads it: lines and columns count from 1, the file is relative to the project. */
export type SpecFinding = {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
};

/** Everything that the language server would show for the specs below a folder, without an editor. */
export async function checkSpecs(root: string): Promise<SpecFinding[]> {
  const index = new SpecIndex();
  const findings: SpecFinding[] = [];
  for (const path of await findSpecs(root)) {
    index.add(path);
    const context = index.context(path);
    if (!context) continue;
    for (const { span, severity, code, message } of diagnose(context, allRules)) {
      const before = context.spec.text.slice(0, span.start).split("\n");
      findings.push({
        file: relative(root, path).split(sep).join("/"),
        line: before.length,
        column: (before.at(-1)?.length ?? 0) + 1,
        severity,
        code,
        message,
      });
    }
  }
  return findings;
}

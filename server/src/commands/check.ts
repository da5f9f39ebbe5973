import { findProjectRoot } from "../engine/workspace.ts";
import { checkSpecs, type SpecFinding } from "../language/checkSpecs.ts";
import type { CheckFormat } from "./choices.ts";
import { exitCodes, printResult, type Io } from "./io.ts";

/** `evotrainer check`: every spec of the project, as the language server sees it. Answers with the exit code. */
export async function check(io: Io, cwd: string, options: { format: CheckFormat }): Promise<number> {
  const findings = await checkSpecs(await findProjectRoot(cwd));
  if (options.format === "github") io.out(findings.map(annotation).join(""));
  else
    printResult(options.format === "json" ? { ...io, json: true } : io, findings, () =>
      findings.length === 0
        ? "No problem in any spec."
        : findings
            .map((f) => `${f.file}:${f.line}:${f.column}: ${f.severity}: ${f.message} (${f.code})`)
            .join("\n"),
    );
  return findings.some((f) => f.severity !== "info") ? exitCodes.finding : exitCodes.success;
}

/** A workflow command that shows the finding beside the line in a review. */
function annotation(f: SpecFinding): string {
  const escape = (text: string): string =>
    text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  const property = (text: string): string => escape(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
  const level = f.severity === "info" ? "notice" : f.severity;
  return `::${level} file=${property(f.file)},line=${f.line},col=${f.column},title=${property(f.code)}::${escape(f.message)}\n`;
}

import { pathToFileURL } from "node:url";
import { release } from "../../base/release.ts";
import type { SpecFinding } from "../../language/checks/checkSpecs.ts";
import { allRules } from "../../language/checks/ruleSet.ts";

/** A workflow command that shows the finding beside the line in a review. */
export function annotation(f: SpecFinding): string {
  const escape = (text: string): string =>
    text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  const property = (text: string): string => escape(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
  const level = f.severity === "info" ? "notice" : f.severity;
  return `::${level} file=${property(f.file)},line=${f.line},col=${f.column},title=${property(f.code)}::${escape(f.message)}\n`;
}

/** A path as a relative reference (RFC 3986): a sign such as # or a colon in a name neither ends the path nor begins a scheme. */
const relativeUri = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

/**
 * The findings as a log of SARIF 2.1.0 (OASIS), which code scanning of a forge takes. Files are relative to `root`, the
 * project's folder, which the log names, so that a project may lie anywhere in its repository.
 */
export function sarifLog(findings: readonly SpecFinding[], root: string): object {
  const rules = new Map(allRules.map(({ meta }) => [meta.id, meta.docs]));
  // What looks at the disk has no rule of the language.
  for (const { code } of findings) if (!rules.has(code)) rules.set(code, "See docs/rules.md.");
  const ids = [...rules.keys()];
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "evotrainer",
            semanticVersion: release,
            rules: [...rules].map(([id, docs]) => ({ id, shortDescription: { text: docs } })),
          },
        },
        originalUriBaseIds: { PROJECT: { uri: pathToFileURL(`${root}/`).href } },
        columnKind: "utf16CodeUnits",
        results: findings.map((f) => ({
          ruleId: f.code,
          ruleIndex: ids.indexOf(f.code),
          level: f.severity === "info" ? "note" : f.severity,
          message: { text: f.message },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: relativeUri(f.file), uriBaseId: "PROJECT" },
                region: { startLine: f.line, startColumn: f.column },
              },
            },
          ],
        })),
      },
    ],
  };
}

import { allRules } from "../server/src/language/checks/ruleSet.ts";
import type { AnyRule } from "../server/src/language/rule/rule.ts";
import { secretShapes } from "../server/src/base/secretShapes.ts";
import type { Generated } from "./diagnosticTables.ts";

/** The parts of docs/rules.md that come from the rules themselves. */
export const rulePages: readonly Generated[] = [
  { file: "rules.md", mark: "overview", rows: overview },
  { file: "rules.md", mark: "rules", rows: () => allRules.flatMap(page) },
  { file: "rules.md", mark: "secrets", rows: () => secretShapes.map(({ name }) => `- ${name}`) },
];

const kindsOf = ({ meta }: AnyRule): string =>
  meta.kinds === "all" ? "every spec and config" : meta.kinds.join(", ");

function overview(): string[] {
  return [
    "| rule | severity | looks at | fix |",
    "|---|---|---|---|",
    ...allRules.map((rule) => {
      const { id, severity } = rule.meta;
      return `| [\`${id}\`](#${id}) | ${severity} | ${kindsOf(rule)} | ${rule.fix ? "yes" : ""} |`;
    }),
  ];
}

function page(rule: AnyRule): string[] {
  const { id, docs, example, archive } = rule.meta;
  return [
    `### ${id}`,
    "",
    docs,
    "",
    ...(archive === undefined
      ? []
      : [
          archive === "all"
            ? "This rule reads the archive."
            : "This rule also reads the archive if there is one.",
          "",
        ]),
    ...["Wrong:", "", "```yaml", example.wrong, "```", ""],
    ...["Right:", "", "```yaml", example.right, "```", ""],
  ];
}

import { metricRoles } from "../server/src/diagnosis/metricNames.ts";
import { functionDefinitions, signatureOf } from "../server/src/predicate/functions.ts";
import {
  groupVariables,
  rolloutVariables,
  turnFields,
  versionVariables,
} from "../server/src/predicate/variables.ts";
import { shippedDiagnostics } from "../server/src/project/library.ts";
import type { DiagnosticSpec } from "../shared/spec/diagnostic.ts";

/** A table in the docs between two marks. */
export interface Generated {
  readonly file: string;
  readonly mark: string;
  readonly rows: () => readonly string[] | Promise<readonly string[]>;
}

const language = "diagnostic-language.md";

/** The tables of docs/diagnostics.md and docs/diagnostic-language.md, from the code that they describe. */
export const diagnosticTables: readonly Generated[] = [
  { file: "diagnostics.md", mark: "library", rows: libraryRows },
  { file: language, mark: "rollout", rows: () => variableRows(rolloutVariables) },
  { file: language, mark: "turn", rows: () => variableRows(turnFields) },
  { file: language, mark: "group", rows: () => variableRows(groupVariables) },
  { file: language, mark: "version", rows: () => variableRows(versionVariables) },
  { file: language, mark: "functions", rows: functionRows },
  { file: language, mark: "roles", rows: roleRows },
];

/** What stands in a cell: a bar would end it. */
const cell = (text: string): string => text.replaceAll("|", "\\|");

function libraryRows(): string[] {
  const rows = shippedDiagnostics().map(({ spec }) =>
    [
      `\`${spec.name}\``,
      spec.domains === undefined ? spec.over : `${spec.over} (${spec.domains.join(", ")})`,
      spec.layer,
      spec.label.invalidates ? "invalidates" : severityOf(spec),
      cell(spec.description ?? ""),
      thresholdsOf(spec),
      cell(spec.source ?? ""),
    ].join(" | "),
  );
  return [
    "| name | over | layer | severity | what it catches | thresholds | source |",
    "|---|---|---|---|---|---|---|",
    ...rows.map((row) => `| ${row} |`),
  ];
}

function severityOf({ label, alert }: DiagnosticSpec): string {
  const isRaised =
    label.critical !== undefined || (alert?.critical !== undefined && label.severity !== "critical");
  return isRaised ? `${label.severity}, critical` : label.severity;
}

function thresholdsOf({ params, alert, domainParams }: DiagnosticSpec): string {
  const shown = (values: Readonly<Record<string, number | undefined>>): string =>
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(", ");
  const own = shown({ ...params, above: alert?.above, critical: alert?.critical });
  const others = Object.entries(domainParams).map(([domain, values]) => `${domain}: ${shown(values)}`);
  return [own, ...others].filter((text) => text !== "").join("; ");
}

function variableRows(
  variables: readonly { readonly name: string; readonly type: string; readonly doc: string }[],
): string[] {
  return [
    "| name | type | meaning |",
    "|---|---|---|",
    ...variables.map(({ name, type, doc }) => `| \`${name}\` | ${type} | ${cell(doc)} |`),
  ];
}

function functionRows(): string[] {
  return [
    "| function | over | meaning |",
    "|---|---|---|",
    ...functionDefinitions.map(
      (f) => `| \`${signatureOf(f)}\` | ${f.scopes?.join(", ") ?? "everything"} | ${cell(f.doc)} |`,
    ),
  ];
}

function roleRows(): string[] {
  return [
    "| name | stands for the first of |",
    "|---|---|",
    ...Object.entries(metricRoles).map(
      ([role, names]) => `| \`${role}\` | ${names.map((name) => `\`${name}\``).join(", ")} |`,
    ),
  ];
}

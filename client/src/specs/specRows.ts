import { alertLooks, themeColours, type Alert } from "../../../shared/words/decisions.ts";
import { counted, percent } from "../../../shared/words/numbers.ts";
import type {
  DiagnosticRow,
  DiagnosticsList,
  SkillRow,
  SkillsList,
} from "../../../shared/protocol/views/specs.ts";

/** A row of the side bar as data: a group of rows, or a spec that a click opens. */
export type SpecNode =
  | {
      readonly type: "group";
      readonly label: string;
      readonly description: string;
      readonly children: readonly SpecNode[];
    }
  | {
      readonly type: "spec";
      /** The spec's name, or its path where it cannot be read. */
      readonly name: string;
      readonly description: string;
      readonly tooltip: string;
      readonly icon: string;
      readonly color: string | null;
      readonly file: string;
      readonly line: number;
      readonly context: string;
    };

const alertRank = { critical: 0, warning: 1 } as const;
const looksOf = (alert: Alert): { readonly icon: string; readonly color: string } => {
  const { icon, colour } = alertLooks[alert];
  return { icon, color: themeColours[colour] };
};

/** The diagnostics of a project and of the library: those that alert first, then the most frequent. */
export function diagnosticNodes(
  { version, diagnostics, problems }: DiagnosticsList,
  root: string,
): SpecNode[] {
  const sorted = [...diagnostics].sort(
    (a, b) => rank(a) - rank(b) || (b.rate ?? -1) - (a.rate ?? -1) || a.name.localeCompare(b.name),
  );
  const own = sorted.filter(({ shipped }) => !shipped);
  const shipped = sorted.filter((row) => row.shipped);
  const group = (label: string, rows: readonly DiagnosticRow[]): SpecNode[] => {
    if (rows.length === 0) return [];
    const alerts = rows.filter(({ alert }) => alert !== null).length;
    return [
      {
        type: "group",
        label,
        description: [
          `${rows.length}`,
          alerts === 0 ? "" : counted(alerts, "alert"),
          version === null ? "" : `rates of ${version}`,
        ]
          .filter((part) => part !== "")
          .join(" · "),
        children: rows.map((row) => diagnosticNode(row, version)),
      },
    ];
  };
  return [...brokenNodes(problems, root), ...group("This project", own), ...group("Library in use", shipped)];
}

const rank = ({ alert }: DiagnosticRow): number => (alert === null ? 2 : alertRank[alert]);

function diagnosticNode(row: DiagnosticRow, version: string | null): SpecNode {
  const { name, layer, rate, alert, severity, description, path, file } = row;
  const measured =
    rate === null
      ? version === null
        ? "not measured yet"
        : row.rollouts === null
          ? `not measured in ${version}`
          : `the evidence of ${version} does not say`
      : `${percent(rate)} of ${row.over === "group" ? "groups" : "rollouts"} in ${version ?? ""}`;
  return {
    type: "spec",
    name,
    description: [layer, rate === null ? "" : percent(rate), alert === null ? "" : alertLooks[alert].word]
      .filter((part) => part !== "")
      .join(" · "),
    tooltip: [name, description ?? "", `${layer}, ${severity}; ${measured}.`, path]
      .filter((line) => line !== "")
      .join("\n\n"),
    ...(alert === null ? { icon: "pulse", color: null } : looksOf(alert)),
    file,
    line: 1,
    context: row.over === "rollout" ? "diagnostic.rollouts" : "diagnostic",
  };
}

/** The skill specs of a project: those that a version bears out, then those that wait for one. */
export function skillNodes({ skills, problems }: SkillsList, root: string): SpecNode[] {
  const sorted = [...skills].sort((a, b) => b.confirmed - a.confirmed || a.name.localeCompare(b.name));
  return [...brokenNodes(problems, root), ...sorted.map(skillNode)];
}

function skillNode({ name, description, factor, targets, file, tried, confirmed }: SkillRow): SpecNode {
  const borne =
    confirmed > 0
      ? `confirmed in ${confirmed} of ${tried}`
      : tried > 0
        ? `tried ${tried} ×, not confirmed`
        : "not validated";
  return {
    type: "spec",
    name,
    description: `${factor} · ${borne}`,
    tooltip: [
      name,
      description ?? "",
      `Changes one ${factor} setting where ${targets.join(", ")} calls for it; ${borne}.`,
      "EvoTrainer keeps, checks and shows skills, but does not apply them by itself yet.",
    ]
      .filter((line) => line !== "")
      .join("\n\n"),
    icon: confirmed > 0 ? "verified" : "beaker",
    color: confirmed > 0 ? themeColours.green : null,
    file,
    line: 1,
    context: "skill",
  };
}

function brokenNodes(problems: DiagnosticsList["problems"], root: string): SpecNode[] {
  return problems
    .filter(({ path }) => !path.startsWith("library/"))
    .map(({ path, line, message }) => ({
      type: "spec",
      name: path,
      description: message,
      tooltip: `${path}:${line}\n\n${message}`,
      icon: "error",
      color: themeColours.red,
      file: `${root.replace(/[/\\]$/, "")}/${path}`,
      line,
      context: "broken",
    }));
}

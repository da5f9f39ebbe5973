import { alertLooks, themeColours, type Alert } from "../../../shared/words/decisions.ts";
import { peopleLinesOf, type ByPeople } from "../../../shared/words/people.ts";
import { counted, figure, percent, pointsWithin } from "../../../shared/words/numbers.ts";
import type { DiagnosticRow, DiagnosticsList } from "../../../shared/protocol/views/specs.ts";
import type { SkillRow, SkillsList } from "../../../shared/protocol/views/skills.ts";

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

/**
 * The diagnostics of a project and of the library: those that alert first, then the most frequent; each with what people said of
 * its label, where they said anything.
 */
export function diagnosticNodes(
  { version, diagnostics, problems }: DiagnosticsList,
  root: string,
  people: readonly ByPeople[] = [],
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
        children: rows.map((row) => diagnosticNode(row, version, people)),
      },
    ];
  };
  return [...brokenNodes(problems, root), ...group("This project", own), ...group("Library in use", shipped)];
}

const rank = ({ alert }: DiagnosticRow): number => (alert === null ? 2 : alertRank[alert]);

function diagnosticNode(row: DiagnosticRow, version: string | null, people: readonly ByPeople[]): SpecNode {
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
    // A narrow side bar cuts off the end: no number stands there.
    description: [rate === null ? "" : percent(rate), alert === null ? "" : alertLooks[alert].word, layer]
      .filter((part) => part !== "")
      .join(" · "),
    tooltip: [
      name,
      description ?? "",
      `${layer}, ${severity}; ${measured}.`,
      ...peopleLinesOf(people, name),
      path,
    ]
      .filter((line) => line !== "")
      .join("\n\n"),
    ...(alert === null ? { icon: "pulse", color: null } : looksOf(alert)),
    file,
    line: 1,
    context: row.over === "rollout" ? "diagnostic.rollouts" : "diagnostic",
  };
}

/**
 * The skills that files hold, of the project and of the user's library: those that a version bears out, then those that wait for
 * one, and last those that are retired.
 */
export function skillNodes({ skills, problems }: SkillsList, root: string): SpecNode[] {
  const sorted = [...skills].sort(
    (a, b) =>
      Number(a.retired !== null) - Number(b.retired !== null) ||
      b.confirmed - a.confirmed ||
      a.name.localeCompare(b.name),
  );
  return [
    ...brokenNodes(problems, root),
    ...sorted.flatMap((row) => (row.file === null ? [] : [skillNode(row, row.file)])),
  ];
}

function skillNode(row: SkillRow, file: string): SpecNode {
  const { name, description, factor, targets, tried, confirmed, retired, shared, domains, origin } = row;
  const borne =
    confirmed > 0
      ? `confirmed in ${confirmed} of ${tried}`
      : tried > 0
        ? `tried ${tried} ×, not confirmed`
        : "not validated";
  const uses = row.used === 0 ? "" : `used ${row.used} ×, came true ${row.cameTrue} ×`;
  const where = shared ? "shared" : domains.length === 0 ? "" : `local to ${domains.join(", ")}`;
  const isOpen = retired === null && row.unfit === null;
  return {
    type: "spec",
    name,
    description: [factor, borne, uses, where, retired === null ? "" : "retired"]
      .filter((part) => part !== "")
      .join(" · "),
    tooltip: [
      name,
      description ?? "",
      `Changes one ${factor} setting where ${targets.join(", ")} calls for it; ${borne}.`,
      row.used === 0
        ? "It has not been used yet."
        : `Used ${counted(row.used, "time")}: ${row.cameTrue} came true, ${row.refuted} refuted, ${row.insideNoise} inside the noise.`,
      expectedText(row),
      row.alike.length === 0
        ? ""
        : `Alike, and confirmed elsewhere: ${row.alike.map((one) => `${one.name} (${one.domains.join(", ")})`).join(", ")}.`,
      retired ?? row.unfit ?? "Apply Skill proposes its change; it waits for review.",
      origin === "library" ? "From your library." : "",
    ]
      .filter((line) => line !== "")
      .join("\n\n"),
    ...skillLook(row),
    file,
    line: 1,
    context: isOpen ? "skill.open" : "skill",
  };
}

function expectedText({ expected, metric }: SkillRow): string {
  if (expected === null) return "";
  const { difference, low, high } = expected;
  const change =
    metric === "solve_rate"
      ? pointsWithin(difference, low, high)
      : `${figure(difference)} [${figure(low)}, ${figure(high)}]`;
  return `The next use is expected to change ${metric} by ${change}.`;
}

function skillLook({ retired, confirmed }: SkillRow): {
  readonly icon: string;
  readonly color: string | null;
} {
  if (retired !== null) return { icon: "circle-slash", color: null };
  return confirmed > 0 ? { icon: "verified", color: themeColours.green } : { icon: "beaker", color: null };
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
      // What lies in the user's library has its whole path.
      file: /^([/\\]|[A-Za-z]:)/.test(path) ? path : `${root.replace(/[/\\]$/, "")}/${path}`,
      line,
      context: "broken",
    }));
}

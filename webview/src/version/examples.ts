import { decidingLabels } from "../../../shared/model/decidingLabels.ts";
import { parseRolloutName } from "../../../shared/model/rolloutName.ts";
import type { PairedComparison } from "../../../shared/protocol/results/pairedComparison.ts";
import type { LabelShifts } from "../../../shared/protocol/results/shift.ts";
import type { PanelQuestion, PartAnswers, ShownVersion } from "../../../shared/protocol/views/version.ts";
import { element, linkButton } from "../shared/dom.ts";
import { visibleLine } from "../shared/visibleText.ts";
import { movedRows } from "./labelRows.ts";
import type { PairHandlers } from "./pair.ts";

/** Turns that the banner opens. */
const mostExamples = 2;

type Known = {
  readonly version: ShownVersion;
  readonly isTrusted: boolean;
  readonly comparison: PairedComparison | undefined;
  readonly shifts: LabelShifts | undefined;
};
type ExamplesQuestion = Omit<Extract<PanelQuestion, { part: "examples" }>, "part">;
export type Example = {
  readonly run: string;
  readonly id: string;
  readonly label?: string;
  readonly turn?: number;
  readonly says: string;
};

/** Whether somebody asks of a version why it was not taken. */
export const isRefused = ({ decision }: ShownVersion): boolean =>
  decision === "reject" || decision === "invalid";

/**
 * The rollouts that the page has to ask for: of a version that was not kept its failures, with the label that decided or else the
 * one that rose most, unless broken items show it. An invalid version may pass by what makes it invalid.
 */
export function examplesQuestion(known: Known): ExamplesQuestion | undefined {
  const { version, isTrusted, shifts } = known;
  if (!isRefused(version)) return undefined;
  const [decided] = decidingLabels(version);
  const of = { version: version.name };
  if (decided !== undefined)
    return { ...of, label: decided, ...(version.decision === "invalid" ? {} : { outcome: "fail" as const }) };
  if (isTrusted && brokenOf(known).length >= mostExamples) return undefined;
  const rose = shifts && movedRows(shifts, []).find(({ shift }) => (shift.difference ?? 0) > 0);
  return { ...of, outcome: "fail", ...(rose === undefined ? {} : { label: rose.name }) };
}

/** Turns that show what was decided by, and of a version that was refused rollouts that failed. */
export function examplesToShow(
  known: Known & { readonly found: PartAnswers["examples"] | undefined },
): Example[] {
  const { version, isTrusted, found } = known;
  const named = namedOf(version);
  if (isRefused(version)) {
    const decided = decidingLabels(version).length > 0;
    const broken = decided || !isTrusted ? [] : brokenOf(known);
    const asked = (found ?? []).map(foundExample);
    const shown = [...broken, ...asked];
    const isOpen = found === undefined && examplesQuestion(known) !== undefined;
    return toldApart((shown.length > 0 || isOpen ? shown : named).slice(0, mostExamples));
  }
  // What became of its items has a line of its own (itemsMoved.ts).
  return toldApart(named.slice(0, mostExamples));
}

/** Names of rollouts alone: which item each is of the ledger does not say. */
const namedOf = ({ evidence = [] }: ShownVersion): Example[] =>
  evidence.flatMap(({ rollout, turns: [turn], label }) => {
    const name = parseRolloutName(rollout);
    return name === undefined
      ? []
      : [{ ...name, label, says: label, ...(turn === undefined ? {} : { turn }) }];
  });

const foundExample = ({ run, id, item, label, turn }: PartAnswers["examples"][number]): Example => ({
  ...{ run, id },
  ...(label === undefined ? {} : { label }),
  ...(turn === undefined ? {} : { turn }),
  says: `${item}, ${label ?? "failed"}`,
});

/** Rollouts of broken items, where they part from those of the other version. */
const brokenOf = ({ comparison }: Known): Example[] =>
  (comparison?.flips ?? []).flatMap(({ direction, divergence, item }) => {
    if (divergence === null || direction !== "broken") return [];
    const turn = divergence.first?.b ?? undefined;
    return [
      {
        ...divergence.after,
        ...(turn === undefined ? {} : { turn }),
        says: `${item}, failed`,
      },
    ];
  });

/** Two links that would read the same say their rollouts. */
function toldApart(examples: readonly Example[]): Example[] {
  const text = ({ says, turn }: Example): string => `${says}\n${turn}`;
  return examples.map((one) =>
    examples.some((other) => other !== one && text(other) === text(one))
      ? { ...one, says: `${one.id}, ${one.says}` }
      : one,
  );
}

/** The turns to look at, each with its link. */
export function examplesOf(examples: readonly Example[], on: PairHandlers): HTMLElement[] {
  if (examples.length === 0) return [];
  const line = element("p", "examples");
  line.append(element("span", "quiet", "look at "));
  for (const { run, id, label, turn, says } of examples) {
    const where = label !== undefined ? { label } : turn !== undefined ? { turn } : {};
    const text = `${visibleLine(says)}${turn === undefined ? "" : `, turn ${turn + 1}`}`;
    const open = linkButton(text, () => on.rollout({ run, id, ...where }));
    open.title = visibleLine(`${run}/${id}`);
    line.append(open);
  }
  return [line];
}

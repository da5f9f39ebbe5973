import type { LineageStanding } from "../../../shared/protocol/views/lineage.ts";
import type { LineageTable } from "../../../shared/protocol/views/lineageTable.ts";
import { leftText, stepsText } from "../../../shared/words/jobProgress.ts";
import { rulesDecide } from "../../../shared/words/decisions.ts";
import { auditGapNodes } from "../shared/auditGap.ts";
import { element, linkButton } from "../shared/dom.ts";
import { percentText } from "../shared/numbers.ts";
import { visibleLine } from "../shared/visibleText.ts";

/** More names than fit beside each other. */
const mostNames = 4;

export type StandingHandlers = {
  readonly open: (version: string) => void;
  readonly job: (id: string) => void;
  readonly jobs: () => void;
  readonly gate: (version: string) => void;
};

/** One line: the best version that was kept, what runs, what waits for a review, and what for no person. */
export function standingOf(
  table: LineageTable,
  { running, waiting, byRule = [] }: LineageStanding,
  on: StandingHandlers,
): HTMLElement[] {
  const parts: HTMLElement[] = [];
  const part = (title: string, ...content: (Node | string)[]): void => {
    const made = element("span", "part");
    made.append(element("span", "quiet", title), " ", ...content);
    parts.push(made);
  };
  const best = table.bestKept();
  if (best >= 0) {
    const score = table.counted(best);
    const audit = table.audit.get(best);
    const name = table.name[best] ?? "";
    part(
      "best",
      linkButton(`★ ${visibleLine(name)}`, () => on.open(name)),
      ` ${percentText(score)}`,
      ...(audit === undefined
        ? []
        : [` (audit ${percentText(audit.score)}`, ...auditGapNodes(audit.gap), ")"]),
    );
  }
  if (running.length > 0) {
    part(
      "running",
      ...separated(
        running.slice(0, mostNames).map(({ id, version, step, stepsTotal, etaSeconds }) => {
          const far = [stepsText(step, stepsTotal), leftText(etaSeconds)].filter((part) => part !== "");
          return linkButton(`▶ ${visibleLine(version)} ${far.join(", ")}`.trimEnd(), () => on.job(id));
        }),
      ),
      ...(running.length > 1 ? [" ", linkButton("all curves", () => on.jobs())] : []),
    );
  }
  const asked = (title: string, names: readonly string[]): void => {
    if (names.length > 0)
      part(
        title,
        ...separated(
          names.slice(0, mostNames).map((name) => linkButton(visibleLine(name), () => on.gate(name))),
        ),
        names.length > mostNames ? ` and ${names.length - mostNames} more` : "",
      );
  };
  asked(
    "needs review",
    waiting.filter((name) => !byRule.includes(name)),
  );
  asked(`${rulesDecide}, not a person:`, byRule);
  return parts;
}

const separated = (links: readonly Node[]): (Node | string)[] =>
  links.flatMap((link, i) => (i === 0 ? [link] : [", ", link]));

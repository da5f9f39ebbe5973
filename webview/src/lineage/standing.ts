import type { LineageStanding } from "../../../shared/protocol/views/lineage.ts";
import type { LineageTable } from "../../../shared/protocol/views/lineageTable.ts";
import { leftText, stepsText } from "../../../shared/words/jobProgress.ts";
import { pointsBeside } from "../../../shared/words/numbers.ts";
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

/** One line: the best version that was kept, what runs, and what waits for a review. */
export function standingOf(
  table: LineageTable,
  { running, waiting, byRule }: LineageStanding,
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
    const beside =
      audit === undefined ? "" : ` (audit ${percentText(audit.score)}, ${pointsBeside(audit.score, score)})`;
    part(
      "best",
      linkButton(`★ ${visibleLine(name)}`, () => on.open(name)),
      ` ${percentText(score)}${beside}`,
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
  if (waiting.length > 0)
    part(
      "needs review",
      ...separated(
        waiting.slice(0, mostNames).map((name) => {
          const link = linkButton(visibleLine(name), () => on.gate(name));
          if (byRule?.includes(name) !== true) return link;
          const ruled = element("span");
          ruled.append(link, element("span", "quiet", " (a rule answers)"));
          return ruled;
        }),
      ),
      waiting.length > mostNames ? ` and ${waiting.length - mostNames} more` : "",
    );
  return parts;
}

const separated = (links: readonly Node[]): (Node | string)[] =>
  links.flatMap((link, i) => (i === 0 ? [link] : [", ", link]));

import * as z from "zod";
import { ProposerExam } from "../../../shared/protocol/results/exam.ts";
import { evotrainer } from "../project.ts";
import {
  examResult,
  type AnsweredDrafts,
  type ExamFigure,
} from "../../../server/src/proposals/exam/examResult.ts";

/** The heads of the figures that `examCells` makes. */
export const examHeads = ["hits", "by chance", "points above", "tau-b"] as const;

const percent = (value: number): string => `${(100 * value).toFixed(0)} %`;
const points = (value: number): string => (100 * value).toFixed(0);
const within = ({ value, low, high }: ExamFigure, said: (value: number) => string): string =>
  low === null || high === null ? said(value) : `${said(value)} [${said(low)}, ${said(high)}]`;

/** How an order fits what was measured, a cell for each figure. */
export function examCells(answered: readonly AnsweredDrafts[]): string[] {
  const { hitRate, byChance, above, tau } = examResult(answered);
  return [
    ...[percent(hitRate.value), percent(byChance), within(above, points)],
    tau === null ? "–" : within(tau, (value) => value.toFixed(2)),
  ];
}

/** What `proposers exam` prints: an exam, or that there is no version of which two changes were measured, and why. */
const Printed = z.union([
  ProposerExam,
  z.object({ error: z.object({ code: z.literal("notFound"), message: z.string() }) }),
]);

/** Has the search examined in a project. */
export const examIn = (project: string, ...options: string[]): z.infer<typeof Printed> =>
  Printed.parse(JSON.parse(evotrainer(project, ["--json", "proposers", "exam", ...options], [0, 2])));

/** The drafts of an exam with the places that they were given; those of invalid versions are worse than all others. */
export const answeredIn = (
  { answers }: Pick<ProposerExam, "answers">,
  isInvalid: (version: string) => boolean = () => false,
): AnsweredDrafts[] =>
  answers.map(({ drafts }) => ({
    moment: {
      drafts: drafts.map(({ version, effect }) => ({
        effect: effect === null || isInvalid(version) ? -Infinity : effect,
      })),
    },
    expected: drafts.map(({ place }) => -place),
  }));

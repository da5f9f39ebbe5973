import { cutIn, hiddenAnswers, smallTargets, tinyTexts, unanswered } from "./checks.ts";
import { describePage } from "./describe.ts";
import { overlaps, partOf } from "./golden.ts";
import { settled, type Stage } from "./take.ts";

/** Windows of 500, 1000 and 1600 px in a zoom: a zoom makes the window of a page smaller and nothing else. */
export const zoomed = [
  ["500 px at 150 %", 333, 501],
  ["500 px at 200 %", 250, 376],
  ["1000 px at 150 %", 667, 501],
  ["1000 px at 200 %", 500, 376],
  ["1600 px at 150 %", 1067, 501],
  ["1600 px at 200 %", 800, 376],
] as const;
type Size = readonly [said: string, width: number, height: number];
/** Whether a window is large enough for an answer to be read without scrolling: what is cut off in a smaller one is below. */
export const isWithoutScrolling = ([, width, height]: Size): boolean =>
  Math.max(width, height) >= 600 || width >= 500;

/** What answers the question of a view: selectors of what is seen as a whole, and of what may end in an ellipsis. */
export interface Answers {
  readonly answers: readonly string[];
  readonly begins?: readonly string[];
}

/** What a person who zooms could not read or hit. */
export async function zoomFaults(stage: Stage, { answers, begins = [] }: Answers): Promise<string[]> {
  const found: string[] = [];
  for (const size of zoomed) {
    const [said, width, height] = size;
    await stage.setSize(width, height);
    const { frame } = await stage.look();
    await frame.evaluate(() => {
      for (const element of document.querySelectorAll("*")) if (element.scrollTop > 0) element.scrollTo(0, 0);
    });
    await settled(frame);
    const faults = [
      ...(isWithoutScrolling(size) ? await unanswered(frame, answers) : []),
      ...(await hiddenAnswers(frame, { answers, begins })),
      ...(await smallTargets(frame)),
      ...(await tinyTexts(frame)),
      ...(await cutIn(frame)).map((what) => `${what} is cut`),
      ...overlaps((await describePage(frame)).map((drawn) => ({ ...partOf(drawn), ink: "k" }))),
    ];
    found.push(...faults.map((text) => `${said}: ${text}`));
  }
  return found;
}

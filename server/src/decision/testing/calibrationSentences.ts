import { count, counted, duration, pointsApart, setPercent } from "../../../../shared/words/numbers.ts";
import type { Calibration, TestingRules } from "./testing.ts";

/** What a person reads before money is spent, in order. */
export function calibrationSentences(
  found: Omit<Calibration, "sentences">,
  of: {
    readonly rules: TestingRules;
    readonly atLeast: number | null;
    readonly trained: number;
    /** The second evaluation of a policy had the outcomes of the first. */
    readonly isRepeated: boolean;
  },
): readonly string[] {
  return [
    noiseSentence(found, of),
    resolvableSentence(found, of),
    ...neededSentence(found, of),
    costSentence(found, of),
  ];
}

function noiseSentence(
  { noise, evaluationSd, items }: Omit<Calibration, "sentences">,
  { trained, isRepeated }: { readonly trained: number; readonly isRepeated: boolean },
): string {
  if (noise.degrees === 0)
    return `The baseline has one seed on ${counted(items, "item")}, so nobody knows how much seeds differ. Train it on a second seed.`;
  const roughly = noise.degrees < 4 ? `; ${counted(trained, "seed")} show this only roughly` : "";
  const again = isRepeated
    ? `Evaluating the same policy again gave the same outcomes, because the trainer draws by its seed. The samples of each item show its score to about ${pointsApart(evaluationSd)}`
    : `Evaluating the same policy again moves its score by about ${pointsApart(evaluationSd)}`;
  return `Seeds of the same harness differ by about ${pointsApart(noise.sd)}${roughly}. ${again}.`;
}

function resolvableSentence(
  { noise, resolvable, items }: Omit<Calibration, "sentences">,
  { rules }: { readonly rules: TestingRules },
): string {
  const given = `With ${counted(rules.seeds, "seed")} of each version and ${counted(items, "item")}`;
  if (noise.degrees === 0) return `${given}, nobody knows yet how small a difference can be detected.`;
  if (resolvable === null)
    return `${given}, no difference can be detected: seeds differ too much, or there are too few items.`;
  return `${given}, a difference of ${pointsApart(resolvable)} is detected in 80 of 100 cases, where at most ${setPercent(rules.errorRate)} of the kept versions may be no better than their parent.`;
}

function neededSentence(
  { needed, resolvable, items }: Omit<Calibration, "sentences">,
  { rules, atLeast }: { readonly rules: TestingRules; readonly atLeast: number | null },
): string[] {
  if (needed === null || atLeast === null) return [];
  const asked = `The proposals ask for at least ${pointsApart(atLeast)}`;
  if (resolvable !== null && resolvable <= atLeast)
    return [`${asked}, which these seeds and items can detect.`];
  const ways = [
    ...(needed.seeds === null
      ? []
      : [`about ${counted(needed.seeds, "seed")} of each version with these items`]),
    ...(needed.items === null
      ? []
      : [`about ${counted(needed.items, "item")} with ${counted(rules.seeds, "seed")}`]),
  ];
  return [
    ways.length === 0
      ? `${asked}. To detect that, both more seeds than ${rules.seeds} and more items than ${count(items)} are needed.`
      : `${asked}. To detect that takes ${ways.join(", or ")}.`,
  ];
}

function costSentence(
  { cost }: Omit<Calibration, "sentences">,
  { rules }: { readonly rules: TestingRules },
): string {
  const { usual, most } = cost.trainings;
  const time =
    cost.seconds === null
      ? ""
      : `, one after the other ${duration(cost.seconds.usual)} and ${duration(cost.seconds.most)}`;
  return `${counted(rules.candidates, "candidate")} take about ${counted(usual, "training")} if most are no better, and ${count(most)} at most${time}.`;
}

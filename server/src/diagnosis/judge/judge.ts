import { createHash } from "node:crypto";
import type { Rollout } from "../../../../shared/model/rollout.ts";
import { answerKey, type Answers } from "./answers.ts";
import { ask, type AskOptions, type Model } from "./ask.ts";
import { parseAnswer, promptFor, type Answer, type Beside } from "./prompt.ts";

export interface Judge {
  readonly rubric: string;
  readonly model: Model;
  readonly answers: Answers;
  readonly ask: AskOptions;
  /** How many questions are open at a time. */
  readonly parallel?: number;
  /** Another rollout of the same item that is shown beside the one in question, and what it is. */
  readonly beside?: { readonly what: Beside; readonly rollout: (rollout: Rollout) => Rollout | undefined };
}

export interface Judged {
  readonly run: string;
  readonly id: string;
  readonly answer: Answer;
  /** From an earlier time, and free. */
  readonly cached: boolean;
}

export interface Judgement {
  readonly judged: readonly Judged[];
  /** Rollouts of which the model said nothing that can be used: they have no label. */
  readonly unanswered: readonly { readonly run: string; readonly id: string; readonly reason: string }[];
}

/**
 * Asks a language model about rollouts. Answers are kept as they come, so that what was cut off goes on where it was.
 * @throws HarnessError jobFailed when the model cannot be asked, cancelled
 */
export async function judgeRollouts(judge: Judge, rollouts: AsyncIterable<Rollout>): Promise<Judgement> {
  const judged: Judged[] = [];
  const unanswered: { run: string; id: string; reason: string }[] = [];
  const open = new Set<Promise<void>>();
  let failure: Error | undefined;
  for await (const rollout of rollouts) {
    const work = judgeOne(judge, rollout).then(
      (result) => {
        if ("reason" in result) unanswered.push(result);
        else judged.push(result);
      },
      (e: unknown) => {
        failure ??= e instanceof Error ? e : new Error(String(e));
      },
    );
    const settled = work.finally(() => open.delete(settled));
    open.add(settled);
    if (open.size >= (judge.parallel ?? 4)) await Promise.race(open);
    if (failure !== undefined) break;
  }
  await Promise.all(open);
  if (failure !== undefined) throw failure;
  return { judged, unanswered };
}

async function judgeOne(
  { rubric, model, answers, ask: options, beside }: Judge,
  rollout: Rollout,
): Promise<Judged | { run: string; id: string; reason: string }> {
  const { run, id } = rollout;
  const other = beside?.rollout(rollout);
  const prompt = promptFor(
    rubric,
    rollout,
    other === undefined ? {} : { other, ...(beside === undefined ? {} : { beside: beside.what }) },
  );
  const key = answerKey(`${model.provider} ${model.name}`, prompt);
  const known = answers.get(key);
  if (known !== undefined) return { run, id, answer: known, cached: true };
  const answer = parseAnswer(await ask(model, prompt, options), rollout.turns.length);
  if (typeof answer === "string") return { run, id, reason: answer };
  await answers.keep(key, model.name, answer);
  return { run, id, answer, cached: false };
}

/**
 * The n rollouts that a judge looks at: those with the least hashes, so that the choice is even, stays the same when it is
 * made again, and grows with n.
 */
export function chooseSample<T extends { readonly run: string; readonly id: string }>(
  rollouts: readonly T[],
  n: number,
  seed: number,
): T[] {
  const hash = ({ run, id }: T): string =>
    createHash("sha256")
      .update(JSON.stringify([seed, run, id]))
      .digest("hex");
  return rollouts
    .map((rollout) => ({ rollout, order: hash(rollout) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .slice(0, n)
    .map(({ rollout }) => rollout);
}

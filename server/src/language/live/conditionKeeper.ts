import { messageOf } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { TriedCondition } from "../../engine/backtest/diagnosticsTry.ts";
import { questionKey, type Question, type TriedConditions } from "../archive/triedConditions.ts";
import type { AskEngine } from "./askEngine.ts";

/** Keeps what the archive says of the conditions of diagnostics, and waits for no one. */
export type ConditionKeeper = {
  /** A spec of a project may ask something new. */
  readonly look: (root: string, question: Question) => void;
  /** The archive of a project was written to: what may have changed is asked again, and what was not asked yet. */
  readonly lookAgain: (root: string, questions: readonly Question[]) => void;
  readonly stop: () => void;
};

/** How long a text rests before it is asked about. */
const settleMs = 250;
/** Texts in the middle of being typed are forgotten beyond these. */
const mostKnown = 4000;
/** Questions in one request; its schema allows no more. */
const mostTries = 1000;

/** `note` is given all that is known of a project, and called only when that has changed. */
export function keepConditions(options: {
  readonly ask: AskEngine;
  readonly note: (root: string, tried: TriedConditions) => void;
  readonly log: Log;
}): ConditionKeeper {
  const known = new Map<string, Map<string, TriedCondition>>();
  const waiting = new Map<string, Map<string, Question>>();
  const timers = new Map<string, NodeJS.Timeout>();

  async function askFor(root: string): Promise<void> {
    const questions = [...(waiting.get(root) ?? [])].slice(0, mostTries);
    for (const [key] of questions) waiting.get(root)?.delete(key);
    if (questions.length === 0) return;
    const answer = await options.ask(root, "diagnostics.try", { tries: questions.map(([, one]) => one) });
    const before = known.get(root) ?? new Map<string, TriedCondition>();
    const now = new Map(before.size + questions.length > mostKnown ? [] : before);
    for (const [i, [key]] of questions.entries()) {
      const found = answer?.tried[i];
      if (found) now.set(key, found);
    }
    known.set(root, now);
    options.note(root, now);
    await askFor(root);
  }

  function ask(root: string, questions: readonly Question[], isKnown: (key: string) => boolean): void {
    const pending = waiting.get(root) ?? new Map<string, Question>();
    waiting.set(root, pending);
    for (const question of questions) {
      const key = questionKey(question);
      if (!isKnown(key)) pending.set(key, question);
    }
    clearTimeout(timers.get(root));
    if (pending.size === 0) return;
    const timer = setTimeout(() => {
      timers.delete(root);
      askFor(root).catch((e: unknown) =>
        options.log.warn("evidence", "conditions not tried", { root, message: messageOf(e) }),
      );
    }, settleMs);
    timer.unref();
    timers.set(root, timer);
  }

  return {
    look: (root, question) => ask(root, [question], (key) => known.get(root)?.has(key) === true),
    lookAgain: (root, questions) => {
      const found = known.get(root);
      ask(root, questions, (key) => isSettled(found?.get(key)));
    },
    stop: () => {
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}

/** Whether more rollouts will hardly change what it means: it tells some apart, and all that are named were found. */
const isSettled = (tried: TriedCondition | undefined): boolean =>
  tried !== undefined &&
  0 < tried.labelled &&
  tried.labelled < tried.rollouts &&
  tried.verdicts.every((verdict) => verdict === "labelled" || verdict === "clear");

import { labelShare } from "../../../../shared/model/labelShare.ts";
import { z } from "zod";
import type { AllServices } from "../../../../shared/protocol/services.ts";
import { ParamValues, subjects } from "../../../../shared/spec/diagnostic.ts";
import { RewardSpec } from "../../../../shared/spec/reward.ts";
import { HarnessError, messageOf } from "../../base/errors.ts";
import type { FeatureContext } from "../symbols/featureContext.ts";
import type { AskEngine } from "./askEngine.ts";
import { parseText } from "../syntax/parseSpec.ts";
import { scalarPaths, valueAtPath } from "../syntax/valuePath.ts";
import type { Effect } from "./effect.ts";

/** How long a text rests before its effect is asked for. */
const settleMs = 250;

const Condition = z.looseObject({
  over: z.enum(subjects).default("rollout"),
  params: ParamValues.catch({}),
  label: z.looseObject({ when: z.string().min(1) }),
});

/** What is asked about a text: a condition with its parameters, or a reward. */
export type Question =
  | { readonly type: "condition"; readonly condition: string; readonly params: ParamValues }
  | { readonly type: "reward"; readonly text: string };

/** The path of the first value that two rewards do not share. */
function firstChange(before: string, after: string): string | undefined {
  const [old, now] = [parseText(before).value, parseText(after).value];
  return scalarPaths(now).find((path) => valueAtPath(old, path).value !== valueAtPath(now, path).value);
}

/** What can be tried on the archive in a spec; undefined when there is nothing. */
function questionOf({ spec }: Pick<FeatureContext, "spec">): Question | undefined {
  if (spec.kind === "reward")
    return RewardSpec.safeParse(spec.value).success ? { type: "reward", text: spec.text } : undefined;
  const found = spec.kind === "diagnostic" ? Condition.safeParse(spec.value).data : undefined;
  return found?.over === "rollout"
    ? { type: "condition", condition: found.label.when, params: found.params }
    : undefined;
}

export type LiveBacktest = {
  /** The text of a file as it was opened: what edits of it are compared with, also after they are saved. */
  readonly settle: (context: FeatureContext) => void;
  /** The text of a file changed. */
  readonly edit: (context: FeatureContext) => void;
  readonly forget: (file: string) => void;
  readonly effectOf: (file: string) => Effect | undefined;
  readonly stop: () => void;
};

type Typed = {
  readonly before: string | undefined;
  readonly saved: Question | undefined;
  asked: string | undefined;
  effect?: Effect | undefined;
  timer?: NodeJS.Timeout;
  running?: AbortController;
};

/**
 * Tries what is typed on the archive: the newest question of each file only, an older one is cancelled. Nobody waits
 * for it; `changed` is called when there is something new to show.
 */
export function liveBacktest(options: {
  readonly ask: AskEngine;
  readonly changed: (file: string) => void;
  readonly now?: () => number;
}): LiveBacktest {
  const { ask, changed, now = Date.now } = options;
  const files = new Map<string, Typed>();

  function settle(context: FeatureContext): void {
    forget(context.file);
    const saved = questionOf(context);
    const before: string | undefined = JSON.stringify(saved);
    files.set(context.file, { before, saved, asked: before });
  }

  function forget(file: string): void {
    const typed = files.get(file);
    clearTimeout(typed?.timer);
    typed?.running?.abort();
    files.delete(file);
  }

  function edit(context: FeatureContext): void {
    const { file, root } = context;
    // A file that is new has nothing saved to be compared with.
    const typed: Typed = files.get(file) ?? { before: undefined, saved: undefined, asked: undefined };
    files.set(file, typed);
    const question = questionOf(context);
    const key: string | undefined = JSON.stringify(question);
    if (root === undefined || key === typed.asked) return;
    typed.asked = key;
    clearTimeout(typed.timer);
    typed.running?.abort();
    const show = (effect: Effect | undefined): void => {
      if (typed.asked !== key || files.get(file) !== typed) return;
      typed.effect = effect;
      changed(file);
    };
    if (question === undefined || key === typed.before) {
      show(undefined);
      return;
    }
    const running = new AbortController();
    typed.running = running;
    typed.timer = setTimeout(() => {
      const work =
        question.type === "condition"
          ? count(root, file, question, typed.saved, running.signal, show)
          : replay(root, context, question, typed.saved, running.signal, show);
      work.catch((e: unknown) => {
        if (!HarnessError.is(e, "cancelled"))
          show({ type: "none", because: messageOf(e).split("\n", 1)[0] ?? "", at: now() });
      });
    }, settleMs);
  }

  async function count(
    root: string,
    file: string,
    { condition, params }: Extract<Question, { readonly type: "condition" }>,
    saved: Question | undefined,
    signal: AbortSignal,
    show: (effect: Effect) => void,
  ): Promise<void> {
    const told = (
      { rollouts, labelled, undecided, done }: AllServices["diagnostics.liveCount"]["part"],
      before: number | undefined,
    ): void => show({ type: "condition", rollouts, labelled, undecided, done, before, at: now() });
    const answer = await ask(
      root,
      "diagnostics.liveCount",
      { condition, params, stream: file },
      {
        signal,
        progress: ({ part }) => {
          if (part !== undefined) told(part, undefined);
        },
      },
    );
    if (answer === undefined) return;
    if (answer.type === "problems") {
      show({ type: "none", because: "The condition cannot be tried as it stands.", at: now() });
      return;
    }
    told(answer, undefined);
    if (saved?.type !== "condition" || signal.aborted) return;
    const old = await ask(
      root,
      "diagnostics.liveCount",
      { condition: saved.condition, params: saved.params, stream: file },
      { signal },
    );
    const was = old?.type === "counted" ? labelShare(old).rate : null;
    if (was !== null) told(answer, was);
  }

  async function replay(
    root: string,
    { file, project }: FeatureContext,
    { text }: Extract<Question, { readonly type: "reward" }>,
    saved: Question | undefined,
    signal: AbortSignal,
    show: (effect: Effect) => void,
  ): Promise<void> {
    const version = project?.facts?.versions.at(-1)?.name;
    if (version === undefined) return;
    const answer = await ask(root, "backtest.reward", { path: file, text, versions: [version] }, { signal });
    const [first] = answer?.results ?? [];
    if (!first) return;
    const { groups, dead, noOp } = first.reward;
    show({
      type: "reward",
      version,
      groups,
      deadBefore: dead.before,
      deadAfter: dead.after,
      noOp: noOp === true,
      changed: saved?.type === "reward" ? firstChange(saved.text, text) : undefined,
      at: now(),
    });
  }

  return {
    settle,
    edit,
    forget,
    effectOf: (file) => files.get(file)?.effect,
    stop: () => {
      for (const file of [...files.keys()]) forget(file);
    },
  };
}

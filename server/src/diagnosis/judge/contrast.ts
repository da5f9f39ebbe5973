import type { Rollout } from "../../../../shared/model/rollout.ts";
import { agreementOf, type Agreement } from "./agreement.ts";
import type { Beside } from "./prompt.ts";
import { chooseSample, judgeRollouts, type Judge, type Judged } from "./judge.ts";

/** What a judge says of rollouts beside another one of their item, against what it says of the same ones alone. */
export interface Contrast {
  /** What the other rollout is: one with the other outcome, or one of the version's parent. */
  readonly beside: Beside;
  /** Rollouts of the sample that have a partner and an answer both ways. */
  readonly asked: number;
  readonly labelled: number;
  readonly labelledAlone: number;
  /** Labelled in one way and clear in the other. */
  readonly onlyBeside: number;
  readonly onlyAlone: number;
  /** Rollouts of the sample without a partner: no other outcome of their item is in the version, or its parent has not tried it. */
  readonly withoutPartner: number;
  /** On the same rollouts, those that people labelled; null without one. */
  readonly agreement: { readonly beside: Agreement; readonly alone: Agreement } | null;
}

/** A rollout that could be asked about, or stand beside another one. */
export interface Contrasted {
  readonly rid: number;
  readonly run: string;
  readonly id: string;
  readonly item: string;
  readonly outcome: string;
}

/**
 * For each rollout that passed or failed, one of the same item with the other outcome, if there is any; always the same one.
 * By the number of the rollout.
 */
export function partnersOf(
  chosen: readonly Contrasted[],
  all: readonly Contrasted[],
  seed: number,
): ReadonlyMap<number, Contrasted> {
  const key = (item: string, outcome: string): string => JSON.stringify([item, outcome]);
  const pools = poolsBy(all, ({ item, outcome }) => key(item, outcome));
  const partners = new Map<number, Contrasted>();
  for (const { rid, item, outcome } of chosen) {
    if (outcome !== "pass" && outcome !== "fail") continue;
    const pool = pools.get(key(item, outcome === "pass" ? "fail" : "pass")) ?? [];
    const [partner] = chooseSample(pool, 1, seed);
    if (partner !== undefined) partners.set(rid, partner);
  }
  return partners;
}

function poolsBy(
  all: readonly Contrasted[],
  key: (one: Contrasted) => string,
): ReadonlyMap<string, readonly Contrasted[]> {
  const pools = new Map<string, Contrasted[]>();
  for (const one of all) {
    const pool = pools.get(key(one));
    if (pool === undefined) pools.set(key(one), [one]);
    else pool.push(one);
  }
  return pools;
}

/** For each rollout one of the same item among those of another version, if there is any; always the same one. */
export function partnersIn(
  chosen: readonly Contrasted[],
  others: readonly Contrasted[],
  seed: number,
): ReadonlyMap<number, Contrasted> {
  const pools = poolsBy(others, ({ item }) => item);
  const partners = new Map<number, Contrasted>();
  for (const { rid, item } of chosen) {
    const [partner] = chooseSample(pools.get(item) ?? [], 1, seed);
    if (partner !== undefined) partners.set(rid, partner);
  }
  return partners;
}

const keyOf = ({ run, id }: { readonly run: string; readonly id: string }): string =>
  JSON.stringify([run, id]);

/**
 * Asks again about the rollouts that have a partner, this time beside it. `alone` are the answers to the same rollouts without
 * one, `human` what people said. @throws HarnessError jobFailed when the model cannot be asked, cancelled
 */
export async function askBeside(
  judge: Judge,
  given: {
    readonly what: Beside;
    readonly sample: readonly Contrasted[];
    readonly partners: ReadonlyMap<number, Contrasted>;
    readonly alone: readonly Judged[];
    readonly human: ReadonlyMap<string, boolean>;
    readonly read: (rid: number) => Promise<Rollout | undefined>;
    /** Reads a partner, which may be of another version. */
    readonly readOther: (rid: number) => Promise<Rollout | undefined>;
  },
): Promise<Contrast> {
  const { what, sample, partners, alone, human, read, readOther } = given;
  const paired = sample.filter(({ rid }) => partners.has(rid));
  const beside = new Map<string, Rollout>();
  const questions = async function* (): AsyncGenerator<Rollout> {
    for (const { rid } of paired) {
      const rollout = await read(rid);
      const partner = partners.get(rid);
      const other = partner === undefined ? undefined : await readOther(partner.rid);
      if (rollout === undefined || other === undefined) continue;
      beside.set(keyOf(rollout), other);
      yield rollout;
    }
  };
  const { judged } = await judgeRollouts(
    { ...judge, beside: { what, rollout: (rollout) => take(beside, keyOf(rollout)) } },
    questions(),
  );
  const before = new Map(alone.map((one) => [keyOf(one), one.answer.label]));
  const both = judged.flatMap((one) => {
    const [is, was] = [one.answer.label, before.get(keyOf(one)) ?? null];
    return is === null || was === null ? [] : [{ key: keyOf(one), is, was }];
  });
  const known = both.flatMap((one) => {
    const said = human.get(one.key);
    return said === undefined ? [] : [{ ...one, human: said }];
  });
  return {
    beside: what,
    asked: both.length,
    labelled: both.filter(({ is }) => is).length,
    labelledAlone: both.filter(({ was }) => was).length,
    onlyBeside: both.filter(({ is, was }) => is && !was).length,
    onlyAlone: both.filter(({ is, was }) => !is && was).length,
    withoutPartner: sample.length - paired.length,
    agreement:
      known.length === 0
        ? null
        : {
            beside: agreementOf(known.map((one) => ({ judge: one.is, human: one.human }))),
            alone: agreementOf(known.map((one) => ({ judge: one.was, human: one.human }))),
          },
  };
}

/** Gives what is kept under a key, and keeps it no longer: rollouts are large. */
function take(kept: Map<string, Rollout>, key: string): Rollout | undefined {
  const found = kept.get(key);
  kept.delete(key);
  return found;
}

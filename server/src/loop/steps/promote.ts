import { counted, percent, points, pointsInterval } from "../../../../shared/words/numbers.ts";
import type { Score } from "../../../../shared/ledger/measures.ts";
import { auditLooks } from "../../../../shared/words/decisions.ts";
import { auditGap, type SplitScores } from "../../decision/auditGap.ts";
import { HarnessError } from "../../base/errors.ts";
import type { AuditDoor } from "../../proposals/standing/auditDoor.ts";
import type { AskingPorts, LoopPorts } from "../ports.ts";

/** A promotion asks no proposer. */
export type PromotionPorts = Omit<LoopPorts, keyof AskingPorts>;

/** What is promoted, against what, and of how many: as the door to the audit split says it. */
export type Promotable = Pick<Extract<AuditDoor, { type: "open" }>, "version" | "baseline" | "tried"> & {
  readonly domain: string;
};

/**
 * Opens the audit split for a version and its baseline, and reports the generalisation gap: what the choice on the
 * selection split has cost. Only who asked the door may call it. @throws HarnessError jobFailed, notComparable
 */
export async function promote(
  { version: champion, baseline, tried, domain }: Promotable,
  commitOf: (version: string) => Promise<string>,
  ports: PromotionPorts,
  signal: AbortSignal,
): Promise<void> {
  const incomparable = champion === baseline ? null : await ports.whyNotComparable(champion, baseline);
  if (incomparable !== null) throw new HarnessError("notComparable", incomparable);
  const scores = new Map<string, Score | null>();
  for (const version of new Set([champion, baseline])) {
    const seeds = (await ports.trained(version)).map(({ seed }) => seed);
    const [seed = 1] = seeds;
    ports.emit({ type: "jobStarted", version, seed, what: "measuring on the audit split" });
    const result = await ports.train(
      {
        version,
        commit: await commitOf(version),
        work: { type: "measure", split: "audit" },
        policyOf: version,
        seeds,
      },
      signal,
    );
    ports.emit({
      type: "jobEnded",
      ...{ version, seed },
      ok: result.failure === null,
      message: result.message,
      seconds: result.seconds,
    });
    await ports.appendToLedger([
      {
        id: `job:${version}:audit`,
        at: ports.now(),
        domain,
        type: "job",
        version,
        job: version,
        state: result.failure === null ? "finished" : "failed",
        failure: result.failure,
        message: result.message,
        seconds: result.seconds,
        ...result.cost,
      },
    ]);
    if (result.failure !== null)
      throw new HarnessError("jobFailed", `The audit of ${version} failed: ${result.message}`);
    await ports.collect(version, "audit");
    const score = await ports.score(version, "audit");
    scores.set(version, score);
    const on = await ports.measuredOn(version, "audit");
    await ports.appendToLedger([
      {
        id: `evidence:${version}:audit`,
        at: ports.now(),
        domain,
        type: "evidence",
        version,
        split: "audit",
        score,
        cleanScore: score,
        labels: [],
        signals: {},
        ...(on === null ? {} : { measuredOn: on }),
      },
    ]);
  }
  const selection = await ports.score(champion, "selection");
  const audit = scores.get(champion) ?? null;
  const gap = selection === null || audit === null ? null : selection.value - audit.value;
  const against = (split: "selection" | "audit") => againstBaseline(champion, baseline, split, ports);
  const sentence = [
    `The best of ${counted(tried, "version")} tried.`,
    await wearOf({ version: champion, baseline }, commitOf, ports),
    ...(selection === null ? [] : [`Selection: ${percent(selection.value)}${await against("selection")}.`]),
    ...(audit === null ? [] : [`Sealed audit split: ${percent(audit.value)}${await against("audit")}.`]),
    ...(await gapSentence({ version: champion, baseline }, scores, ports)),
  ].join(" ");
  await ports.appendToLedger([
    {
      id: `promotion:${champion}`,
      at: ports.now(),
      domain,
      type: "promotion",
      version: champion,
      gap,
      reason: sentence,
    },
  ]);
  ports.emit({ type: "promoted", version: champion, reason: sentence });
}

/** `Generalisation gap: +7.3 points [−4.6, +19.3], inside the noise.`: what the choice has cost, and whether that is more than noise. */
async function gapSentence(
  { version, baseline }: Pick<Promotable, "version" | "baseline">,
  audits: ReadonlyMap<string, Score | null>,
  ports: PromotionPorts,
): Promise<string[]> {
  const scoresOf = async (name: string): Promise<SplitScores | null> => {
    const [selection, audit] = [await ports.score(name, "selection"), audits.get(name) ?? null];
    return selection === null || audit === null ? null : { selection, audit };
  };
  const own = await scoresOf(version);
  if (own === null) return [];
  const isChosen = version !== baseline;
  const { difference, low, high, verdict } = auditGap({
    ...own,
    isChosen,
    baseline: isChosen ? await scoresOf(baseline) : null,
  });
  return [
    `Generalisation gap: ${points(-difference)} ${pointsInterval(-high, -low)}, ${auditLooks[verdict].word}.`,
  ];
}

/** How often the selection split was looked at, beside what is claimed to have been gained on it. */
async function wearOf(
  { version, baseline }: Pick<Promotable, "version" | "baseline">,
  commitOf: (version: string) => Promise<string>,
  ports: PromotionPorts,
): Promise<string> {
  const gain = await ports.compare(version, baseline, { split: "selection", confidence: 0.95 });
  return ports.wear(gain?.difference ?? null, await ports.project(await commitOf(version)));
}

async function againstBaseline(
  champion: string,
  baseline: string,
  split: "selection" | "audit",
  ports: PromotionPorts,
): Promise<string> {
  const c = await ports.compare(champion, baseline, { split, confidence: 0.95 });
  if (c === null) return "";
  return `, ${points(c.difference)} ${pointsInterval(c.low, c.high)} against the baseline ${baseline}`;
}

import { randomBytes } from "node:crypto";
import { countedOfType } from "../../lineage/trust/countedEntries.ts";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { ModelPrice } from "../../../../shared/spec/proposer.ts";
import { addJsonLine, readJsonLines } from "../../base/jsonLines.ts";
import { privateFolder } from "../../base/files.ts";
import { inBlock, inLine } from "../../base/plainText.ts";
import { nothing, type QuestionEntry } from "../../decision/budgets/spending.ts";
import { amountText, withinBudget } from "../../decision/budgets/withinBudget.ts";
import { readLoopState } from "../../loop/state.ts";
import type { QuestionBooks, Used } from "../../proposals/proposers/questionBooks.ts";
import { newestProject } from "../evolution/newestProject.ts";
import { currencyOf, spentNow } from "../budget/spentNow.ts";
import { hostsOf } from "../jobs/jobList.ts";
import { runRecords } from "../jobs/runRecords.ts";
import type { OpenDomain } from "./openDomain.ts";

/** Where questions to proposers are written down, one readable file each, and every call with what it used. */
export const proposersFolder = ({ engineFolder }: { readonly engineFolder: string }): string =>
  join(engineFolder, "proposers");

export interface QuestionOf {
  readonly version: string;
  readonly proposer: string;
  /** The hints that it is given: ids of notes, or texts. */
  readonly hints: readonly string[];
  readonly price?: ModelPrice | undefined;
}

/** What a call may take, then what it took less or more than that; kept until the question is in the ledger. */
const Call = z.object({
  question: z.string(),
  at: z.string(),
  domain: z.string(),
  version: z.string(),
  proposer: z.string(),
  tokens: z.number(),
  money: z.number(),
});
type Call = z.infer<typeof Call>;

/**
 * Opens the books of a question to a proposer. Its budgets are those of the newest commit; what counts is spent since the
 * evolution began, or ever where there is none.
 */
export async function openQuestionBooks(
  { workspace, spec, domain }: Pick<OpenDomain, "workspace" | "spec" | "domain">,
  { version, proposer, hints, price }: QuestionOf,
): Promise<QuestionBooks> {
  const folder = proposersFolder(workspace);
  await privateFolder(folder);
  const began = new Date();
  const question = `${began.toISOString().replace(/[:.]/g, "-")}-${proposer}-${randomBytes(4).toString("hex")}`;
  const calls = join(folder, "calls.jsonl");
  const traceFile = join(folder, `${question}.md`);
  const used = { calls: 0, tokens: 0, money: 0 };
  let reserved = { tokens: 0, money: 0 };
  const note = (amount: Omit<Used, "calls">): Promise<void> => {
    const kept: Call = { question, at: new Date().toISOString(), domain, version, proposer, ...amount };
    return addJsonLine(calls, kept);
  };
  const refusal = async (next: Omit<Used, "calls">): Promise<string | null> => {
    const newest = await newestProject(workspace.repository)();
    const { budgets } = newest.type === "sound" ? newest.project.spec : spec;
    const { tokens, money } = budgets;
    if (tokens === undefined && money === undefined) return null;
    const hosts = await hostsOf(workspace.root);
    const currencies = new Set([...currencyOf(hosts).several, currencyOf(hosts).currency, price?.currency]);
    currencies.delete(null);
    currencies.delete(undefined);
    if (money !== undefined && currencies.size > 1)
      return `\`budgets.money\` cannot be counted, because hosts and models have prices in ${[...currencies].join(" and ")}; give them one currency.`;
    const state = await readLoopState(workspace.engineFolder);
    const since = state?.domain === domain ? state.startedAt : new Date(0).toISOString();
    const { entries } = await workspace.ledger.read();
    const questions = [...countedOfType(entries, "question")];
    const spent = spentNow({
      ...{ spec, hosts, since },
      jobs: [...countedOfType(entries, "job")],
      questions: [...questions, ...(await unrecorded(calls, questions))],
      runs: await runRecords(workspace.engineFolder),
    });
    const within = withinBudget({
      limits: {
        ...(tokens === undefined ? {} : { tokens }),
        ...(money === undefined ? {} : { money }),
      },
      spent,
      next: { each: { ...nothing, ...next }, from: 1 },
    });
    if (within.fits) return null;
    const currency = price?.currency ?? currencyOf(hosts).currency;
    const text = (value: number): string => amountText(within.budget, value, currency);
    return `the budget of ${text(within.limit)} does not allow it: ${text(within.spent)} are used, and the next call takes up to ${text(within.next)}. Raise \`budgets.${within.budget}\` in evotrainer.yaml, and commit.`;
  };
  return {
    whyNot: (next) =>
      oneAtATime(async () => {
        const why = await refusal(next);
        if (why !== null) return why;
        // It counts from before it is made: others ask meanwhile, and this process may be killed before it is answered.
        reserved = next;
        await note(next);
        return null;
      }),
    async spend({ tokens, money }) {
      used.calls++;
      used.tokens += tokens;
      used.money += money;
      await note({ tokens: tokens - reserved.tokens, money: money - reserved.money });
      reserved = { tokens: 0, money: 0 };
    },
    trace: (heading, text) =>
      appendFile(traceFile, `## ${inLine(heading)}\n\n${inBlock(text)}\n\n`, { mode: 0o600 }),
    async close({ model, prompt, drafts, outcome }) {
      const at = new Date();
      const sentence = inBlock(outcome).slice(0, 2000);
      await appendFile(
        traceFile,
        `## What came of it\n\n${sentence}\n\n${used.calls} calls, ${used.tokens} tokens.\n`,
        { mode: 0o600 },
      );
      const entry: QuestionEntry = {
        ...{ id: idOf(question), at: at.toISOString(), domain, type: "question", version, proposer },
        ...(model === undefined ? {} : { model }),
        ...(prompt === undefined ? {} : { prompt }),
        ...{ calls: used.calls, tokens: used.tokens, drafts: [...drafts], outcome: sentence },
        ...(hints.length === 0 ? {} : { hints: [...hints] }),
        ...(price === undefined ? {} : { price: { amount: used.money, currency: price.currency } }),
        seconds: (at.getTime() - began.getTime()) / 1000,
      };
      await workspace.ledger.append([entry]);
    },
  };
}

let last: Promise<unknown> = Promise.resolve();

/** Two calls that are checked together must not both fit into what is left for one. */
function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const mine = last.then(work, work);
  last = mine.catch(() => undefined);
  return mine;
}

const idOf = (question: string): string => `question:${question}`;

/** Calls of questions that no entry tells of: they are under way, or their process was killed. */
async function unrecorded(path: string, known: readonly QuestionEntry[]): Promise<QuestionEntry[]> {
  const told = new Set(known.map(({ id }) => id));
  const lines = await readJsonLines(path);
  return lines.flatMap((line, i) => {
    const call = Call.safeParse(line);
    if (!call.success || told.has(idOf(call.data.question))) return [];
    const { at, domain, version, proposer, tokens, money } = call.data;
    return [
      {
        ...{
          id: `${idOf(call.data.question)}:${i}`,
          at,
          domain,
          type: "question",
          version,
          proposer,
          tokens,
        },
        ...{ calls: 1, drafts: [], outcome: "", seconds: 0, price: { amount: money, currency: "" } },
      } satisfies QuestionEntry,
    ];
  });
}

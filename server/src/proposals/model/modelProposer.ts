import { counted } from "../../../../shared/words/numbers.ts";
import type { ModelMessage } from "ai";
import type { ModelPrice, ModelProposer } from "../../../../shared/spec/proposer.ts";
import { HarnessError } from "../../base/errors.ts";
import { jsonText } from "../../base/plainText.ts";
import { problemsText } from "../draft.ts";
import type { EvidenceTool } from "../proposers/evidenceTools.ts";
import type { Proposer, ProposerQuestion } from "../proposers/proposer.ts";
import type { QuestionBooks } from "../proposers/questionBooks.ts";
import { questionText } from "../proposers/questionText.ts";
import {
  costOf,
  tokensOf,
  type CallableModel,
  type ModelAnswer,
  type ToolCall,
  type Tokens,
} from "./callModel.ts";
import {
  answerInText,
  answerTool,
  handsOverDrafts,
  handsOverOrder,
  type CheckedAnswer,
  type Handover,
} from "./draftsAnswer.ts";
import type { PromptFile } from "./promptFile.ts";

export interface ModelSetup {
  readonly spec: ModelProposer;
  readonly prompt: PromptFile;
  readonly price: ModelPrice | undefined;
  readonly open: () => Promise<CallableModel>;
  /** New books for one question. */
  readonly books: (question: ProposerQuestion) => Promise<QuestionBooks>;
}

/** How often an answer that cannot be used is sent back, with what was wrong with it. */
const corrections = 2;
/** The most calls of tools that are answered at a time. */
const mostCallsAtOnce = 16;

/** A language model as a proposer: it reads the evidence with tools and answers with drafts. */
export function modelProposer(setup: ModelSetup): Proposer {
  return {
    name: setup.spec.name,
    propose: (question, signal) => ask({ setup, question, signal, handover: handsOverDrafts(question) }),
    rank: (question, signal) => ask({ setup, question, signal, handover: handsOverOrder(question) }),
  };
}

async function ask<T>(asked: Omit<Conversation<T>, "books" | "model">): Promise<readonly T[]> {
  const { setup, question, handover } = asked;
  const { spec } = setup;
  const books = await setup.books(question);
  const prompt = `${setup.prompt.path} ${setup.prompt.sha256}`;
  let ended = { drafts: [] as readonly string[], outcome: "It failed." };
  let model: CallableModel | undefined;
  try {
    model = await setup.open();
    const { drafts, problems } = await converse({ ...asked, books, model });
    const outcome = [
      `${drafts.length} of ${counted(drafts.length + problems.length, "draft")} passed the checks.`,
      ...problems,
    ].join(" ");
    ended = { drafts: drafts.map((draft) => handover.nameOf(draft)), outcome };
    if (drafts.length === 0)
      throw new HarnessError(
        "specInvalid",
        `${spec.name} handed over nothing that can be used: ${problemsText(problems)}`,
      );
    return drafts;
  } catch (e) {
    if (HarnessError.is(e)) ended = { drafts: [], outcome: e.message };
    throw e;
  } finally {
    await books.close({ ...ended, prompt, ...(model === undefined ? {} : { model: model.name }) });
  }
}

interface Conversation<T> {
  readonly setup: ModelSetup;
  readonly books: QuestionBooks;
  readonly model: CallableModel;
  readonly question: ProposerQuestion;
  readonly signal: AbortSignal;
  readonly handover: Handover<T>;
}

/** Calls the model until its drafts pass the checks, or it may try no more. @throws HarnessError budgetSpent, jobFailed, cancelled */
async function converse<T>(conversation: Conversation<T>): Promise<CheckedAnswer<T>> {
  const { setup, books, question, signal, handover } = conversation;
  const { spec, prompt } = setup;
  const tools = [...question.tools.tools, handover.tool];
  const messages: ModelMessage[] = [{ role: "user", content: await questionText(question) }];
  await books.trace("Instructions", `${prompt.path} ${prompt.sha256}\n\n${prompt.text}`);
  await books.trace("Question", textOf(messages[0]));
  let best: CheckedAnswer<T> = {
    drafts: [],
    problems: [`${spec.name} handed over no drafts in ${spec.steps} calls.`],
  };
  let used = 0;
  for (let step = 1, sentBack = 0; step <= spec.steps; step++) {
    if (step === spec.steps && step > 1)
      messages.push(said(`This is your last call: call ${answerTool} now.`));
    const { answer, tokens } = await callOnce(conversation, { messages, tools, used });
    used += tokens.input + tokens.output;
    messages.push(...answer.messages);
    await books.trace(`Answer ${step}`, answerText(answer));
    const given = givenIn(answer);
    if (given.type === "asks") {
      messages.push(...(await runTools(answer.calls, conversation)));
      if (given.garbled === null) continue;
      best = best.drafts.length > 0 ? best : { drafts: [], problems: [given.garbled] };
      if (sentBack++ >= corrections) return best;
      continue;
    }
    const checked = given.type === "words" ? onlyWords : await handover.check(given.drafts);
    await books.trace("Checks", checked.problems.join("\n") || "All drafts passed.");
    if (checked.drafts.length >= best.drafts.length) best = checked;
    if (checked.problems.length === 0 || sentBack >= corrections) return best;
    sentBack++;
    messages.push(...sendBack(answer.calls, checked, handover));
    if (signal.aborted) throw new HarnessError("cancelled", "The question to the model was cancelled.");
  }
  return best;
}

const onlyWords: CheckedAnswer<never> = {
  drafts: [],
  problems: [`It answered in words only, without calling ${answerTool}.`],
};

/** What an answer is: calls of tools, of which one may be of drafts that cannot be read; drafts; or words alone. */
type Given =
  | { readonly type: "asks"; readonly garbled: string | null }
  | { readonly type: "drafts"; readonly drafts: unknown }
  | { readonly type: "words" };

function givenIn({ calls, text }: ModelAnswer): Given {
  const own = calls.filter(({ name }) => name === answerTool);
  const handedOver = own.find(({ problem }) => problem === null);
  if (handedOver !== undefined) return { type: "drafts", drafts: handedOver.input };
  if (calls.length > 0) {
    const [garbled] = own;
    return {
      type: "asks",
      garbled: garbled === undefined ? null : `Its drafts cannot be read: ${garbled.problem ?? ""}`,
    };
  }
  const inText = answerInText(text);
  return inText === undefined ? { type: "words" } : { type: "drafts", drafts: inText };
}

/** One call, if the budgets allow it; what it used is in the books whatever comes of it. */
async function callOnce(
  { setup, books, model, signal }: Omit<Conversation<unknown>, "handover">,
  {
    messages,
    tools,
    used,
  }: { messages: readonly ModelMessage[]; tools: readonly EvidenceTool[]; used: number },
): Promise<{ readonly answer: ModelAnswer; readonly tokens: Tokens }> {
  const { spec, prompt, price } = setup;
  const call = { system: prompt.text, messages, tools, answerTokens: spec.answerTokens };
  const sent = tokensOf([call.system, messages, tools]);
  const next = { input: sent, output: spec.answerTokens };
  if (used + sent + spec.answerTokens > spec.tokens)
    throw new HarnessError(
      "budgetSpent",
      `${spec.name} was not asked further: the question has used ${used} tokens, the next call takes up to ${sent + spec.answerTokens}, and \`tokens\` of this proposer allows ${spec.tokens}.`,
    );
  const refusal = await books.whyNot({ tokens: next.input + next.output, money: costOf(next, price) });
  if (refusal !== null) throw new HarnessError("budgetSpent", `${spec.name} was not asked: ${refusal}`);
  let tokens: Tokens = { input: sent, output: 0 };
  try {
    const answer = await model.call(call, signal);
    ({ tokens } = answer);
    return { answer, tokens };
  } finally {
    // A call that failed may have been paid for as well.
    await books.spend({ tokens: tokens.input + tokens.output, money: costOf(tokens, price) });
  }
}

/** Answers the calls of tools of the evidence. */
async function runTools(
  calls: readonly ToolCall[],
  { question, books, signal }: Pick<Conversation<unknown>, "question" | "books" | "signal">,
): Promise<ModelMessage[]> {
  const answered: ModelMessage[] = [];
  for (const [i, call] of calls.entries()) {
    // The library has told the model what was wrong with a call that it cannot read.
    if (call.problem !== null) continue;
    const { text } =
      i < mostCallsAtOnce
        ? await question.tools.call(call.name, call.input, signal)
        : { text: `At most ${mostCallsAtOnce} calls are answered at a time; ask again.` };
    await books.trace(`Tool ${call.name}`, text);
    answered.push(result(call, text));
  }
  return answered;
}

/** Tells what was wrong with an answer. Every call of a tool has to be answered before the next question. */
function sendBack<T>(
  calls: readonly ToolCall[],
  { drafts, problems }: CheckedAnswer<T>,
  { nameOf }: Handover<T>,
): ModelMessage[] {
  const text = [
    `Not all of this can be used: ${problems.join(" ")}`,
    ...(drafts.length === 0
      ? []
      : [`These are sound: ${drafts.map(nameOf).join(", ")}; hand them over again.`]),
    `Correct it and call ${answerTool} once more.`,
  ].join("\n");
  const open = calls.filter(({ problem }) => problem === null);
  return open.length === 0
    ? [said(text)]
    : open.map((call) => result(call, call.name === answerTool ? text : "Not run: you handed over drafts."));
}

const said = (content: string): ModelMessage => ({ role: "user", content });

const result = ({ id, name }: ToolCall, value: string): ModelMessage => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId: id, toolName: name, output: { type: "text", value } }],
});

const textOf = (message: ModelMessage | undefined): string =>
  typeof message?.content === "string" ? message.content : "";

const answerText = ({ text, calls, tokens }: ModelAnswer): string =>
  [
    ...(text === "" ? [] : [text]),
    ...calls.map(({ name, input, problem }) => `${name} ${problem ?? jsonText(input, 1)}`),
    `(${tokens.input} tokens sent, ${tokens.output} answered)`,
  ].join("\n");

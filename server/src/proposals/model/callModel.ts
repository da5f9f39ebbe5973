import type { ModelMessage, ToolSet } from "ai";
import type { ModelPrice } from "../../../../shared/spec/proposer.ts";
import { HarnessError, messageOf } from "../../base/errors.ts";
import type { ReadyModel } from "../../diagnosis/judge/model.ts";
import type { EvidenceTool } from "../proposers/evidenceTools.ts";
import { boundedFetch } from "./boundedFetch.ts";

export interface ModelCall {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly EvidenceTool[];
  /** The largest number of tokens of the answer. */
  readonly answerTokens: number;
}

/** One thing that a model asks for. `problem`: why the call cannot be understood; it has been told so already. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly problem: string | null;
}

export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** To be sent back with the next call. */
  readonly messages: readonly ModelMessage[];
  readonly tokens: Tokens;
}

/** Tokens of a call. Servers that count none, or lie, are counted by the characters. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** A model that can be called, one question and answer at a time. */
export interface CallableModel {
  readonly name: string;
  /** @throws HarnessError jobFailed, cancelled */
  call(call: ModelCall, signal: AbortSignal): Promise<ModelAnswer>;
}

/** The most of an answer that is read. */
const bodyBytes = 8 * 1024 ** 2;

export interface ModelTuning {
  readonly retries?: number;
  readonly pauseMs?: number;
  readonly bodyBytes?: number;
}

/** A model behind one of the two interfaces, with the library that speaks them, which is loaded here. */
export async function openModel(
  { model, timeoutSeconds }: ReadyModel,
  tuning: ModelTuning = {},
): Promise<CallableModel> {
  const library = await import("./languageModels.ts");
  // What the library would print is neither ours nor asked for.
  Reflect.set(globalThis, "AI_SDK_LOG_WARNINGS", false);
  const { provider, url, name, key } = model;
  const server = `${name} at ${url}`;
  const common = {
    baseURL: url.replace(/\/+$/, ""),
    fetch: boundedFetch({ server, timeoutSeconds, bodyBytes, retries: 4, pauseMs: 1000, ...tuning }),
  };
  const spoken =
    provider === "openai"
      ? library.createOpenAICompatible({
          ...common,
          name: "openai",
          ...(key === undefined ? {} : { apiKey: key }),
        })(name)
      : // Without a key the library would look for one in the environment.
        library.createAnthropic({ ...common, apiKey: key ?? "" })(name);
  return {
    name,
    async call({ system, messages, tools, answerTokens }, signal) {
      const set: ToolSet = Object.fromEntries(
        tools.map((one) => [
          one.name,
          library.tool({ description: one.description, inputSchema: library.jsonSchema(one.input) }),
        ]),
      );
      try {
        const result = await library.generateText({
          ...{ model: spoken, system, tools: set, maxRetries: 0, maxOutputTokens: answerTokens },
          messages: [...messages],
          abortSignal: signal,
        });
        const { text, toolCalls, response, usage } = result;
        const counted = { input: usage.inputTokens, output: usage.outputTokens };
        return {
          text: withoutKey(text, key),
          calls: toolCalls.map((call) => ({
            ...{ id: call.toolCallId, name: call.toolName, input: call.input },
            problem: call.invalid === true ? messageOf(call.error) : null,
          })),
          messages: response.messages,
          tokens: {
            input: soundCount(counted.input) ?? tokensOf([system, messages, tools]),
            output: soundCount(counted.output) ?? tokensOf(response.messages),
          },
        };
      } catch (e) {
        throw failure(e, server, { signal, key });
      }
    },
  };
}

/** A count that a server may have made; undefined for what is none. */
const soundCount = (count: number | undefined): number | undefined =>
  count !== undefined && Number.isSafeInteger(count) && count > 0 && count < 1e9 ? count : undefined;

/** A token is about three characters or more, in the texts and the JSON of a question. */
const charactersPerToken = 3;

/** About how many tokens something takes, rather too many than too few. */
export function tokensOf(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / charactersPerToken);
}

/** What tokens cost; 0 without a price. */
export function costOf({ input, output }: Tokens, price: ModelPrice | undefined): number {
  return price === undefined ? 0 : (input * price.input + output * price.output) / 1_000_000;
}

/** Why a call failed, without the key, which a server may repeat. */
function failure(
  e: unknown,
  server: string,
  { signal, key }: { readonly signal: AbortSignal; readonly key: string | undefined },
): HarnessError {
  if (signal.aborted) return new HarnessError("cancelled", "The question to the model was cancelled.");
  const own = causes(e).find((one) => HarnessError.is(one));
  if (HarnessError.is(own)) return own;
  const status = causes(e).flatMap((one) =>
    typeof one === "object" && one !== null && "statusCode" in one && typeof one.statusCode === "number"
      ? [one.statusCode]
      : [],
  )[0];
  const said = withoutKey(messageOf(e), key).slice(0, 300);
  return new HarnessError(
    "jobFailed",
    status === undefined || status < 400
      ? `The model ${server} gave an answer that does not fit its interface: ${said}`
      : `The model ${server} answered ${status}: ${said}`,
  );
}

function causes(e: unknown): unknown[] {
  const found: unknown[] = [];
  for (let one = e; one !== undefined && one !== null && found.length < 8;) {
    found.push(one);
    one = one instanceof Error ? one.cause : undefined;
  }
  return found;
}

const withoutKey = (text: string, key: string | undefined): string =>
  key === undefined || key === "" ? text : text.replaceAll(key, "<key>");

import { z } from "zod";
import { HarnessError, messageOf } from "../../base/errors.ts";

/** A language model behind one of the two interfaces that nearly all servers speak. */
export interface Model {
  readonly provider: "openai" | "anthropic";
  /** Base address, e.g. https://api.openai.com/v1 or http://localhost:8000/v1. */
  readonly url: string;
  readonly name: string;
  /** The key itself; undefined for a server that needs none. */
  readonly key?: string;
}

export interface AskOptions {
  readonly timeoutSeconds: number;
  readonly signal?: AbortSignal;
  /** How often it is asked again after a refusal that may pass. */
  readonly retries?: number;
  /** Milliseconds before it is asked again for the first time; twice as many each time after. */
  readonly pauseMs?: number;
}

const OpenAi = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().nullable() }) })).min(1),
});
const Anthropic = z.object({ content: z.array(z.object({ type: z.string(), text: z.string().optional() })) });
const mostTokens = 1024;
/** However long a server asks to be left alone. */
const longestPauseMs = 60_000;

/**
 * The model's answer to a prompt, at temperature 0.
 * @throws HarnessError jobFailed, cancelled
 */
export async function ask(model: Model, prompt: string, options: AskOptions): Promise<string> {
  const { retries = 4, pauseMs = 1000 } = options;
  for (let attempt = 0; ; attempt++) {
    const response = await request(model, prompt, options);
    if (response.ok) return textOf(model, await response.json());
    const passing = response.status === 429 || response.status >= 500;
    if (!passing || attempt >= retries)
      throw failed(model, `answered ${response.status}: ${(await response.text()).slice(0, 300)}`);
    await response.body?.cancel();
    const asked = Number(response.headers.get("retry-after") ?? NaN);
    await pause(
      Math.min(Number.isFinite(asked) ? asked * 1000 : pauseMs * 2 ** attempt, longestPauseMs),
      options.signal,
    );
  }
}

const failed = (model: Model, what: string): HarnessError =>
  new HarnessError("jobFailed", `The model ${model.name} at ${model.url} ${what}`);

async function request(
  model: Model,
  prompt: string,
  { timeoutSeconds, signal }: AskOptions,
): Promise<Response> {
  const limit = AbortSignal.timeout(timeoutSeconds * 1000);
  try {
    return await fetch(
      `${model.url.replace(/\/+$/, "")}/${model.provider === "openai" ? "chat/completions" : "messages"}`,
      {
        method: "POST",
        headers: { "content-type": "application/json", ...headersOf(model) },
        body: JSON.stringify({
          model: model.name,
          max_tokens: mostTokens,
          temperature: 0,
          messages: [{ role: "user", content: prompt }],
        }),
        signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      },
    );
  } catch (e) {
    if (signal?.aborted === true) throw new HarnessError("cancelled", "The judge was cancelled.");
    const cause = e instanceof Error && e.cause !== undefined ? messageOf(e.cause) : messageOf(e);
    throw failed(
      model,
      limit.aborted ? `did not answer within ${timeoutSeconds} s.` : `cannot be reached: ${cause}`,
    );
  }
}

function headersOf({ provider, key }: Model): Record<string, string> {
  if (provider === "anthropic")
    return { "anthropic-version": "2023-06-01", ...(key === undefined ? {} : { "x-api-key": key }) };
  return key === undefined ? {} : { authorization: `Bearer ${key}` };
}

function textOf(model: Model, body: unknown): string {
  if (model.provider === "openai") {
    const parsed = OpenAi.safeParse(body);
    if (parsed.success) return parsed.data.choices[0]?.message.content ?? "";
  } else {
    const parsed = Anthropic.safeParse(body);
    if (parsed.success) return parsed.data.content.map((part) => part.text ?? "").join("");
  }
  throw failed(model, "gave an answer that does not fit its interface.");
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      signal?.removeEventListener("abort", cancel);
      resolve();
    }
    function cancel(): void {
      clearTimeout(timer);
      reject(new HarnessError("cancelled", "The judge was cancelled."));
    }
    signal?.addEventListener("abort", cancel, { once: true });
  });
}

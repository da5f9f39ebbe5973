import { setTimeout as delay } from "node:timers/promises";
import { HarnessError, messageOf } from "../../base/errors.ts";

export interface FetchLimits {
  /** What the server is called in an error. */
  readonly server: string;
  /** For an answer with all of its body. */
  readonly timeoutSeconds: number;
  readonly bodyBytes: number;
  /** How often it is asked again after a refusal that may pass. */
  readonly retries: number;
  /** Milliseconds before it is asked again for the first time; twice as many each time after. */
  readonly pauseMs: number;
}

/** However long a server asks to be left alone. */
const longestPauseMs = 60_000;

/**
 * A fetch whose answers end: a server that hangs, sends without end or leads elsewhere is given up. What is refused for a
 * while (429, 5xx) is asked again, when the server says or later each time.
 * @throws HarnessError jobFailed, cancelled
 */
export function boundedFetch(limits: FetchLimits): typeof fetch {
  return async (input, init) => {
    const wanted = init?.signal ?? undefined;
    for (let attempt = 0; ; attempt++) {
      const response = await once(limits, input, init, wanted);
      const passes = response.status === 429 || response.status >= 500;
      if (!passes || attempt >= limits.retries) return response;
      const asked = Number(response.headers.get("retry-after") ?? NaN);
      const ms = Number.isFinite(asked) && asked >= 0 ? asked * 1000 : limits.pauseMs * 2 ** attempt;
      try {
        await delay(Math.min(ms, longestPauseMs), undefined, wanted === undefined ? {} : { signal: wanted });
      } catch {
        throw cancelled();
      }
    }
  };
}

const cancelled = (): HarnessError =>
  new HarnessError("cancelled", "The question to the model was cancelled.");

async function once(
  { server, timeoutSeconds, bodyBytes }: FetchLimits,
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
  wanted: AbortSignal | undefined,
): Promise<Response> {
  const failed = (what: string): HarnessError => new HarnessError("jobFailed", `The model ${server} ${what}`);
  const limit = AbortSignal.timeout(timeoutSeconds * 1000);
  const signal = wanted === undefined ? limit : AbortSignal.any([limit, wanted]);
  try {
    // Its key must reach no other server than the one that the project names.
    const response = await fetch(input, { ...init, signal, redirect: "error" });
    const body = await bodyOf(response, bodyBytes);
    if (body === undefined) throw failed(`answered with more than ${bodyBytes} bytes, so it was given up.`);
    return new Response(body, { status: response.status, headers: response.headers });
  } catch (e) {
    if (HarnessError.is(e)) throw e;
    if (wanted?.aborted === true) throw cancelled();
    if (limit.aborted) throw failed(`did not answer within ${timeoutSeconds} s.`);
    throw failed(
      `cannot be reached: ${e instanceof Error && e.cause !== undefined ? messageOf(e.cause) : messageOf(e)}`,
    );
  }
}

/** Undefined where it is longer than that; the rest is not read then. */
async function bodyOf(response: Response, most: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (response.body === null) return new Uint8Array();
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > most) {
      await response.body.cancel().catch(() => undefined);
      return undefined;
    }
    parts.push(part);
  }
  const body = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return body;
}

import { request, type IncomingMessage } from "node:http";
import { z } from "zod";
import { HarnessError, messageOf } from "../../base/errors.ts";
import { dashboardAway, RayAgent, type RayRoute } from "./rayRoute.ts";
import { wordsOf } from "../job/rayStates.ts";

/** What a job is submitted with; docs of Ray's Jobs REST API. */
export type RaySubmission = Readonly<Record<string, unknown>> & {
  readonly submission_id: string;
  readonly entrypoint: string;
};

const Version = z.object({ ray_version: z.string().regex(/^[0-9A-Za-z.+-]{1,60}$/) });

const RayJob = z.object({
  status: z.string().regex(/^[A-Z_]{1,40}$/),
  entrypoint: z.string(),
  message: z.string().nullish(),
  error_type: z.string().nullish(),
});
export type RayJob = z.infer<typeof RayJob>;

const Log = z.object({ logs: z.string() });
const Stopped = z.object({ stopped: z.boolean() });

const kilobyte = 1024;
/** What an answer may hold: a dashboard that sends more is cut off. */
const limits = { small: 256 * kilobyte, job: 1024 * kilobyte, log: 8 * 1024 * kilobyte };
/** For a whole answer, however slowly it comes. */
const patienceMilliseconds = 20_000;

export interface RayClientOptions {
  readonly route: RayRoute;
  /** The environment in which `tokenVariable` is looked up. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly patienceMilliseconds?: number;
}

interface Asked {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly body?: unknown;
  readonly limit?: number;
}

/**
 * Ray's Jobs REST API of one host. Ids are ours and need no escaping. Every call may be repeated, and
 * @throws HarnessError hostUnreachable, hostRefused (ssh's or the dashboard's), jobFailed (answers that are none)
 */
export class RayClient {
  readonly #route: RayRoute;
  readonly #agent: RayAgent;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #patience: number;

  constructor(options: RayClientOptions) {
    this.#route = options.route;
    this.#agent = new RayAgent(options.route);
    this.#environment = options.environment ?? process.env;
    this.#patience = options.patienceMilliseconds ?? patienceMilliseconds;
  }

  async version(): Promise<string> {
    return this.#read(Version, await this.#ask("/api/version")).ray_version;
  }

  /** Gives whether Ray has no other job with this id; "exists" says nothing about what that one runs. */
  async submit(submission: RaySubmission): Promise<"new" | "exists" | { refused: string }> {
    const answer = await this.#ask("/api/jobs/", { method: "POST", body: submission });
    if (isGood(answer)) return "new";
    if (/already exists/.test(answer.text)) return "exists";
    // It has no node yet that could take the job.
    if (answer.status === 503 || /No available agent|try again later/i.test(answer.text))
      throw dashboardAway(this.#route, answer.text);
    return { refused: wordsOf(answer.text) };
  }

  /** Undefined when Ray knows no such job. */
  async job(id: string): Promise<RayJob | undefined> {
    const answer = await this.#ask(`/api/jobs/${id}`, { limit: limits.job });
    return answer.status === 404 ? undefined : this.#read(RayJob, answer);
  }

  /** What the entrypoint printed, and Ray about it; undefined when there is none, or more than a few megabytes. */
  async log(id: string): Promise<string | undefined> {
    const answer = await this.#ask(`/api/jobs/${id}/logs`, { limit: limits.log });
    return isGood(answer) && !answer.isCut ? this.#read(Log, answer).logs : undefined;
  }

  /** Asks Ray to end a job; false when it has none that runs. */
  async stop(id: string): Promise<boolean> {
    const answer = await this.#ask(`/api/jobs/${id}/stop`, { method: "POST" });
    return answer.status === 404 ? false : this.#read(Stopped, answer).stopped;
  }

  /** Has Ray forget a job that is over; false when it does not. */
  async forget(id: string): Promise<boolean> {
    return isGood(await this.#ask(`/api/jobs/${id}`, { method: "DELETE" }));
  }

  close(): void {
    this.#agent.destroy();
  }

  #read<T>(schema: z.ZodType<T>, answer: Answer): T {
    if (isGood(answer) && !answer.isCut)
      try {
        return schema.parse(JSON.parse(answer.text));
      } catch {
        // Told below.
      }
    throw new HarnessError(
      "jobFailed",
      `The server at ${this.#route.ray.address} of the host ${this.#route.name} does not answer like Ray's dashboard (${answer.status}: ${wordsOf(answer.text) || "nothing"}); correct hosts.${this.#route.name}.ray.address.`,
    );
  }

  async #ask(path: string, asked: Asked = {}): Promise<Answer> {
    const { name, ray } = this.#route;
    const headers = this.#headers();
    // A connection that was kept may have ended meanwhile, and every call may be repeated.
    const again = (e: unknown) => {
      if (e instanceof KeptTooLong) return this.#send(path, asked, headers);
      throw e;
    };
    const answer = await this.#send(path, asked, headers)
      .catch(again)
      .catch((e: unknown) => {
        throw HarnessError.is(e) ? e : dashboardAway(this.#route, messageOf(e));
      });
    if (answer.status === 401 || answer.status === 403)
      throw new HarnessError(
        "hostRefused",
        ray.tokenVariable === undefined
          ? `Ray's dashboard on the host ${name} needs a token; name the variable with the token in hosts.${name}.ray.tokenVariable.`
          : `Ray's dashboard on the host ${name} does not accept the token in ${ray.tokenVariable}; put the cluster's token there.`,
      );
    if (answer.status === 502 || answer.status === 504) throw dashboardAway(this.#route, answer.text);
    return answer;
  }

  #headers(): Record<string, string> {
    const { name, ray } = this.#route;
    const token = ray.tokenVariable === undefined ? undefined : this.#environment[ray.tokenVariable]?.trim();
    if (ray.tokenVariable === undefined) return {};
    // The value is never told, not even a wrong one.
    if (token === undefined || !/^[\x21-\x7e]{1,8192}$/.test(token))
      throw new HarnessError(
        "hostRefused",
        `The variable ${ray.tokenVariable} holds no token for Ray's dashboard on the host ${name}; set it where you start the engine.`,
      );
    return { authorization: `Bearer ${token}` };
  }

  #send(
    path: string,
    { method = "GET", body, limit = limits.small }: Asked,
    headers: Record<string, string>,
  ) {
    return new Promise<Answer>((resolve, reject) => {
      const text = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
      const sent = request(
        {
          agent: this.#agent,
          host: "ray",
          method,
          path,
          headers: {
            ...headers,
            host: this.#route.ray.address,
            accept: "application/json",
            ...(text === undefined
              ? {}
              : { "content-type": "application/json", "content-length": text.length }),
          },
        },
        (response) => {
          readUpTo(response, limit).then(resolve, reject);
        },
      );
      let isLate = false;
      const late = setTimeout(() => {
        isLate = true;
        sent.destroy(new Error("timed out"));
      }, this.#patience);
      sent.on("close", () => clearTimeout(late));
      sent.on("error", (e) => reject(sent.reusedSocket && !isLate ? new KeptTooLong() : e));
      sent.end(text);
    });
  }
}

/** A connection from an earlier call was used, and had ended. */
class KeptTooLong extends Error {}

interface Answer {
  readonly status: number;
  readonly text: string;
  /** There was more than fits. */
  readonly isCut: boolean;
}

const isGood = ({ status }: Answer): boolean => status === 200;

/** The body of an answer; the rest of one that is too long is not waited for. */
function readUpTo(response: IncomingMessage, limit: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    const end = (isCut: boolean): void =>
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString("utf8"), isCut });
    response.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) parts.push(chunk);
      else {
        end(true);
        response.destroy();
      }
    });
    response.on("end", () => end(false));
    response.on("error", reject);
    response.on("close", () => reject(new Error("the answer ended early")));
  });
}

import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { SshPrompt } from "../../../../../shared/protocol/views/prompt.ts";
import { silentLog, type Log } from "../../../base/log.ts";
import { shellWord } from "../../../base/shellWord.ts";
import { isUsable, readPrompt } from "./promptText.ts";
import { TokenSocket } from "./tokenSocket.ts";

/** Who answers what ssh asks. */
export interface Answerer {
  /** Whether somebody is there. */
  canAsk(): boolean;
  /** The answer; undefined when the question was left. The signal is aborted when it need not be answered any more. */
  ask(prompt: SshPrompt, signal: AbortSignal): Promise<string | undefined>;
}

/** Why a connection was asked nothing more. */
export type Unanswered = "left" | "late" | "tooMany";

/** One ssh process that may ask. */
export interface Ticket {
  /** What makes ssh ask us instead of a terminal. */
  readonly environment: Readonly<Record<string, string>>;
  /** Somebody is being asked just now. */
  readonly isAsking: boolean;
  /** Milliseconds for which somebody was asked. */
  readonly waited: number;
  readonly unanswered: Unanswered | undefined;
  readonly close: () => void;
}

export interface PromptDeskOptions {
  /** Path of askpass.cjs. */
  readonly helper: string;
  readonly answerer: Answerer;
  /** How much one connection may ask; 12 by default: three passphrases, three passwords or codes, a host key, and a jump host. */
  readonly limit?: number;
  /** How long an answer may take; servers give up after two minutes. */
  readonly answerSeconds?: number;
  readonly log?: Log;
}

const Question = z.object({ text: z.string(), hint: z.string() });

/**
 * Passes on what ssh clients ask: each gets a helper program of its own as SSH_ASKPASS, which shows a token at a private socket.
 * One question is asked at a time. No answer is kept.
 */
export class PromptDesk {
  readonly #options: PromptDeskOptions;
  readonly #log: Log;
  #socket: TokenSocket | undefined;
  #programs: string | undefined;
  #tickets = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: PromptDeskOptions) {
    this.#options = options;
    this.#log = options.log ?? silentLog;
  }

  canAsk(): boolean {
    return process.platform !== "win32" && this.#options.answerer.canAsk();
  }

  /** For one ssh process to this host; `stop` is called when a question was not answered. Undefined where nothing can be asked. */
  ticket(host: string, stop: () => void): Ticket | undefined {
    if (!this.canAsk()) return undefined;
    const socket = (this.#socket ??= TokenSocket.open());
    const programs = socket === undefined ? undefined : (this.#programs ??= programFolder(socket.folder));
    if (socket === undefined || programs === undefined) {
      this.#log.warn(
        "hosts",
        "ssh cannot ask: there is no folder that only this user can enter and run programs in",
        {
          host,
        },
      );
      return undefined;
    }
    const name = `${++this.#tickets}`;
    const state = {
      asking: 0,
      asked: 0,
      waited: 0,
      last: "",
      unanswered: undefined as Unanswered | undefined,
    };
    const admitted = socket.admit(async (message, signal) => {
      const question = Question.safeParse(message).data;
      if (question === undefined || state.unanswered !== undefined) return {};
      state.asked++;
      const prompt: SshPrompt = {
        host,
        ...readPrompt(question.text, question.hint),
        repeated: question.text === state.last,
      };
      state.last = question.text;
      const end = (why: Unanswered): object => {
        state.unanswered = why;
        this.#log.info("hosts", "question of ssh not answered", { host, kind: prompt.kind, why });
        setImmediate(stop);
        return {};
      };
      if (state.asked > (this.#options.limit ?? 12)) return end("tooMany");
      if (prompt.kind === "notice") {
        await this.#options.answerer.ask(prompt, signal);
        return { answer: "" };
      }
      state.asking++;
      const since = Date.now();
      try {
        const answer = await this.answer(prompt, signal);
        if (answer === "late" || answer === "left") return end(answer);
        return { answer: answer.text };
      } finally {
        state.asking--;
        state.waited += Date.now() - since;
      }
    });
    const file = join(socket.folder, name);
    writeFileSync(file, JSON.stringify({ address: socket.address, token: admitted.token }), { mode: 0o600 });
    const program = join(programs, `ask-${name}`);
    const words = [process.execPath, this.#options.helper, file].map(shellWord).join(" ");
    // The program of an editor works as Node only when it is told to.
    writeFileSync(program, `#!/bin/sh\nELECTRON_RUN_AS_NODE=1 exec ${words} "$@"\n`, { mode: 0o700 });
    return {
      environment: { SSH_ASKPASS: program, SSH_ASKPASS_REQUIRE: "force" },
      get isAsking() {
        return state.asking > 0;
      },
      get waited() {
        return state.waited;
      },
      get unanswered() {
        return state.unanswered;
      },
      close: () => {
        admitted.revoke();
        for (const path of [file, program]) rmSync(path, { force: true });
      },
    };
  }

  /** Asks when nobody else is asked. What is no answer counts as left. */
  async answer(prompt: SshPrompt, signal: AbortSignal): Promise<{ readonly text: string } | "left" | "late"> {
    const before = this.#turn;
    let over = (): void => undefined;
    this.#turn = new Promise<void>((resolve) => (over = resolve));
    try {
      await before;
      if (signal.aborted) return "left";
      const late = AbortSignal.timeout(1000 * (this.#options.answerSeconds ?? 120));
      const { answerer } = this.#options;
      const text = await answerer.ask(prompt, AbortSignal.any([signal, late])).catch((e: unknown) => {
        this.#log.warn("hosts", "a question of ssh could not be asked", { error: String(e) });
        return undefined;
      });
      if (late.aborted) return "late";
      if (text === undefined || !isUsable(prompt.kind, text) || (prompt.kind !== "secret" && text === "no"))
        return "left";
      return { text };
    } finally {
      over();
    }
  }

  close(): void {
    this.#socket?.close();
    if (this.#programs !== undefined && this.#programs !== this.#socket?.folder)
      rmSync(this.#programs, { recursive: true, force: true });
    this.#socket = undefined;
    this.#programs = undefined;
  }
}

/** Where programs may be run: some systems forbid it in the folder for temporary files. */
function programFolder(usual: string): string | undefined {
  const other = process.env["XDG_RUNTIME_DIR"] ?? "";
  for (const make of [() => usual, () => mkdtempSync(join(other, "evotrainer-ask-"))])
    try {
      const folder = make();
      const probe = join(folder, "probe");
      writeFileSync(probe, "#!/bin/sh\n", { mode: 0o700 });
      try {
        accessSync(probe, constants.X_OK);
        return folder;
      } finally {
        rmSync(probe);
      }
    } catch {
      continue;
    }
  return undefined;
}

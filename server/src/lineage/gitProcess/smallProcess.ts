import { fork, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { join, parse } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import type { ProgramCommand, ProgramEnd, ProgramStart } from "./program.ts";
import { receivedError, type GitCommand, type GitRequest, type Reply, type Request } from "./wire.ts";

/** A process that asks git so seldom does not win back what it costs to start another one. */
const askedBefore = 8;
let asked = 0;
let running: SmallProcess | undefined;

/** The small process that starts programs for this one; undefined where this one is to start them itself. */
export function smallProcess(): SmallProcess | undefined {
  if (running !== undefined) return running.isReady ? running : undefined;
  asked += 1;
  // Run from its sources, as tests do, this file has no bundle beside it.
  const program = typeof __dirname === "string" ? join(__dirname, "git.cjs") : "";
  if (asked <= askedBefore || !existsSync(program)) return undefined;
  running = new SmallProcess(program, () => {
    running = undefined;
    asked = 0;
  });
  return undefined;
}

interface Waiting {
  /** Takes what comes; true where nothing else does. */
  readonly take: (reply: Exclude<Reply, { readonly error: unknown }>) => boolean;
  readonly reject: (e: Error) => void;
  /** Whether this process stays for it. */
  readonly isAwaited: boolean;
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Ends with the process that started it, whatever ends that. */
export class SmallProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  isReady = false;

  constructor(program: string, onEnd: () => void) {
    this.#child = fork(program, [], {
      // Of its own session: an interrupt at the terminal is for the engine, which first finishes what it is writing.
      detached: true,
      cwd: parse(program).root,
      execArgv: [],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.#child.once("spawn", () => (this.isReady = true));
    this.#child.on("message", (reply: Reply) => this.#take(reply));
    const end = (): void => {
      this.isReady = false;
      onEnd();
      for (const { reject } of this.#waiting.values()) reject(lost());
      this.#waiting.clear();
    };
    this.#child.once("error", end);
    this.#child.once("exit", end);
    this.#rest();
  }

  /** Its number; undefined where it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  async text(command: GitCommand): Promise<string> {
    const output = await this.#git("text", command);
    return typeof output === "string" ? output : Buffer.from(output).toString("utf8");
  }

  async bytes(command: GitCommand): Promise<Buffer> {
    const output = await this.#git("bytes", command);
    return typeof output === "string" ? Buffer.from(output) : asBuffer(output);
  }

  async stream(command: GitCommand, onPiece: (piece: Buffer) => void): Promise<void> {
    await this.#git("stream", command, onPiece);
  }

  /**
   * Runs another program. With a log it is left to itself: this process may end before it does.
   * @throws HarnessError gitFailed when the small process has ended, whatever became of the program
   */
  program(command: ProgramCommand, onStart?: (start: ProgramStart) => void): Promise<ProgramEnd> {
    return new Promise((resolve, reject) => {
      const take: Waiting["take"] = (reply) => {
        if ("started" in reply) onStart?.(reply.started);
        if (!("ended" in reply)) return false;
        resolve(reply.ended);
        return true;
      };
      this.#ask((id) => ({ id, answer: "program", command }), {
        ...{ take, reject, isAwaited: command.log === undefined },
      });
    });
  }

  #git(
    answer: GitRequest["answer"],
    command: GitCommand,
    onPiece?: (piece: Buffer) => void,
  ): Promise<string | Uint8Array> {
    return new Promise((resolve, reject) => {
      const take: Waiting["take"] = (reply) => {
        if ("piece" in reply) onPiece?.(asBuffer(reply.piece));
        if (!("output" in reply)) return false;
        resolve(reply.output);
        return true;
      };
      this.#ask((id) => ({ id, answer, command }), { take, reject, isAwaited: true });
    });
  }

  #ask(requestOf: (id: number) => Request, waiting: Waiting): void {
    const id = (this.#last += 1);
    this.#waiting.set(id, waiting);
    if (waiting.isAwaited) {
      this.#child.ref();
      this.#child.channel?.ref();
    }
    this.#child.send(requestOf(id), (e) => {
      if (e === null || !this.#waiting.delete(id)) return;
      waiting.reject(lost());
      this.#rest();
    });
  }

  #take(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    try {
      if ("error" in reply) waiting?.reject(receivedError(reply.error));
      else if (waiting?.take(reply) !== true) return;
    } catch (e) {
      // The other pieces still come, and nobody waits for them.
      waiting?.reject(e instanceof Error ? e : new Error(String(e)));
    }
    this.#waiting.delete(reply.id);
    this.#rest();
  }

  /** While nobody waits for an answer it keeps no process from ending. */
  #rest(): void {
    for (const { isAwaited } of this.#waiting.values()) if (isAwaited) return;
    this.#child.unref();
    this.#child.channel?.unref();
  }
}

function lost(): HarnessError {
  // No GitError: git has not answered, so nobody may take this for one of its answers.
  return new HarnessError("gitFailed", "The process that runs git for EvoTrainer has ended; try again.");
}

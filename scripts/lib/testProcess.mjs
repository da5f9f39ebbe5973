import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, relative } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { giveWay, root } from "./process.mjs";

/**
 * @typedef {{ title: string, state: "passed" | "failed" | "skipped", error?: string, milliseconds?: number }} Verdict
 * @typedef {{ verdicts: Verdict[], milliseconds: number, processor?: number }} FileResult
 *   processor: milliseconds of processor time
 */

/** Tests that hang end by their own timeouts; this is for what those cannot end. */
const limitOfFile = 40 * 60_000;

/** What files leave in memory adds up: a process that holds more bytes than this gives way to a new one. */
const mostMemory = 1.2e9;

/** Milliseconds after which a process that has no more files is ended, whatever it still does. */
const longestEnd = 20_000;

/** A process that runs test files one after another; when one of them ends it or hangs, the next begins a new process. */
export class TestProcess {
  #child;
  #output = "";
  #isBusy = false;
  #last = "";
  /** What a file that had ended left behind and ended the process by. */
  #late = [];
  #givesWay;

  /** @param {{ givesWay?: boolean }} [options] givesWay: to processes that wait more than they compute */
  constructor({ givesWay = false } = {}) {
    this.#givesWay = givesWay;
  }

  /**
   * @param {{ file: string, module: string, timeout: number, env: Record<string, string> }} order
   * @returns {Promise<FileResult>}
   */
  async run(order) {
    const began = performance.now();
    const file = relative(root, order.file);
    const { memory = 0, ...answer } = await this.#ask(order);
    this.#last = file;
    if (memory > mostMemory) await this.close();
    if (answer.verdicts?.length > 0)
      return { ...answer, verdicts: [...answer.verdicts, ...this.#late.splice(0)] };
    const failed = (title, error) => ({
      verdicts: [{ title: `${file} ${title}`, state: "failed", error }],
      milliseconds: Math.round(performance.now() - began),
    });
    return answer.verdicts ? failed("has tests", "No test ran.") : failed("ran to its end", answer.error);
  }

  /** Ends the process after it has ended what its files left running for those that come next. */
  async close() {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    const gone = once(child, "exit");
    child.send({ isLast: true }, () => undefined);
    await Promise.race([gone, wait(longestEnd, undefined, { ref: false })]);
    this.#child = child;
    this.end();
  }

  end() {
    if (this.#child === undefined) return;
    try {
      process.kill(-this.#child.pid, "SIGKILL");
    } catch {
      // Gone already.
    }
    this.#child = undefined;
  }

  #start() {
    const child = spawn(
      process.execPath,
      ["--enable-source-maps", join(root, "scripts/lib/testWorker.mjs")],
      {
        cwd: root,
        env: { ...process.env, NO_COLOR: "1" },
        stdio: ["ignore", "pipe", "pipe", "ipc"],
        // What a test leaves behind is in the group and ended with it.
        detached: true,
      },
    );
    this.#child = child;
    if (this.#givesWay && child.pid !== undefined) giveWay(child.pid);
    child.once("exit", (code, signal) => {
      if (this.#child !== child) return;
      const title = `${this.#last} leaves nothing behind that fails after its end`;
      if (!this.#isBusy)
        this.#late.push({ title, state: "failed", error: `${signal ?? code}\n${this.#output.trimEnd()}` });
      this.end();
    });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => {
        this.#output = (this.#output + text).slice(-10_000);
      });
  }

  #ask(order) {
    this.#output = "";
    if (this.#child === undefined) this.#start();
    const child = this.#child;
    return new Promise((resolve) => {
      this.#isBusy = true;
      const settle = (answer) => {
        this.#isBusy = false;
        clearTimeout(timer);
        child.off("exit", onExit).off("message", settle);
        resolve(answer);
      };
      const broken = (how) => {
        this.end();
        settle({ error: `${how}\n${this.#output.trimEnd()}` });
      };
      const onExit = async (code, signal) => {
        // The last that it said may come after its end; a program that it left behind may keep the stream open.
        await Promise.race([once(child, "close"), wait(1000)]);
        broken(`Its process ended with ${signal ?? code}.`);
      };
      const timer = setTimeout(
        () => broken(`It was ended after ${limitOfFile / 60_000} minutes.`),
        limitOfFile,
      );
      child.on("exit", onExit).on("message", settle);
      child.send(order, (error) => {
        if (error) broken(String(error));
      });
    });
  }
}

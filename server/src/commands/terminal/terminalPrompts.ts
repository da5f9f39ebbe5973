import { closeSync, openSync } from "node:fs";
import { ReadStream, WriteStream } from "node:tty";
import type { SshPrompt } from "../../../../shared/protocol/views/prompt.ts";
import { inHangingBlock, inLine } from "../../base/plainText.ts";
import { attachAnswerer } from "../../engine/hosts/whoAnswers.ts";

const device = "/dev/tty";

/** From now on the terminal of this process is asked what ssh asks; a process without one leaves that to an editor. */
export function askInTerminal(): void {
  attachAnswerer({ canAsk: hasTerminal, ask });
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync(device, "r+"));
    return true;
  } catch {
    return false;
  }
}

/** The terminal itself is read, whatever standard input is. Nothing of a secret is shown. */
function ask({ host, kind, text, repeated }: SshPrompt, signal: AbortSignal): Promise<string | undefined> {
  const output = new WriteStream(openSync(device, "w"));
  const input = new ReadStream(openSync(device, "r"));
  const again = repeated ? " (once more: the last answer was wrong)" : "";
  const end = kind === "notice" ? "\n" : kind === "confirm" ? " (yes/no) " : " ";
  output.write(`\n${inLine(host)}${again}: ${inHangingBlock(text)}${end}`);
  return new Promise((resolve) => {
    let answer = "";
    const done = (given: string | undefined): void => {
      signal.removeEventListener("abort", stop);
      input.setRawMode(false);
      input.destroy();
      output.end("\n", () => output.destroy());
      resolve(given);
    };
    const stop = (): void => done(undefined);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) {
      stop();
      return;
    }
    input.setRawMode(true).setEncoding("utf8");
    input.on("error", stop);
    input.on("data", (typed: string) => {
      for (const key of typed)
        switch (key) {
          case "\r":
          case "\n":
            if (kind === "notice") break;
            done(answer);
            return;
          case "\u0003":
            done(undefined);
            process.kill(process.pid, "SIGINT");
            return;
          case "\u0004":
            done(undefined);
            return;
          case "\u0015":
            answer = "";
            break;
          case "\u007f":
          case "\b":
            if (kind !== "secret" && answer !== "") output.write("\b \b");
            answer = Array.from(answer).slice(0, -1).join("");
            break;
          default:
            if (key < " ") break;
            answer += key;
            if (kind !== "secret") output.write(inLine(key));
        }
    });
  });
}

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { SshPrompt } from "../../../../shared/protocol/views/prompt.ts";
import { identify } from "../../runner/job/processes.ts";
import { ownFolder } from "../../runner/ssh/prompts/ownFolder.ts";
import type { Answerer, PromptDesk } from "../../runner/ssh/prompts/promptDesk.ts";
import { callSocket, TokenSocket } from "../../runner/ssh/prompts/tokenSocket.ts";

const Offer = z.object({
  pid: z.int().positive(),
  start: z.string(),
  address: z.string(),
  token: z.string(),
});
type Offer = z.infer<typeof Offer>;
const Asked = z.object({ prompt: SshPrompt });
const Answered = z.object({ answer: z.string().optional() });

/** Names of the files in which processes offer to answer for a project. */
function prefixOf(root: string): string {
  return `answers-${createHash("sha256").update(real(root)).digest("hex").slice(0, 16)}-`;
}

function real(root: string): string {
  try {
    return realpathSync(root);
  } catch {
    return root;
  }
}

/**
 * Lets other processes that work on a project, such as its evolution, put their questions to this one. They find it in a
 * folder that only this user can enter. Gives what ends it.
 */
export function offerAnswers(root: string, desk: PromptDesk): () => void {
  const folder = ownFolder();
  const socket = folder === undefined ? undefined : TokenSocket.open();
  if (folder === undefined || socket === undefined) return () => undefined;
  const { token } = socket.admit(async (message, signal) => {
    const asked = Asked.safeParse(message).data;
    if (asked === undefined) return {};
    const answer = await desk.answer(asked.prompt, signal);
    return typeof answer === "string" ? {} : { answer: answer.text };
  });
  const path = join(folder, `${prefixOf(root)}${process.pid}`);
  const remove = (): void => rmSync(path, { force: true });
  const { pid } = process;
  const offer: Offer = { pid, start: identify(pid)?.start ?? "", address: socket.address, token };
  writeFileSync(path, JSON.stringify(offer), { mode: 0o600 });
  process.once("exit", remove);
  return () => {
    process.off("exit", remove);
    remove();
    socket.close();
  };
}

/** Puts questions to a process that has offered to answer for a project. */
export function relayTo(root: string): Answerer {
  return {
    canAsk: () => offersFor(root).length > 0,
    ask: async (prompt, signal) => {
      for (const { address, token } of offersFor(root)) {
        const reply = Answered.safeParse(await callSocket(address, { token, prompt }, signal));
        // One that does not reply has ended meanwhile.
        if (reply.success) return reply.data.answer;
        if (signal.aborted) return undefined;
      }
      return undefined;
    },
  };
}

/** Of processes that live; files of others are removed. */
function offersFor(root: string): Offer[] {
  const folder = ownFolder();
  if (folder === undefined) return [];
  const prefix = prefixOf(root);
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix))
    .flatMap((name) => {
      const offer = readOffer(join(folder, name));
      if (offer !== undefined && identify(offer.pid)?.start === offer.start) return [offer];
      rmSync(join(folder, name), { force: true });
      return [];
    });
}

function readOffer(path: string): Offer | undefined {
  try {
    return Offer.safeParse(JSON.parse(readFileSync(path, "utf8"))).data;
  } catch {
    return undefined;
  }
}

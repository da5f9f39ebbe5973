import { CancellationTokenSource } from "vscode-languageserver/node";
import { hostsMethod } from "../../../../shared/protocol/lsp.ts";
import {
  promptMethod,
  PromptReply,
  type PromptParams,
  type SshPrompt,
} from "../../../../shared/protocol/views/prompt.ts";
import { z } from "zod";
import type { TokenSocket } from "../../runner/ssh/prompts/tokenSocket.ts";
import type { Session } from "./session/session.ts";

const Answer = z.object({ answer: z.string() });

/**
 * What the engine is to know of the editor before it is asked about a project, in a workspace that is trusted: the hosts of its
 * settings, and that it answers what ssh asks, for this process and for others that work on the project.
 */
export function tellEngineOfEditor(session: Session): (root: string) => Promise<void> {
  const offered = new Set<string>();
  let told: unknown;
  let offer: Promise<(root: string) => void> | undefined;
  session.connection.onNotification(hostsMethod, (hosts: unknown) => {
    session.hosts = hosts;
  });
  return async (root) => {
    if (!session.trusted) return;
    if (session.hosts !== told) {
      const { setEditorHosts } = await import("../../engine/hosts/knownHosts.ts");
      setEditorHosts(session.hosts);
      told = session.hosts;
    }
    if (!session.prompts || offered.has(root)) return;
    offered.add(root);
    offer ??= attach(session);
    (await offer)(root);
  };
}

async function attach(session: Session): Promise<(root: string) => void> {
  const [{ attachAnswerer }, { offerAnswers }, { TokenSocket }] = await Promise.all([
    import("../../engine/hosts/whoAnswers.ts"),
    import("../../engine/hosts/relay.ts"),
    import("../../runner/ssh/prompts/tokenSocket.ts"),
  ]);
  let socket: TokenSocket | undefined;
  const desk = attachAnswerer({
    canAsk: () => session.prompts && session.trusted,
    ask: (prompt, signal) => {
      socket ??= TokenSocket.open();
      return socket === undefined ? Promise.resolve(undefined) : ask(session, socket, prompt, signal);
    },
  });
  return (root) => void offerAnswers(root, desk);
}

/** The editor sends the answer to a socket of ours, so that no trace of the protocol holds it. */
async function ask(
  { connection, log }: Session,
  socket: TokenSocket,
  prompt: SshPrompt,
  signal: AbortSignal,
): Promise<string | undefined> {
  let answer: string | undefined;
  const { token, revoke } = socket.admit((message) => {
    answer ??= Answer.safeParse(message).data?.answer;
    return Promise.resolve({ taken: true });
  });
  const cancel = new CancellationTokenSource();
  const stop = (): void => cancel.cancel();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    const params: PromptParams = { ...prompt, address: socket.address, token };
    const reply = PromptReply.parse(await connection.sendRequest(promptMethod, params, cancel.token));
    return reply.answered ? answer : undefined;
  } catch (e) {
    // Cancelled, or an editor that went away.
    if (!signal.aborted) log.warn("hosts", "the editor did not take a question", { error: String(e) });
    return undefined;
  } finally {
    signal.removeEventListener("abort", stop);
    revoke();
    cancel.dispose();
  }
}

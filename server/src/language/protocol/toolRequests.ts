import type { CancellationToken } from "vscode-languageserver/node";
import { toolMethod, ToolParams, type ToolReply } from "../../../../shared/protocol/lsp.ts";
import type { Session } from "./session/session.ts";

/** Runs a tool over the projects of a workspace. */
export type CallTool = (
  roots: readonly string[],
  call: { readonly name: string; readonly input: unknown; readonly signal: AbortSignal },
) => Promise<ToolReply>;

/** Answers what an assistant asks through the editor, in a workspace that is trusted. */
export function answerTools(session: Session, callTool: CallTool): void {
  const { connection, index } = session;
  connection.onRequest(toolMethod, async (given: unknown, token: CancellationToken): Promise<ToolReply> => {
    await session.ready;
    const { name, input } = ToolParams.parse(given);
    if (!session.trusted)
      return {
        isError: true,
        text: "This workspace is not trusted; EvoTrainer reads its evidence only after the user trusts it.",
      };
    const stop = new AbortController();
    const subscription = token.onCancellationRequested(() => stop.abort());
    try {
      return await callTool(index.projects, { name, input, signal: stop.signal });
    } finally {
      subscription.dispose();
    }
  });
}

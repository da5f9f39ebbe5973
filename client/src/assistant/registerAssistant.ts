import * as vscode from "vscode";
import type { Server } from "../connection/languageClient.ts";
import { contributedTools, type ContributedTool, type Manifest } from "./contributedTools.ts";
import { mcpServers } from "./mcpServers.ts";

type Dependencies = {
  readonly extension: vscode.Extension<unknown>;
  readonly server: Server;
  readonly log: vscode.LogOutputChannel;
};

/** Offers the tools of the server to the editor's language models, and the MCP server to whoever reads the editor's list of them; nothing before the workspace is trusted. */
export function registerAssistant({ extension, server, log }: Dependencies): vscode.Disposable {
  const own: vscode.Disposable[] = [];
  const offer = (): void => {
    // Our own manifest: this part of it is written from the tools (scripts/writeContributions.ts).
    for (const tool of contributedTools(extension.packageJSON as Manifest))
      own.push(vscode.lm.registerTool(tool.name, languageModelTool(server, tool)));
    own.push(vscode.lm.registerMcpServerDefinitionProvider("evotrainer.tools", mcpServers(extension)));
    log.debug("[assistant] tools are offered");
  };
  if (vscode.workspace.isTrusted) offer();
  else own.push(vscode.workspace.onDidGrantWorkspaceTrust(offer));
  return new vscode.Disposable(() => {
    for (const one of own) one.dispose();
  });
}

/** A tool is run by the server; what it refuses is an error that the model reads. */
function languageModelTool(server: Server, tool: ContributedTool): vscode.LanguageModelTool<object> {
  return {
    prepareInvocation: ({ input }) => ({
      invocationMessage: tool.displayName,
      ...(tool.writes
        ? {
            confirmationMessages: {
              title: tool.displayName,
              message: `The assistant wants to write to the project. Its input: ${JSON.stringify(input).slice(0, 2000)}`,
            },
          }
        : {}),
    }),
    invoke: async ({ input }, token) => {
      if (server.state() === "stopped")
        throw new Error("The language server is not running; ask the user to restart it.");
      const { text, isError } = await server.tool(tool.name, input, token);
      if (isError) throw new Error(text);
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
    },
  };
}

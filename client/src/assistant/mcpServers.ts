import { basename, dirname, join } from "node:path";
import * as vscode from "vscode";

/** More projects than anybody has open at once. */
const mostProjects = 20;

/** The MCP servers of the workspace: one for each project. The editor starts one when it is asked for, never by itself. */
export function mcpServers(
  extension: vscode.Extension<unknown>,
): vscode.McpServerDefinitionProvider<vscode.McpStdioServerDefinition> {
  const cli = join(extension.extensionPath, "dist", "cli.cjs");
  return {
    provideMcpServerDefinitions: async (token) => {
      if (!vscode.workspace.isTrusted) return [];
      const found = await vscode.workspace.findFiles(
        "**/evotrainer.yaml",
        "**/{node_modules,.evotrainer}/**",
        mostProjects,
        token,
      );
      return found
        .filter(({ scheme }) => scheme === "file")
        .map(({ fsPath }) => {
          const root = dirname(fsPath);
          const args = [cli, "mcp", "--project", root];
          // The editor's own executable is a Node only when it is told so.
          const env = { ELECTRON_RUN_AS_NODE: "1" };
          return new vscode.McpStdioServerDefinition(
            `EvoTrainer (${basename(root)})`,
            process.execPath,
            args,
            env,
          );
        });
    },
  };
}

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Profile } from "./profile.ts";
import { until } from "./workbench.ts";

/** Runs as an extension beside the tested one: it does in the editor what it is told over HTTP. */
const main = `const vscode = require("vscode");
exports.activate = () => {
  const server = require("node:http").createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { theme, command, args } = JSON.parse(text);
    try {
      if (theme === undefined) await vscode.commands.executeCommand(command, ...args);
      else await vscode.workspace.getConfiguration("workbench").update("colorTheme", theme, true);
      response.end("done");
    } catch (error) {
      response.end(String(error));
    }
  });
  server.listen(0, "127.0.0.1", () =>
    require("node:fs").writeFileSync(require("node:path").join(__dirname, "port"), String(server.address().port)),
  );
};
`;
const manifest = {
  ...{ name: "remote", publisher: "test", version: "0.0.1", engines: { vscode: "^1.100.0" } },
  ...{ main: "./main.cjs", activationEvents: ["*"] },
};

/**
 * Commands with arguments and the theme of a running editor, which otherwise take a palette each: for tests of what a view
 * shows, not of how a person comes to it.
 */
export class Remote {
  readonly #folder: string;
  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Into a profile that has the tested extension, before its editor starts. */
  static installIn({ extensions }: Profile): Remote {
    const folder = join(extensions, "test.remote-0.0.1");
    mkdirSync(folder);
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(folder, "main.cjs"), main);
    const list = join(extensions, "extensions.json");
    const known = z.array(z.unknown()).parse(JSON.parse(readFileSync(list, "utf8")));
    const entry = {
      identifier: { id: "test.remote" },
      version: manifest.version,
      location: { $mid: 1, path: folder, scheme: "file" },
      relativeLocation: "test.remote-0.0.1",
    };
    writeFileSync(list, JSON.stringify([...known, entry]));
    return new Remote(folder);
  }

  async #tell(order: object): Promise<void> {
    let said = "";
    // The port of a window before this one is closed.
    await until("the editor to do as it is told", async () => {
      try {
        const port = readFileSync(join(this.#folder, "port"), "utf8");
        const answer = await fetch(`http://127.0.0.1:${port}/`, {
          method: "POST",
          body: JSON.stringify(order),
        });
        said = await answer.text();
        return true;
      } catch {
        return false;
      }
    });
    if (said !== "done") throw new Error(`${JSON.stringify(order)}: ${said}`);
  }

  command(command: string, ...args: readonly unknown[]): Promise<void> {
    return this.#tell({ command, args });
  }

  theme(theme: string): Promise<void> {
    return this.#tell({ theme });
  }
}

import { positive } from "../terminal/options.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";

export const addLsp: AddVerb = (program, { serveEditor }) => {
  program
    .command("lsp")
    .description("run the language server for an editor, by default on standard input and output")
    .option("--stdio", "on standard input and output")
    .option("--socket <port>", "on a port that the editor listens on", positive)
    .option("--pipe <name>", "on a socket or named pipe that the editor listens on")
    .option("--clientProcessId <pid>", "end when this process ends")
    .action(async (o: Given<{ socket?: number; pipe?: string }>) => {
      if (o.socket === undefined && o.pipe === undefined) process.argv.push("--stdio");
      await serveEditor();
    });
};

import { writeFileSync } from "node:fs";
import * as vscode from "vscode";

async function timed(id: string): Promise<number> {
  const extension = vscode.extensions.getExtension(id);
  if (!extension) throw new Error(`${id} is not installed.`);
  if (extension.isActive) throw new Error(`${id} is active already.`);
  const start = performance.now();
  await extension.activate();
  return performance.now() - start;
}

/** Run by the extension host: activates an empty extension and ours, and writes down how long each took. */
export async function run(): Promise<void> {
  const empty = await timed("test.harness");
  const ours = await timed("evotrainer.evotrainer");
  writeFileSync(process.env["EVOTRAINER_REPORT"] ?? "", JSON.stringify({ ours, empty }));
}

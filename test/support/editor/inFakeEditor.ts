import { register } from "node:module";
import type * as Fake from "./fakeVscode.ts";

const fake = new URL("fakeVscode.ts", import.meta.url).href;
const hooks = `export const resolve = (name, context, next) =>
  name === "vscode" ? { url: ${JSON.stringify(fake)}, shortCircuit: true } : next(name, context);`;

/** From here on what imports the editor's interface gets the fake one, which is handed over. */
export async function inFakeEditor(): Promise<typeof Fake> {
  register(`data:text/javascript,${encodeURIComponent(hooks)}`);
  return import("./fakeVscode.ts");
}

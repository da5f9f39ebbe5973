import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type Mocha from "mocha";
import * as exported from "mocha";
import { patience } from "../../support/base/patience.ts";

/** In the editor's Node 24 the class is the module itself, in Node 22 of an old editor a part of it; both have it by its name. */
const { Mocha: Runner } = exported as unknown as { readonly Mocha: typeof Mocha };

/** The extension host loads this file and calls run(); the report is what counts (see launcher/inHost.ts). */
export function run(): Promise<void> {
  const mocha = new Runner({ color: false, timeout: 30_000 * patience });
  for (const file of readdirSync(__dirname).sort())
    if (file.endsWith(".test.cjs")) mocha.addFile(join(__dirname, file));
  return new Promise((resolve, reject) => {
    const tests: { title: string; state: "passed" | "failed" | "skipped"; error?: string }[] = [];
    const runner = mocha.run((failures) => {
      const report = process.env["EVOTRAINER_REPORT"];
      if (report !== undefined) writeFileSync(report, JSON.stringify(tests));
      if (failures > 0) reject(new Error(`${failures} failed`));
      else resolve();
    });
    runner.on("pass", (test) => tests.push({ title: test.fullTitle(), state: "passed" }));
    runner.on("fail", (test, error: unknown) =>
      tests.push({
        title: test.fullTitle(),
        state: "failed",
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }),
    );
    runner.on("pending", (test) => tests.push({ title: test.fullTitle(), state: "skipped" }));
  });
}

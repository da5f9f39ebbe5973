import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { skipBecause } from "../support/base/skip.ts";
import { sampleProject } from "../support/language/sampleProject.ts";
import { workspace } from "./connect.ts";
import { patience } from "../support/base/patience.ts";

const cli = new URL("../../dist/cli.cjs", import.meta.url).pathname;
const script = new URL("./neovim.lua", import.meta.url).pathname;
const page = new URL("../../docs/editors.md", import.meta.url).pathname;
const neovim = process.env.EVOTRAINER_NEOVIM ?? "/usr/bin/nvim";

const Result = z.object({
  failure: z.string().optional(),
  findings: z
    .array(z.object({ line: z.int(), column: z.int(), source: z.string(), message: z.string() }))
    .default([]),
  completion: z.array(z.string()).default([]),
  hover: z.string().default(""),
  actions: z.array(z.string()).default([]),
});

/** The lines that the page gives for each release of Neovim. */
function linesOfPage(): readonly (readonly [name: string, lines: string])[] {
  const [, section = ""] = /\n## Neovim\n([^]*?)\n## /.exec(readFileSync(page, "utf8")) ?? [];
  const found = [...section.matchAll(/\nIn (0\.\d+)[^]*?```lua\n([^]*?)```/g)];
  return found.map(([, release = "", lines = ""]) => [`${release}.lua`, lines]);
}

describe("Neovim's built-in client", () => {
  before(function () {
    const missing = process.env.EVOTRAINER_NEOVIM_MISSING ?? "";
    if (!existsSync(neovim))
      skipBecause(this, missing === "" ? `there is no ${neovim}; npm test installs it` : missing);
    assert.ok(existsSync(cli), "dist/cli.cjs is missing; run npm run build");
  });

  it("shows a mistake, completes, explains and corrects it, with the lines of the page on editors", async function () {
    this.timeout(60_000);
    const spec = "harness/diagnostics/ü 𝔸.diagnostic.yaml";
    const files = workspace({
      ...sampleProject,
      [spec]: `apiVersion: evotrainer/v1
kind: Diagnostic
name: a
label:
  when: outcome == "fail" # 𝔸
  severty: info
alert: { above: 0.5 }
`,
    });
    const out = join(files.root, "result.json");
    const [bin, lines] = [join(files.root, "bin"), join(files.root, "lines")];
    for (const folder of [bin, lines]) mkdirSync(folder);
    const program = `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`;
    writeFileSync(join(bin, "evotrainer"), program, { mode: 0o755 });
    assert.deepEqual(
      linesOfPage().map(([name]) => name),
      ["0.11.lua", "0.10.lua", "0.7.lua"],
    );
    for (const [name, text] of linesOfPage()) writeFileSync(join(lines, name), text);
    const env = {
      ...process.env,
      PATH: `${bin}:${process.env["PATH"] ?? ""}`,
      HOME: files.root,
      XDG_CONFIG_HOME: files.root,
      XDG_DATA_HOME: files.root,
      XDG_STATE_HOME: files.root,
      XDG_CACHE_HOME: files.root,
      EVOTRAINER_TRY: [files.root, spec, out, lines].join("\n"),
    };
    await promisify(execFile)(neovim, ["--headless", "-u", "NONE", "-i", "NONE", "-n", "-S", script], {
      env,
      cwd: files.root,
      timeout: 55_000 * patience,
    });
    const result = Result.parse(JSON.parse(readFileSync(out, "utf8")));
    assert.equal(result.failure, undefined);
    assert.deepEqual(
      result.findings.map(({ line, column, source }) => [line, column, source]),
      [[5, 2, "evotrainer"]],
    );
    assert.match(result.findings[0]?.message ?? "", /Did you mean "severity"/);
    assert.ok(result.completion.includes("severity"), result.completion.join());
    assert.match(result.hover, /CEL over one rollout/);
    assert.equal(result.actions[0], 'Change to "severity"');
    assert.match(readFileSync(join(files.root, spec), "utf8"), /\n {2}severity: info\n/);
    files.remove();
  });
});

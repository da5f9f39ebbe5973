import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { evotrainer } from "../../engine/cli.ts";
import { EditorSession, keepFailures } from "../launcher/session.ts";
import { until, type Workbench } from "../launcher/workbench.ts";
import { patience } from "../../support/base/patience.ts";
import { removeInUse } from "../../support/base/removeInUse.ts";

const diagnostic = (name: string, when: string): string => `apiVersion: evotrainer/v1
kind: Diagnostic
name: ${name}
label: { when: "${when}" }
`;
/** verl's dumps: a third of the answers lack the line that the grader reads. */
const dump = Array.from({ length: 300 }, (_, i) =>
  JSON.stringify({
    input: `user\nHow much is ${Math.floor(i / 3)} + 1?\nassistant\n`,
    output: i % 3 === 0 ? "It is some number." : `#### ${Math.floor(i / 3) + 1}`,
    score: i % 3 === 0 ? 0 : 1,
    step: 1,
  }),
);

describe("a folder without a project, in the editor", function () {
  this.timeout(180_000 * patience);
  let session: EditorSession | undefined;
  let bench: Workbench;
  let folder = "";
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "evo bare "));
    writeFileSync(join(folder, "1.jsonl"), dump.join("\n"));
    writeFileSync(
      join(folder, "own.diagnostic.yaml"),
      diagnostic("no-final-line", "!turns.exists(t, t.text.contains('#### '))"),
    );
    const { code, stderr } = evotrainer(folder, "import", "1.jsonl", "--pass-when", "reward >= 1");
    assert.equal(code, 0, stderr);
    session = await EditorSession.start();
    ({ bench } = await session.open(folder));
    await bench.ready("own.diagnostic.yaml");
  });
  after(async () => {
    await session?.stop();
    await removeInUse(folder);
    rmSync(folder, { recursive: true, force: true });
  });
  keepFailures(() => bench);

  it("labels the imported rollouts that are looked at, and does not call them unlabelled before", async () => {
    await bench.command("EvoTrainer: Show Evidence");
    const view = bench.webview();
    await view.locator(".rows .row").first().waitFor();
    const groups = view.locator(".groups");
    const seen = new Set<string>();
    const own = groups.locator("li", { hasText: "no-final-line" });
    await until("the labels", async () => {
      seen.add(await groups.innerText());
      return own.isVisible();
    });
    for (const text of seen)
      if (!text.includes("no-final-line")) assert.doesNotMatch(text, /no label(?! yet)/, text);
    assert.match(await own.innerText(), /100/);
    const first = view.locator("#rollout-0 .labels");
    await until("the labels of a row", async () => (await first.innerText()).includes("no-final-line"));
    await bench.shot("bare-evidence");
  });

  it("labels anew with a diagnostic that was written since, when it is asked to", async () => {
    writeFileSync(join(folder, "terse.diagnostic.yaml"), diagnostic("terse", "reward >= 1.0"));
    const view = bench.webview();
    const terse = view.locator(".groups li", { hasText: "terse" });
    await until("the new label", async () => {
      await view.locator(".top vscode-button", { hasText: "Refresh" }).click();
      return terse.waitFor({ timeout: 5000 * patience }).then(
        () => true,
        () => false,
      );
    });
    assert.match(await terse.innerText(), /200/);
    assert.equal(await view.locator(".groups [role=status]").isVisible(), false);
  });
});

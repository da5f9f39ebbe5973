import assert from "node:assert/strict";
import type { ShownRollout } from "../../../shared/protocol/views/rollout.ts";
import { loadRollout, nastyText, rolloutFixture, type RolloutLoad } from "./rolloutFixture.ts";
import { ViewHost } from "./viewHost.ts";

describe("the turns in the rollout reader", () => {
  let host: ViewHost;
  before(async () => {
    host = await ViewHost.start("rollout");
  });
  after(() => host.stop());
  afterEach(async () => {
    await host.page.close();
    assert.deepEqual(host.complaints, [], "the page complained");
  });

  const load = (shown: ShownRollout = rolloutFixture, options: RolloutLoad = {}): Promise<void> =>
    loadRollout(host, shown, options);

  it("marks the turns to read first, and says why", async () => {
    await load();
    const { page } = host;
    const line = page.locator(".summary .read-first");
    assert.equal(await line.innerText(), "Read turn 12 first, then 14 and 16: they show its labels.");
    assert.equal(await page.locator(".turn .read-first").count(), 3);
    assert.equal(await page.locator("#turn-11 .read-first").innerText(), "➤ read this turn first");
    assert.deepEqual(await page.locator(".turn .read-first").allInnerTexts(), [
      "➤ read this turn first",
      "➤ then this one",
      "➤ then this one",
    ]);
  });

  it("marks them in a failure of which no label names a turn, and begins there", async () => {
    await load({
      ...rolloutFixture,
      labels: rolloutFixture.labels.filter(({ turns }) => turns.length === 0),
    });
    const { page } = host;
    const line = page.locator(".summary .read-first");
    const why = "no label names a turn; these have the most numbers that no earlier turn has";
    assert.match(
      await line.innerText(),
      new RegExp(`^Read turn [0-9]+ first, then [0-9]+ and [0-9]+: ${why}\\.$`),
    );
    assert.equal(await page.locator(".turn .read-first").first().getAttribute("title"), why);
    await page.locator(".turn.current .read-first").waitFor();
    const button = line.getByRole("button").last();
    const wanted = Number(await button.innerText()) - 1;
    await button.click();
    await page.locator(`#turn-${wanted}.current .read-first`).waitFor();
    assert.deepEqual(await host.violations(), []);
    await host.shot("read-first");
  });

  it("marks no turn of a rollout that passed without labels", async () => {
    await load({ ...rolloutFixture, rollout: { ...rolloutFixture.rollout, outcome: "pass" }, labels: [] });
    assert.equal(await host.page.locator(".read-first").count(), 0);
  });

  it("draws all turns at the edge: forms by tool, failed calls and ticks where labels show; a click goes there", async () => {
    await load();
    // It is drawn once the page has its size.
    await host.page.locator('.minimap svg[aria-label*="turns"]').waitFor();
    const map = host.page.locator(".minimap svg");
    assert.match(
      (await map.getAttribute("aria-label")) ?? "",
      /^24 turns: 4 calls failed, 3 turns show a label\./,
    );
    assert.equal(await map.locator(".call.failed").count(), 4);
    assert.equal(await map.locator(".tick").count(), 3);
    const box = await map.boundingBox();
    assert.ok(box);
    await host.page.mouse.click(box.x + 10, box.y + (box.height * 5.5) / 24);
    await host.page.locator("#turn-5.current").waitFor();
  });

  it("moves from turn to turn by key, and to the turns that show a label", async () => {
    await load();
    const { page } = host;
    const current = () => page.locator(".turn.current").getAttribute("id");
    for (const [key, turn] of [
      ["n", 13],
      ["n", 15],
      ["n", 15],
      ["p", 13],
      ["j", 14],
      ["k", 13],
      ["Home", 0],
      ["ArrowDown", 1],
      ["End", 23],
    ] as const) {
      await page.keyboard.press(key);
      assert.equal(await current(), `turn-${turn}`, key);
      assert.equal(await page.evaluate("document.activeElement.id"), `turn-${turn}`, key);
    }
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#turn-23 .fold").getAttribute("aria-expanded"), "false");
    assert.deepEqual(await host.uiState(), { version: 1, raw: false, folded: [23], turn: 23 });
  });

  it("folds turns, shows them raw, copies the exact text, and comes back as the user left it", async () => {
    await load();
    const { page } = host;
    await page.locator("vscode-button", { hasText: "Fold All" }).click();
    assert.equal(await page.locator('.fold[aria-expanded="false"]').count(), 24);
    await page.locator("vscode-button", { hasText: "Unfold All" }).click();
    await page.getByRole("button", { name: "Copy turn 9" }).click();
    const copied = host.sent.at(-1) as { readonly text: string };
    assert.ok(copied.text.includes(nastyText), "the clipboard has the text as it is");
    await page.locator("vscode-button", { hasText: "Raw" }).click();
    assert.match(await page.locator("pre.raw").innerText(), /"stop_reason": "max_turns"/);
    const kept = await host.uiState();
    assert.deepEqual(kept, { version: 1, raw: true, folded: [], turn: 11 });
    await page.close();
    await load(rolloutFixture, { kept });
    await host.page.locator("pre.raw").waitFor();
    await host.page.close();
    await load(rolloutFixture, { kept: { version: 1, raw: false, folded: [3], turn: 20 } });
    await host.page.locator("#turn-20.current").waitFor();
    assert.equal(await host.page.locator("#turn-3 .fold").getAttribute("aria-expanded"), "false");
  });

  it("shows what the policy saw before a turn, and the reward of each turn", async () => {
    await load({
      ...rolloutFixture,
      rollout: {
        ...rolloutFixture.rollout,
        extra: { ...rolloutFixture.rollout.extra, system_prompt: "Be brief." },
      },
    });
    const { page } = host;
    assert.match(await page.locator("#turn-3 .facts").innerText(), /reward 0\.125/);
    assert.doesNotMatch(await page.locator("#turn-11 .facts").innerText(), /reward/);
    await page.getByRole("button", { name: "Prompt of turn 10", exact: true }).click();
    const prompt = page.locator(".prompt");
    assert.equal(await prompt.locator("h3").count(), 10);
    assert.match(await prompt.innerText(), /extra\.system_prompt\s+Be brief\.[^]*␛\[31mred/);
    assert.deepEqual(await host.violations(), []);
    await host.shot("prompt");
    await page.getByRole("button", { name: "Copy prompt" }).click();
    const { text } = host.sent.at(-1) as { readonly text: string };
    assert.ok(text.startsWith("── extra.system_prompt\nBe brief.\n\n── user\nMend the parser"));
    assert.ok(text.includes(nastyText) && !text.includes("try 9"));
    await page.getByRole("button", { name: "Back to the turns" }).click();
    await page.locator("#turn-9.current").waitFor();
    assert.equal(await page.evaluate("document.activeElement.id"), "turn-9");
  });

  it("opens 100 turns and 2 MB, and a line of 10 MB, without drawing more than the user asked for", async () => {
    const long = "x".repeat(20_000);
    const turns = Array.from({ length: 100 }, (_, i) => ({
      role: i % 2 ? "tool" : "assistant",
      text: i === 50 ? "y".repeat(10_000_000) : long,
    }));
    await load({ ...rolloutFixture, labels: [], rollout: { ...rolloutFixture.rollout, turns } });
    const { page } = host;
    const more = page.locator("#turn-50 .more");
    await more.waitFor();
    const drawn = await page.locator("#turn-50 pre").evaluate((node) => node.textContent.length);
    assert.ok(drawn < 21_000, String(drawn));
    await page.locator("#turn-99").scrollIntoViewIfNeeded();
    await page.locator("#turn-99 .role", { hasText: "tool" }).waitFor();
  });
});

import assert from "node:assert/strict";
import { peopleFixture } from "./compareFixture.ts";
import { rolloutProtocol, type ShownRollout } from "../../../shared/protocol/views/rollout.ts";
import { until } from "../launcher/workbench.ts";
import {
  loadRollout,
  nastyText,
  rolloutFixture,
  rolloutMessage,
  type RolloutLoad,
} from "./rolloutFixture.ts";
import { themes, type Theme } from "./themes.ts";
import { ViewHost } from "./viewHost.ts";

describe("the rollout reader", () => {
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

  for (const theme of Object.keys(themes) as Theme[])
    it(`shows the outcome and its reason, and starts at the turn that shows it, in a ${theme} theme`, async () => {
      await load(rolloutFixture, { theme });
      const { page } = host;
      assert.equal(await page.locator("h1").textContent(), "v3.selection.s1/0412");
      assert.match(
        await page.locator(".result").innerText(),
        /✗ failed · ended as max_turns · reward\s0\.25/,
      );
      const first = page.locator(".labels li").first();
      assert.match(await first.innerText(), /critical\s+echo-trap\s+The policy repeats/);
      assert.match(await page.locator(".labels li").nth(1).innerText(), /shown by the rollout as a whole/);
      await page.locator("#turn-11.current.evidence").waitFor();
      assert.ok(await page.locator("#turn-11").isVisible());
      assert.deepEqual(await host.violations(), []);
      if (theme === "dark")
        assert.deepEqual(
          await host.faults({
            answers: [".result", ".labels li"],
          }),
          [],
        );
      await host.shot(theme);
    });

  it("starts at the turn that a link names", async () => {
    await load(rolloutFixture, { focus: 13 });
    await host.page.locator("#turn-13.current").waitFor();
    assert.ok(await host.page.locator("#turn-13").isVisible());
  });

  it("marks a rollout that does not count, and shows its reward term by term with what is paid for a failure", async () => {
    await load({
      ...rolloutFixture,
      rollout: { ...rolloutFixture.rollout, reward: 2 },
      diagnostics: rolloutFixture.diagnostics.map((one) => ({ ...one, invalidates: true })),
      reward: [
        { name: "correctness", signal: "correctness", weight: 1, value: 0.875, adds: 0.5 },
        { name: "iterative_debug", signal: "iterative_debug", weight: 2, value: 1, adds: 2 },
        { name: "length", signal: "length", weight: 0.5, value: null, adds: null },
      ],
    });
    const { page } = host;
    assert.match(await page.locator(".result").innerText(), /^⊘ not valid · failed, with echo-trap/);
    const bars = await page.locator(".reward-bars").innerText();
    assert.match(
      bars,
      /△ failed, but reward 2[^]*correctness\s+0\.875 → 0\.5 × 1 = 0\.5[^]*iterative_debug\s+1 × 2 = 2[^]*length\s+not recorded/,
    );
    assert.match(bars, /The axis ends at 2: no term gives more for a signal up to 1\./);
    assert.deepEqual(await host.violations(), []);
    await host.shot("reward");
  });

  it("says whether it earned less than what passes, and that no label makes it void", async () => {
    const standing = (): Promise<string[]> => host.page.locator(".summary .standing").allInnerTexts();
    const reward = [{ name: "correctness", signal: "correctness", weight: 1, value: 0.875, adds: 0.5 }];
    const rollout = { ...rolloutFixture.rollout, reward: 0.5 };
    await load({ ...rolloutFixture, rollout, reward, passed: 1 });
    assert.deepEqual(await standing(), [
      "▼ worse: 0.5 less than passed rollouts of its version (median 1)",
      "No label makes it invalid.",
    ]);
    assert.doesNotMatch(await host.page.locator(".reward-bars").innerText(), /median|but reward/);
    await load({ ...rolloutFixture, rollout, reward, passed: 0.5 });
    assert.deepEqual(await standing(), ["No label makes it invalid."]);
    assert.match(
      await host.page.locator(".reward-bars").innerText(),
      /Passed rollouts of its version: median 0\.5\./,
    );
    await load({ ...rolloutFixture, rollout, reward, passed: 1, unlabelled: true });
    assert.equal((await standing()).length, 1);
    const diagnostics = rolloutFixture.diagnostics.map((one) => ({ ...one, invalidates: true }));
    await load({ ...rolloutFixture, rollout, reward, passed: 1, diagnostics });
    assert.deepEqual(await standing(), []);
  });

  it("reads the most severe label first, says arguments once, and goes on in the list that it was opened from", async () => {
    const [first, ...rest] = rolloutFixture.labels;
    assert.ok(first);
    const turns = rolloutFixture.rollout.turns.map((turn, i) =>
      i === 1 ? { ...turn, text: JSON.stringify(turn.args, null, 1) } : turn,
    );
    const shown = {
      ...rolloutFixture,
      labels: [...rest, first],
      rollout: { ...rolloutFixture.rollout, turns },
    };
    await host.load({
      answer: ({ type }) =>
        type === "ready"
          ? [
              {
                protocol: rolloutProtocol,
                type: "state",
                state: { type: "rollout", shown, focus: null, place: { at: 3, of: 12 } },
              },
            ]
          : [],
    });
    const { page } = host;
    assert.match(await page.locator(".labels li").first().innerText(), /critical\s+echo-trap/);
    assert.equal(await page.locator("#turn-1 pre").count(), 0);
    assert.equal(await page.locator("#turn-3 pre").count(), 1);
    await page.getByText("4 of 12").waitFor();
    await page.locator("vscode-button", { hasText: "Next" }).first().click();
    await host.sends({ protocol: rolloutProtocol, type: "step", by: 1 });
    await page.getByText("This source has no values per token").waitFor();
  });

  it("draws what the evidence has per token, and goes to the turn with the worst", async () => {
    const { turns } = rolloutFixture.rollout;
    const total = turns.reduce((sum, { tokens = 0 }) => sum + tokens, 0);
    const values = Array.from({ length: total }, (_, i) => (i === 60 ? -9.5 : -0.2));
    const extra = { token_logprobs: values };
    await load({ ...rolloutFixture, rollout: { ...rolloutFixture.rollout, extra } });
    // The first turn of the policy has 41 tokens, so that token 61 is in the next one.
    await host.page.getByRole("button", { name: "lowest \u22129.5 at token 61, turn 4" }).click();
    await host.page.locator("#turn-3.current").waitFor();
    assert.deepEqual(await host.violations(), []);
    // Another number of values than the turns have tokens: nobody knows which token they belong to.
    const fewer = { token_logprobs: values.slice(1) };
    await load({ ...rolloutFixture, rollout: { ...rolloutFixture.rollout, extra: fewer } });
    await host.page.getByText("lowest \u22129.5 at token 60").waitFor();
    assert.equal(await host.page.getByRole("button", { name: /at token 60/ }).count(), 0);
    const long = { token_values_left_out: 20_000 };
    await load({ ...rolloutFixture, rollout: { ...rolloutFixture.rollout, extra: long } });
    await host.page.getByText("values for 20,000 tokens. Import keeps those of at most 16,384").waitFor();
  });

  it("shows rollouts of one item side by side: what is the same folded, and where each parts from the first", async () => {
    const { turns } = rolloutFixture.rollout;
    const other = turns.map((turn, i) => (i < 5 ? turn : { ...turn, text: `otherwise ${i}` }));
    const column = (id: string, more: object) => ({
      ...{
        run: "v3.selection.s1",
        id,
        version: "v3",
        outcome: "fail",
        reward: 0.25,
        labels: [],
        spoiledBy: [],
        turns,
      },
      ...more,
    });
    const columns = [
      column("0412", { labels: ["echo-trap"] }),
      column("0413", { outcome: "pass", reward: 1, turns: other }),
      column("0414", { turns: turns.slice(0, 9), outcome: "pass", spoiledBy: ["leak"] }),
    ];
    await host.load({
      answer: ({ type }) =>
        type === "ready"
          ? [rolloutMessage(rolloutFixture)]
          : type === "align"
            ? [{ protocol: rolloutProtocol, type: "aligned", rollouts: columns }]
            : [],
    });
    const { page } = host;
    await page.locator("vscode-button", { hasText: "Side by Side" }).click();
    const table = page.locator(".aligned table");
    await table.getByText("The first 5 turns are the same in all of them.").waitFor();
    assert.equal(await table.locator("thead th").count(), 4);
    assert.equal(await table.locator(".parts").count(), 2);
    const outcomes = await table.locator("thead .outcome").allInnerTexts();
    assert.deepEqual(outcomes, ["✗ failed", "✓ passed", "⊘ not valid"]);
    assert.match(
      await table.locator("tbody tr").nth(1).locator("td").nth(1).innerText(),
      /◀ differs from here[^]*otherwise 5/,
    );
    assert.match(
      await table.locator("tbody tr").nth(5).locator("td").nth(2).innerText(),
      /◀ differs from here[^]*ended/,
    );
    assert.deepEqual(await host.violations(), []);
    await host.shot("aligned");
    assert.deepEqual(
      await host.faults({
        answers: [".aligned thead"],
      }),
      [],
    );
    await table.getByRole("button", { name: "0413" }).click();
    await host.sends({ protocol: rolloutProtocol, type: "openOther", run: "v3.selection.s1", id: "0413" });
    await page.getByRole("button", { name: "Back to the turns" }).click();
    await page.locator("#turn-11").waitFor();
  });

  for (const width of [360, 520, 1000])
    it(`puts the summary of the rollout below the turns only if the view is narrow, at ${width} px`, async () => {
      await load();
      const { page } = host;
      await page.setViewportSize({ width, height: 760 });
      const [facts, last] = [
        await page.locator("dl.facts").boundingBox(),
        await page.locator("#turn-23").boundingBox(),
      ];
      assert.ok(facts && last);
      assert.equal(facts.y > last.y, width < 900);
      if (width < 900) {
        assert.ok(facts.y >= last.y + last.height, "no turn lies over the facts");
        const summary = await page.locator("div.said").boundingBox();
        const list = await page.locator(".turns-list").boundingBox();
        assert.ok(summary && list && list.y >= summary.y + summary.height - 1, "nor over what it showed");
      }
      const result = await page.locator(".result").boundingBox();
      const turn = await page.locator("#turn-0").boundingBox();
      assert.ok(
        result && turn && (width < 900 ? result.y < turn.y : result.x > turn.x),
        "outcome and labels come first, or beside",
      );
      assert.ok(await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"));
      await host.shot(`w${width}`);
    });

  it("jumps to a turn by its number, opens the diagnostic, and saves a person's label", async () => {
    await load();
    const { page } = host;
    await page.getByRole("button", { name: "Go to turn 16, which shows echo-trap" }).click();
    await page.locator("#turn-15.current").waitFor();
    await page.locator(".labels .name", { hasText: "echo-trap" }).click();
    await host.sends({ protocol: rolloutProtocol, type: "openDiagnostic", label: "echo-trap" });
    await page.getByRole("group", { name: "Is echo-trap right?" }).getByText("Wrong").click();
    await host.sends({
      protocol: rolloutProtocol,
      type: "label",
      label: "echo-trap",
      labelled: false,
    });
    const shown = page.locator(".labels .people");
    assert.match(await shown.innerText(), /^people, held-out items: precision 75\.0 % \[30\.1, 95\.4\]/);
    const people = peopleFixture.map((one) => ({
      ...one,
      heldOut: {
        ...one.heldOut,
        labelled: { asked: 5, right: 3 },
        precision: { value: 0.6, low: 0.231, high: 0.882 },
      },
    }));
    await host.post({ protocol: rolloutProtocol, type: "said", label: "echo-trap", labelled: false, people });
    await page.locator(".labels .people", { hasText: "60.0 % [23.1, 88.2] (3 of 5 right)" }).waitFor();
    await page.locator('.opinion [aria-pressed="true"]', { hasText: "Wrong" }).waitFor();
    await page.locator("dd button", { hasText: "django__django-11099" }).click();
    await host.sends({ protocol: rolloutProtocol, type: "showItem" });
    await page.locator("vscode-button", { hasText: "Compare…" }).click();
    await host.sends({ protocol: rolloutProtocol, type: "compare" });
  });

  it("makes the rollout an example of a person's label or of any diagnostic, and exports it", async () => {
    await load({
      ...rolloutFixture,
      said: [{ label: "echo-trap", labelled: false, by: "ada", at: "2026-01-06T09:30:00Z" }],
    });
    const { page } = host;
    await page.locator('.opinion [aria-pressed="true"]', { hasText: "Wrong" }).waitFor();
    const example = { protocol: rolloutProtocol, type: "example" };
    await page.getByRole("button", { name: "Add as example to echo-trap" }).click();
    await host.sends({ ...example, label: "echo-trap", expect: "clear" });
    // What is no diagnostic of the project any more gets no example.
    assert.equal(await page.getByRole("button", { name: /as example to no-edit/ }).count(), 0);
    await page.locator("vscode-button", { hasText: "Add as Example…" }).click();
    await host.sends({ ...example, label: null, expect: null });
    await page.locator("vscode-button", { hasText: "Export…" }).click();
    await host.sends({ protocol: rolloutProtocol, type: "export" });
  });

  it("shows people's notes and saves a new one, which stays while it is being written", async () => {
    await load();
    const { page } = host;
    assert.match(await page.locator(".notes li").innerText(), /^ada, .*2026.*\n+Gives up\ntoo early\.$/);
    const input = page.getByLabel("Add a note");
    await input.fill("Never reads the njpk error.");
    await page.getByRole("button", { name: "Go to turn 14, which shows echo-trap" }).click();
    assert.equal(await input.inputValue(), "Never reads the njpk error.");
    await input.focus();
    await page.keyboard.press("n");
    await page.locator("#turn-13.current").waitFor();
    await page.keyboard.press("Control+Enter");
    const note = "Never reads the njpk error.n";
    await host.sends({ protocol: rolloutProtocol, type: "note", note });
    await host.post({
      protocol: rolloutProtocol,
      type: "noted",
      note: { note, by: "bob", at: "2026-01-07T09:30:00Z" },
    });
    await page.locator(".notes li", { hasText: "njpk error.n" }).waitFor();
    assert.equal(await input.inputValue(), "");
    await host.shot("notes");
  });

  it("shows anything in a rollout as text that does nothing", async () => {
    await load({
      ...rolloutFixture,
      rollout: {
        ...rolloutFixture.rollout,
        id: nastyText,
        item: nastyText,
        stop_reason: nastyText,
        turns: [
          { role: nastyText, text: `${nastyText} again`, tool: nastyText, args: { [nastyText]: nastyText } },
        ],
      },
      labels: [{ label: nastyText, revision: nastyText, turns: [0] }],
      diagnostics: [],
    });
    const { page } = host;
    assert.equal(await page.locator("img, script:not([nonce]), a").count(), 0);
    assert.match(
      await page.locator("pre.text").innerText(),
      /␛\[31mred␛\[0m ⟨U\+202E⟩gnp\.exe⟨U\+202C⟩ ⟨U\+200B⟩/,
    );
    assert.match(await page.locator("pre.text").innerText(), /<img src=x onerror="document\.title=1">/);
    await host.shot("nasty");
  });

  it("says why there is nothing to read, and ignores foreign messages", async () => {
    await host.load({
      answer: () => [
        { protocol: 9, type: "state", state: { type: "missing", message: "wrong" } },
        { protocol: rolloutProtocol, type: "state", state: { type: "rollout" } },
        {
          protocol: rolloutProtocol,
          type: "state",
          state: { type: "missing", message: "There is no rollout v1/9 in the archive." },
        },
      ],
    });
    await until("the message", async () =>
      (await host.page.locator(".message").innerText()).includes("There is no rollout v1/9"),
    );
  });
});

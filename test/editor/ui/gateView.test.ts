import assert from "node:assert/strict";
import { gateProtocol } from "../../../shared/protocol/views/gate.ts";
import type { Proposal } from "../../../shared/protocol/views/proposals.ts";
import { gateMessage, proposalFixture, recordFixture } from "./gateFixture.ts";
import { nastyText } from "./rolloutFixture.ts";
import { themes, type Theme } from "./themes.ts";
import { isOnTop } from "../launcher/hands.ts";
import { ViewHost } from "./viewHost.ts";

describe("the gate card", () => {
  let host: ViewHost;
  before(async () => {
    host = await ViewHost.start("gate");
  });
  after(() => host.stop());
  afterEach(async () => {
    await host.page.close();
    assert.deepEqual(host.complaints, [], "the page complained");
  });

  const load = async (
    proposal: Proposal = proposalFixture,
    { theme, kept, ...more }: { theme?: Theme; kept?: unknown } & Parameters<typeof gateMessage>[1] = {},
  ): Promise<void> => {
    await host.load({
      kept: kept ?? null,
      ...(theme === undefined ? {} : { theme }),
      answer: ({ type }) => (type === "ready" ? [gateMessage(proposal, more)] : []),
    });
    await host.page.locator("h1").waitFor();
  };
  const button = (name: string) => host.page.locator("vscode-button", { hasText: name });
  const key = { root: "/project", id: proposalFixture.id };

  for (const theme of Object.keys(themes) as Theme[])
    it(`shows the proposal, the reasons for it and its cost, in a ${theme} theme`, async () => {
      await load({ ...proposalFixture, record: recordFixture }, { theme, left: ["abcdef0123"] });
      const text = await host.page.locator("#app").innerText();
      for (const expected of [
        /v7-continuous-reward/,
        /waiting for a person/,
        /On v5-longer-horizon, proposed by catalogue; factor reward\. A person has to answer because the project is human-gated/,
        /Changing components\.correctness\.shape from binary to linear should lower the share of dead groups: 63 %/,
        /Kept if the solve rate rises by at least 2\.0\spoints .*and the leak rate is at most 0/,
        /Of 320 archived groups 201 are dead before/,
        /dead after\s+44/,
        /▲ should get better\s+the solve rate rises by at least 2\.0\spoints; rarer: insufficient-signal, echo-trap/,
        /▼ could get worse\s+more frequent: length-gaming/,
        /\? not to be trusted\s+few cases: echo-trap is in 5 rollouts of v5/,
        /Fixes: 4 of 6 came true \(1\.2 expected by chance\), 1 went the other way, 2 not predicted/,
        /backtest\s+↓ dead groups 201 → 44 of 320, order violations 0/,
        /cost\s+about 1\sh\s30\smin for all of its jobs; the 5 versions before it took 1\sh\s20\smin to 2\sh\s00\smin/,
        /sent back by ada, .*: half the weight of the format; it rests on 2 hunks and a backtest: dead groups 201 → 44 of 320/,
        /1 of 2 hunks will be taken/,
        /▼ tried before: v6 made the same change on v5: worse, −56\.5\spoints/,
        /1 case of the same factor: ⊘ v3 not valid/,
        /answers\s+echo-trap, 1\.0\s% of v5: 5 rollouts\s+insufficient-signal: v5 has no number of it; see the rollouts of v5/,
        // All of that stands above what would be taken.
        /tried before:[^]*should get better[^]*could get worse[^]*not to be trusted[^]*answers[^]*backtest[^]*cost[^]*Hunks/,
        /line 11[^]*shape: binary[^]*shape: linear[^]*after it/,
      ])
        assert.match(text, expected);
      assert.deepEqual(await host.violations(), []);
      if (theme === "dark")
        assert.deepEqual(await host.faults({ answers: [".answers", ".tried", ".verdicts"] }), []);
      await host.page.setViewportSize({ width: 1000, height: 752 });
      await host.shot(theme);
      for (const width of [500, 360]) {
        await host.page.setViewportSize({ width, height: 640 });
        const overflow = await host.page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
        assert.ok(Number(overflow) <= 0, `the page is wider than a window of ${width}`);
      }
      await host.shot(`${theme}-360`);
    });

  it("says that the project's rules decide where no person has to, and promises nothing of what is not there", async () => {
    const answersFound = [{ name: "insufficient-signal", holds: false, message: null }];
    await load({ ...proposalFixture, answersFound }, { who: "rule", why: null });
    const text = await host.page.locator("#app").innerText();
    assert.match(text, /^v7-continuous-reward\s+the project's rules decide\s/);
    assert.match(
      text,
      /The project's rules decide this when the evolution goes on, not a person; you may answer before that\./,
    );
    assert.match(
      text,
      /should get better\s+the solve rate rises by at least 2\.0\spoints; rarer: echo-trap\s/,
    );
    assert.match(text, /not to be trusted[^]*its target insufficient-signal is not found in v5/);
  });

  it("keeps the answers in sight however far somebody reads, and leads to what was tried and counted", async () => {
    await load();
    await host.page.setViewportSize({ width: 1000, height: 752 });
    // A hunk is left out and the rest approved without scrolling.
    assert.ok(await isOnTop(host.page.locator("input[type=checkbox]").first()));
    assert.ok(await isOnTop(button("Approve")));
    await host.page.setViewportSize({ width: 1000, height: 500 });
    await host.page.locator("#open-changes").scrollIntoViewIfNeeded();
    for (const name of ["Approve", "Revise", "Reject"]) {
      const box = await button(name).boundingBox();
      assert.ok(box !== null && box.y >= 0 && box.y + box.height <= 500, `${name} is out of sight`);
    }
    await host.page.getByRole("button", { name: "v6", exact: true }).click();
    await host.sends({ protocol: gateProtocol, type: "showVersion", version: "v6-continuous-reward" });
    await host.page.getByRole("button", { name: "5 rollouts" }).click();
    await host.sends({
      ...{ protocol: gateProtocol, type: "evidence" },
      ...{ version: "v5-longer-horizon", label: "echo-trap" },
    });
  });

  it("lets the user choose hunks, and approves the chosen ones", async () => {
    await load();
    await host.page.getByLabel("Take the change at line 18").uncheck();
    await host.sends({ protocol: gateProtocol, type: "choose", hunk: "abcdef0123", taken: false });
    await host.post(gateMessage(proposalFixture, { left: ["abcdef0123"] }));
    await host.page.locator(".hunk.left").waitFor();
    assert.equal(await host.page.evaluate("document.activeElement.id"), "hunk-abcdef0123", "the focus stays");
    await button("Approve Taken Hunks").click();
    await host.sends({ protocol: gateProtocol, type: "approve" });
    await host.post(gateMessage(proposalFixture, { isBusy: true }));
    await host.page.getByText("Answering…").waitFor();
    const notice = { kind: "refused" as const, text: "2 factors would change." };
    await host.post(gateMessage(proposalFixture, { notice }));
    const refusal = host.page.locator(".notice.refused", { hasText: "2 factors would change." });
    await refusal.waitFor();
    await host.page.setViewportSize({ width: 360, height: 640 });
    for (const name of ["Approve", "Revise", "Reject"]) assert.ok(await isOnTop(button(name)), name);
    assert.ok(await isOnTop(refusal), "what came of the answer is in sight");
    await button("Open Changes").click();
    await host.sends({ protocol: gateProtocol, type: "openDiff" });
    await host.page.locator("#parent").click();
    await host.sends({ protocol: gateProtocol, type: "showVersion", version: "v5-longer-horizon" });
  });

  it("revises with a text, by keyboard alone, and keeps the text after a reload", async () => {
    await load();
    const { page } = host;
    await page.locator("#revise").focus();
    await page.keyboard.press("Enter");
    await page.locator("#draft:focus").waitFor();
    await page.keyboard.press("Control+Enter");
    assert.equal(host.sent.length, 1, "nothing is sent without a text");
    await page.keyboard.type("half of it");
    // What the record says arrives meanwhile, and the cursor stays.
    await host.post(gateMessage({ ...proposalFixture, record: recordFixture }));
    await page.getByText("4 of 6 came true").waitFor();
    await page.keyboard.type(" please");
    const kept = await host.uiState();
    assert.deepEqual(kept, {
      version: 1,
      key,
      form: "revise",
      draft: "half of it please",
      withWorkTree: false,
    });
    assert.deepEqual(await host.violations(), []);
    await host.shot("revise");
    await page.close();
    await load(proposalFixture, { kept });
    assert.equal(await host.page.locator("#draft").inputValue(), "half of it please");
    await host.page.getByLabel("Replace the proposed files with the files as they are in the editor").check();
    await host.page.locator("#draft").focus();
    await host.page.keyboard.press("Control+Enter");
    await host.sends({
      protocol: gateProtocol,
      type: "revise",
      comment: "half of it please",
      withWorkTree: true,
    });
  });

  it("rejects with a reason, after Escape has led back", async () => {
    await load();
    const { page } = host;
    await button("Reject…").click();
    await page.locator("#draft:focus").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("#reject:focus").waitFor();
    await page.keyboard.press("Enter");
    await page.locator("#draft").fill("it pays for length");
    await page.locator("#send").click();
    await host.sends({ protocol: gateProtocol, type: "reject", reason: "it pays for length" });
  });

  it("offers no answer to an answered proposal, and says what is missing", async () => {
    const answered = {
      ...proposalFixture,
      state: "rejected",
      reason: "Rejected at the design gate: no",
    } as const;
    const notice = { kind: "done" as const, text: "Rejected: it stays in the lineage with the reason." };
    await load(answered, { recordPending: true, notice });
    assert.equal(await host.page.locator(".answers, input[type=checkbox]").count(), 0);
    assert.match(
      await host.page.locator("#app").innerText(),
      /why not trained\s+Rejected at the design gate: no[^]*Looking up how earlier/,
    );
    await host.page.locator(".notice.done").waitFor();
    await host.post({
      protocol: gateProtocol,
      type: "state",
      key,
      state: { type: "missing", message: "There is no version v7." },
    });
    await host.page.getByText("There is no version v7.").waitFor();
  });

  it("shows anything in a proposal as text that does nothing", async () => {
    await load({
      ...proposalFixture,
      id: nastyText,
      title: nastyText,
      hypothesis: nastyText,
      proposer: nastyText,
      backtest: { summary: nastyText, figures: { [nastyText]: 1 } },
      fixes: [nastyText],
      answers: [{ answer: "revise", by: nastyText, at: "", comment: nastyText, hunks: null }],
      files: [
        {
          path: nastyText,
          base: null,
          proposed: nastyText,
          hunks: [{ id: "x", baseStart: 0, proposedStart: 0, removed: [], added: [nastyText] }],
        },
      ],
    });
    assert.equal(await host.page.locator("img, script:not([nonce]), a").count(), 0);
    assert.match(await host.page.locator("pre.lines").innerText(), /⟨U\+202E⟩gnp\.exe⟨U\+202C⟩/);
  });
});

import assert from "node:assert/strict";
import { versionProtocol } from "../../../shared/protocol/views/version.ts";
import { until } from "../launcher/workbench.ts";
import { loadVersions, unfoldParts } from "./compareFixture.ts";
import { ViewHost } from "./viewHost.ts";
import { themes, type Theme } from "./themes.ts";

/** The version panel's own page and bundle under its own policy, with the editor's side of it played by the test. */
describe("the version panel", () => {
  let host: ViewHost;
  before(async () => {
    host = await ViewHost.start("version");
  });
  after(() => host.stop());
  afterEach(async () => {
    await host.page.close();
    assert.deepEqual(host.complaints, [], "the page complained");
  });

  const load = (names: readonly string[], theme?: Theme): Promise<void> =>
    loadVersions(host, names, theme === undefined ? {} : { theme });
  const part = (id: string) => host.page.locator(`.part.${id}`);
  const banner = () => host.page.locator(".banner");
  const unfold = (): Promise<void> => unfoldParts(host);
  const last = (type: string) =>
    host.sent.filter((m) => typeof m === "object" && m !== null && "type" in m && m.type === type).at(-1);

  it("shows a version beside its parent: reason, evidence, verdict and its basis, labels, flow, flips, curves", async () => {
    await load(["v8"]);
    await host.page.locator("h1", { hasText: "v8 against v4" }).waitFor();
    const text = (id: string) => part(id).innerText();
    await part("predictions").locator("table").waitFor();
    await banner().locator(".moved button").first().waitFor();
    const answer = await banner().innerText();
    for (const expected of [
      /KEPT, PROMOTED v8 instruction-following judge/i,
      /inside the noise of v4 \(\+1\.9 points\)[^]*95\s%\s*interval \[−0\.4, \+4\.1\], 240 items/,
      /score\s+38\.2\s%[^]*audit\s+37\.1\s%[^]*, 1\.1 points below \[−4\.9, \+2\.7\], ≈ inside the noise[^]*seeds\s+1, 2/,
      // The word of a mark stands beside it, and that nothing is doubted is said as well.
      /alerts\s+‼ critical: history-leak 1\.0\s%\s+of rollouts, △ warning: echo-trap 18\.0\s%\s+of rollouts/,
      /not to be trusted\s+⊘ none/,
      /echo-trap 10\.0\s%\s→\s18\.0\s%/,
      /▲ 31 pass more often, see django__django-11099, turn 5/,
      /▼ 22 pass less often, see <i>sympy<\/i>/,
    ])
      assert.match(answer, expected);
    // What was gained and what was lost are a click away: at the turn where two rollouts part, or at the rollouts of the item.
    await banner().locator(".items-moved button").first().click();
    await until("the rollout is told", () => last("rollout") !== undefined);
    assert.deepEqual(last("rollout"), {
      ...{ protocol: versionProtocol, root: "/p", type: "rollout" },
      ...{ run: "v8-selection-1", id: "r12", turn: 4 },
    });
    await banner().locator(".items-moved button").nth(1).click();
    await until("the rollouts of the item are told", () => last("evidence") !== undefined);
    assert.deepEqual(last("evidence"), {
      ...{ protocol: versionProtocol, root: "/p", type: "evidence" },
      query: { version: "v8", item: "<i>sympy</i>" },
    });
    assert.match(await part("labels").locator("details").innerText(), /^2 labels unchanged or not measured/);
    await unfold();
    assert.match(
      await text("overview"),
      /A judge of how instructions are followed[^]*38\.2\s%\s+\[35\.4, 41\.0\]/,
    );
    assert.match(await text("overview"), /echo-trap[^]*10\.0\s%[^]*18\.0\s% △ warning alert/);
    assert.match(await text("overview"), /dead_group_share[^]*0\.21[^]*0\.18/);
    assert.match(
      await text("comparison"),
      /takes about 610[^]*95\s%, for one look at these two alone: \+1\.9\spoints \[−0\.4, \+4\.1\], inside the noise[^]*One seed each/,
    );
    assert.match(
      await text("labels"),
      /echo-trap[^]*\+8\.0\spoints[^]*▼ worse[^]*≈ within noise[^]*no interval[^]*not measured before[^]*2 labels on no rollout of either version\./,
    );
    assert.doesNotMatch(await text("labels"), /max-turns/);
    assert.match(
      await text("flow"),
      /Items: 240[^]*pass[^]*60[^]*Items missing from the other version: 0 of v4, 2 of v8/,
    );
    assert.match(
      await text("flips"),
      /31 items pass more often, 22 less often[^]*0\/4[^]*4\/4[^]*▲ fixed[^]*different arguments[^]*▼ solved less often/,
    );
    assert.match(
      await text("rewards"),
      /v4 failed[^]*0\.35, the mean of 148 rollouts\s+v8 passed[^]*v8 failed[^]*△ 31 failures got as much/,
    );
    assert.match(await text("predictions"), /within the noise[^]*the opposite[^]*△ came true/);
    assert.equal(await part("predictions").locator(".colour-green").count(), 0, "a risk is no good news");
    assert.equal((await text("predictions")).split("wrong-file").length, 2, "a label is told once");
    assert.match(await text("change"), /main\.reward\.yaml modified[^]*<b>\.yaml added/);
    assert.equal(await part("curves").locator("figure").count(), 2);
    assert.equal(await host.page.locator("b, i").count(), 0);
    await host.page.setViewportSize({ width: 1200, height: 2400 });
    await host.shot("pair");
  });

  it("says what all seeds say of a difference that was decided on fewer", async () => {
    await load(["v10"]);
    await banner().locator(".since").waitFor();
    const answer = await banner().innerText();
    assert.match(
      answer,
      /23\.2 points better than v4 99\.9\s%\s*interval \[\+10\.4, \+36\.0\] \(the level that its test had to reach; where none is written it is 95\s%\), 120 items, 2 seeds against 4/,
    );
    assert.match(
      answer,
      /Since the decision, on all seeds, 4 seeds against 4: ≈ inside the noise of v4 \(\+1\.9 points\) 95\s%\s*interval \[−0\.4, \+4\.1\]/,
    );
    await unfold();
    await part("comparison").locator("li").first().waitFor();
    const how = await part("comparison").innerText();
    assert.match(
      how,
      /The decision went by the interval on top, \[\+10\.4, \+36\.0\] points at 99\.9\s%[^]*Other intervals of the same difference[^]*95\s%, for one look at these two alone: \+1\.9/,
    );
    for (const line of how.split("\n").filter((one) => /\[[−+\d]/.test(one)))
      assert.match(line, /\d\s%/, "an interval without its level");
    await load(["v8"]);
    await banner().locator(".moved button").first().waitFor();
    assert.equal(await banner().locator(".since").count(), 0);
    // Beside others too, the difference is the one that was decided by.
    await load(["v4", "v8", "v10"]);
    const pairs = part("pairs");
    await pairs.locator(".pair-name", { hasText: "v4 → v10" }).waitFor();
    assert.match(
      await pairs.innerText(),
      /v4 → v8\s+≈ \+1\.9\spoints \[−0\.4, \+4\.1\] at 95\s%[^]*v4 → v10\s+▲ \+23\.2\spoints \[\+10\.4, \+36\.0\] at 99\.9\s%/,
    );
  });

  it("links failures of a version that was not kept, told apart by item and turn", async () => {
    await load(["v6"]);
    await banner().locator(".examples button").nth(1).waitFor();
    assert.deepEqual(await banner().locator(".examples button").allInnerTexts(), [
      "requests-1, failed, turn 9",
      "requests-2, failed, turn 9",
    ]);
    await banner().locator(".examples button").first().click();
    await until("the turn is told", () => last("rollout") !== undefined);
    assert.deepEqual(last("rollout"), {
      ...{ protocol: versionProtocol, root: "/p", type: "rollout" },
      ...{ run: "v6-selection-1", id: "s0", turn: 8 },
    });
    assert.match(
      await banner().innerText(),
      /audit\s+41\.0\s%[^]*, 4\.5 points above \[\+0\.4, \+8\.6\], ≠ the audit's items are easier/,
    );
    await load(["v7"]);
    await banner().locator(".examples button").nth(1).waitFor();
    assert.deepEqual(await banner().locator(".examples button").allInnerTexts(), [
      "item-001, echo-trap, turn 2",
      "item-002, echo-trap, turn 3",
    ]);
    const asked = host.sent.find((m) => JSON.stringify(m).includes('"examples"'));
    assert.deepEqual(Object.getOwnPropertyDescriptor(asked, "question")?.value, {
      ...{ part: "examples", version: "v7", label: "echo-trap", outcome: "fail" },
    });
  });

  it("keeps what it says of labels when the rollouts to look at come last", async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await loadVersions(host, ["v7"], { waits: (part) => (part === "examples" ? released : undefined) });
    await banner().locator(".moved button").first().waitFor();
    assert.doesNotMatch(await banner().innerText(), /item-001/);
    release();
    await banner().locator(".examples", { hasText: "item-001" }).waitFor();
    assert.equal(await banner().locator(".moved button").count(), 2);
  });

  it("names the label that decided first, whatever it is folded under", async () => {
    await load(["v7"]);
    await banner().locator(".moved button").first().waitFor();
    assert.match(
      await banner().innerText(),
      /because Guardrail: echo-trap shows in 100 % of the rollouts, above its limit of 25 %\.[^]*decided by echo-trap 0\s%\s→\s100\s% ↑ more often\s+moved\s+wrong-file/,
    );
    assert.match(
      await part("labels").locator("tbody tr").first().innerText(),
      /^echo-trap \(also blind-edit\) · decided/,
    );
    await host.page.setViewportSize({ width: 1000, height: 752 });
    await host.shot("guardrail");
    for (const width of [500, 360]) {
      await host.page.setViewportSize({ width, height: 752 });
      assert.ok(await host.page.locator("h1", { hasText: "v7 against v4" }).isVisible());
      const box = await host.page.locator("h1").boundingBox();
      assert.ok(box !== null && box.width > 40, "the page says what is compared");
      const cut = await banner()
        .locator(".because")
        .evaluate((line) => line.scrollHeight > line.clientHeight + 1);
      assert.equal(cut, false, "why it was rejected is not cut");
      await host.shot(`guardrail-${width}`);
    }
    // A word that moved into a line below its row is still explained.
    const folded = part("labels").locator("tbody .folded abbr", { hasText: "p (Holm)" }).first();
    assert.match((await folded.getAttribute("title")) ?? "", /./);
  });

  it("says what cannot be told of a label, and which split groups are of", async () => {
    await load(["v4", "v8"]);
    await part("overview").locator("table").waitFor({ state: "attached" });
    await unfold();
    const row = (name: string) => part("overview").getByRole("row", { name });
    await row("unsaid").waitFor();
    assert.match((await row("unsaid").textContent()) ?? "", /cannot tell/);
    assert.match(
      (await row("half-said").textContent()) ?? "",
      /50\.0\s% of those decided, \[30\.0, 70\.0\] of all/,
    );
    // The label's name is followed by how right it is by people's word.
    const trap = part("overview")
      .locator("tr")
      .filter({ has: host.page.locator("th .people") });
    assert.match(
      (await trap.locator("th .people").textContent()) ?? "",
      /^people, held-out items: precision 75\.0/,
    );
    const groups = row("dead-group (groups, train split)");
    assert.match((await groups.textContent()) ?? "", /25\.0\s%/);
    assert.equal(await groups.locator("button, a").count(), 0, "no rollout carries a label of groups");
  });
  it("leads from every figure to the rollouts", async () => {
    await load(["v8"]);
    await part("change").locator("li").first().waitFor();
    const click = async (id: string, name: string, type: string) => {
      await part(id).getByRole("button", { name, exact: true }).first().click();
      await until(`${name} is told`, () => last(type) !== undefined);
      return last(type);
    };
    const root = "/p";
    const envelope = { protocol: versionProtocol, root };
    assert.deepEqual(await click("flips", "django__django-11099", "evidence"), {
      ...envelope,
      type: "evidence",
      query: { version: "v8", item: "django__django-11099" },
    });
    assert.deepEqual(await click("flips", "Compare", "rollouts"), {
      ...envelope,
      type: "rollouts",
      a: { run: "v4-selection-1", id: "r12" },
      b: { run: "v8-selection-1", id: "r12" },
    });
    assert.deepEqual(await click("flips", "v8-selection-1/r12 turn 5", "rollout"), {
      ...envelope,
      type: "rollout",
      run: "v8-selection-1",
      id: "r12",
      turn: 4,
    });
    assert.deepEqual(await click("change", "harness/main.reward.yaml", "diff"), {
      ...envelope,
      type: "diff",
      version: "v8",
      against: "v4",
      path: "harness/main.reward.yaml",
    });
    await banner().getByRole("button", { name: "django__django-11099" }).click();
    await until("the example is told", () => JSON.stringify(last("rollout")).includes("v8-selection-1"));
    await part("labels").locator("td button").nth(1).click();
    await until("the label is told", () => JSON.stringify(last("evidence")).includes("label"));
    assert.deepEqual(last("evidence"), {
      ...envelope,
      type: "evidence",
      query: { version: "v8", label: "echo-trap" },
    });
    await unfold();
    await part("flow").locator("thead button", { hasText: "fail" }).first().click();
    await until("the outcome is told", () => JSON.stringify(last("evidence")).includes("outcome"));
    await host.page.locator("vscode-button", { hasText: "Open Changes" }).click();
    await until("the diff is told", () => !JSON.stringify(last("diff")).includes("path"));
  });

  it("says of an invalid version what was found and what its score counts as, and no verdict", async () => {
    await load(["v9"]);
    await banner().locator(".untrusted").waitFor();
    await part("change").locator("li").first().waitFor();
    const said = await banner().innerText();
    assert.match(
      said,
      /INVALID v9[^]*⊘ Quarantined: 479 of 480 rollouts carry history-leak; evaluated again without it, the version scores 0 %\.\s+Comparison with v4: not valid\./i,
    );
    assert.equal(await banner().locator("s").innerText(), "99.8\u00A0%");
    assert.doesNotMatch(said, /better|improved/);
    assert.equal(await banner().locator(".whiskers").count(), 0);
    assert.match(said, /short-rollout 93\.8\s%\s→\s28\.1\s% ↓ less often/);
    assert.equal(await banner().locator(".colour-green, .colour-red").count(), 0, "nothing is better");
    assert.doesNotMatch(said, /fixed/);
    assert.match(await part("flips").innerText(), /passes more often[^]*passes less often/);
    assert.doesNotMatch(await part("flips").innerText(), /fixed|broken|▲|▼/);
    assert.doesNotMatch(await part("labels").innerText(), /better|worse|▲|▼/);
    assert.equal(await banner().locator(".items-moved").count(), 0);
    await banner().getByRole("button", { name: "item-001, history-leak, turn 2" }).click();
    await until("the turn is told", () => last("rollout") !== undefined);
    assert.deepEqual(last("rollout"), {
      ...{ protocol: versionProtocol, root: "/p", type: "rollout" },
      ...{ run: "v9.train.s1", id: "selection-80-001-0", label: "history-leak" },
    });
    assert.deepEqual(await host.violations(), []);
    await host.page.setViewportSize({ width: 1000, height: 752 });
    await host.shot("invalid");
    assert.deepEqual(
      await host.faults({
        answers: [".decided", ".banner .untrusted", ".not-valid"],
      }),
      [],
    );
    await load(["v9", "v4"]);
    await banner().locator(".not-valid").waitFor();
    assert.match(await banner().innerText(), /Comparison with v9: not valid, because v9 is not\./);
    assert.match(
      await part("predictions").innerText(),
      /against v4\. The rest of this page compares with v9\./,
    );
  });

  for (const theme of Object.keys(themes) as Theme[])
    it(`is readable in a ${theme} theme, and works with the keyboard alone`, async () => {
      await load(["v8"], theme);
      await part("change").locator("li").first().waitFor();
      assert.deepEqual(await host.violations(), []);
      if (theme === "dark")
        assert.deepEqual(
          await host.faults({
            answers: [".decided", ".verdict", ".moved"],
          }),
          [],
        );
      await host.shot(theme);
      await host.page.keyboard.press("Tab");
      assert.match(String(await host.page.evaluate("document.activeElement.textContent")), /Open Changes/);
      await host.page.setViewportSize({ width: 1000, height: 752 });
      const box = await banner().boundingBox();
      assert.ok(box !== null && box.y + box.height <= 340, `the answer ends at ${box?.height}`);
      await host.shot(`${theme}-1000`);
      for (let i = 0; i < 60; i++) {
        await host.page.keyboard.press("Tab");
        if (String(await host.page.evaluate("document.activeElement.textContent")).startsWith("django"))
          break;
      }
      await host.page.keyboard.press("Enter");
      await until("the turn is told", () => last("rollout") !== undefined);
      for (const width of [640, 500, 360]) {
        await host.page.setViewportSize({ width, height: 640 });
        const overflow = await host.page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
        assert.ok(Number(overflow) <= 0, `the page is wider than a window of ${width}`);
      }
      await host.page.locator(".parts").evaluate((parts) => parts.scrollTo(0, 0));
      // In the smallest window the decision, the difference and why are there before anything is scrolled.
      await host.page.setViewportSize({ width: 360, height: 300 });
      for (const line of [".decided", ".verdict", ".moved"]) {
        const place = await banner().locator(line).boundingBox();
        assert.ok(place !== null && place.y + place.height <= 300, `${line} ends at ${place?.y}`);
      }
      await host.shot(`${theme}-360`);
      const whole = (await banner().boundingBox())?.height ?? 999;
      assert.ok(whole <= 240, `the banner is ${whole} px high`);
    });
});

import { peopleFixture } from "./compareFixture.ts";
import assert from "node:assert/strict";
import {
  evidenceProtocol,
  FromEvidencePanel,
  type EvidenceQuery,
  type EvidenceStanding,
  type LabelsSet,
} from "../../../shared/protocol/views/evidence.ts";
import { until } from "../launcher/workbench.ts";
import { isBad, labels, page, refusal, total } from "./evidenceFixture.ts";
import { themes, type Theme } from "./themes.ts";
import { ViewHost } from "./viewHost.ts";

describe("the evidence panel", () => {
  let host: ViewHost;
  let standing: EvidenceStanding | undefined;
  let labelsSet: LabelsSet = { type: "labelled" };
  let queries: { readonly query: EvidenceQuery; readonly offset: number; readonly limit: number }[] = [];
  before(async () => {
    host = await ViewHost.start("evidence");
  });
  after(() => host.stop());
  afterEach(async () => {
    await host.page.close();
    assert.deepEqual(host.complaints, [], "the page complained");
  });

  const answer = (raw: unknown): unknown[] => {
    const message = FromEvidencePanel.parse(raw);
    const envelope = { protocol: evidenceProtocol };
    switch (message.type) {
      case "ready":
      case "refresh":
        return [
          {
            ...envelope,
            type: "state",
            state: {
              type: "versions",
              root: "/p",
              versions: [
                { version: "v2", train: 10, selection: 5 },
                { version: "v3", train: total, selection: 0, ...(standing && { standing }) },
              ],
            },
          },
        ];
      case "page": {
        queries.push(message);
        const { id, query, offset, limit, counts } = message;
        return [
          {
            ...envelope,
            type: "page",
            id,
            answer: isBad(query) ? refusal : { type: "page", page: page(query, offset, limit, counts) },
          },
        ];
      }
      case "groups":
        return [
          {
            ...envelope,
            type: "groups",
            id: message.id,
            answer: isBad(message.query)
              ? refusal
              : {
                  type: "groups",
                  labels: labelsSet,
                  groups: {
                    by: message.by,
                    groups: (message.by === "outcome" ? ["fail", "pass", "unknown"] : [...labels, null]).map(
                      (value, i) => ({
                        ...{ value, rollouts: 1000 - i, pass: value === "late-test" ? 0 : 100 * i },
                        notValid: value === "late-test" ? 1000 - i : value === "no-edit" ? 100 : 0,
                      }),
                    ),
                    more: false,
                    people: peopleFixture,
                    beside: {
                      ...{ version: "v3-late", against: "v1" },
                      rates: [{ label: "no-edit", own: 0.302, other: 0.317 }],
                    },
                  },
                },
          },
        ];
      case "open":
      case "export":
        return [];
    }
  };
  const load = async (options: { theme?: Theme; kept?: unknown } = {}): Promise<void> => {
    queries = [];
    await host.load({ ...options, answer });
    await host.page.locator(".rows .row").first().waitFor();
  };

  for (const theme of Object.keys(themes) as Theme[])
    it(`lists the newest version with its counts, in a ${theme} theme`, async () => {
      await load({ theme });
      const counts = /1,000,000 rollouts: 199,002 passed, 753,000 failed, 47,000 unknown/;
      await host.page.locator(".counts", { hasText: counts }).waitFor();
      // What does not count is said where it is counted, and has no share of passed ones.
      await host.page
        .locator(".counts", { hasText: /; ⊘ not to be trusted: 998, because of late-test$/ })
        .waitFor();
      const groups = host.page.locator(".groups li");
      assert.match(await groups.filter({ hasText: "late-test" }).innerText(), /998\s+⊘\snot\svalid/);
      assert.doesNotMatch(await groups.filter({ hasText: "no-edit" }).innerText(), /not\svalid/);
      assert.match(
        await groups.filter({ hasText: "no-edit" }).innerText(),
        /of all: v3 30\.2\s%, v1 31\.7\s%$/,
      );
      assert.equal(await host.page.getByLabel("Version").inputValue(), "v3");
      assert.equal(await host.page.getByLabel("Split").inputValue(), "train");
      assert.match(await host.page.locator(".rows .row").first().innerText(), /⊘ not valid/);
      // Of labels that have no room the one that tells why it does not count is cut off last.
      assert.equal(
        await host.page.locator(".rows .row .labels").first().textContent(),
        "late-test, echo-trap, no-edit",
      );
      assert.match(await host.page.locator(".rows .row").nth(5).innerText(), /✓ passed/);
      assert.deepEqual(await host.violations(), []);
      if (theme === "dark")
        assert.deepEqual(
          await host.faults({
            answers: [".counts", ".rows .row"],
          }),
          [],
        );
      await host.shot(theme);
    });

  it("names the version, what became of it and how many pass beside its parent, and says what a filter keeps", async () => {
    const compared = { against: "v1-first", difference: 0.003, verdict: "inside_noise", seeds: 1 } as const;
    const beside = { version: "v1-first", score: 0.545 };
    standing = { decision: "reject", stage: null, claims: [], score: 0.548, beside, compared };
    await load();
    const head = host.page.locator(".standing");
    assert.match(
      await head.innerText(),
      /^v3\s+× rejected\s+≈ inside the noise of v1, \+0\.3\spoints\s+54\.8\s% passed, v1 54\.5\s%$/,
    );
    assert.equal(await head.locator("s").count(), 0);
    await host.page.locator(".counts", { hasText: "1,000,000 rollouts" }).waitFor();
    assert.doesNotMatch(await host.page.locator(".counts").innerText(), /filter/);
    await host.page.locator(".groups button", { hasText: "no-edit" }).click();
    await host.page.locator(".counts", { hasText: "; the filter leaves none out" }).waitFor();
    assert.deepEqual(await host.violations(), []);
    assert.deepEqual(await host.faults({ answers: [".standing", ".counts", ".rows .row"] }), []);
    await host.page.setViewportSize({ width: 360, height: 752 });
    await host.shot("standing");
    await host.page.close();
    standing = { decision: "invalid", stage: null, claims: [], score: 1, beside, distrust: { counts: 0 } };
    await load();
    assert.match(
      await host.page.locator(".standing").innerText(),
      /^v3\s+⊘ invalid\s+100\s% counts as 0\s%$/,
    );
    assert.equal(await host.page.locator(".standing s").innerText(), "100\u00a0%");
    await host.shot("standing-invalid");
    standing = undefined;
  });

  it("leaves most of a small window to the list, and keeps its filters and groups within reach", async () => {
    await load();
    const { page: view } = host;
    await view.setViewportSize({ width: 360, height: 752 });
    const filter = view.getByRole("searchbox", { name: "Filter" });
    await filter.waitFor({ state: "hidden" });
    const room = (): Promise<number> =>
      view.locator(".rows").evaluate((rows) => rows.clientHeight / window.innerHeight);
    assert.ok((await room()) > 0.45, `the list has ${await room()} of the window`);
    const fold = view.getByRole("button", { name: "Filter, search and sort" });
    await fold.click();
    await filter.fill("n_turns > 3");
    await view.keyboard.press("Enter");
    await until("the filter", () => queries.at(-1)?.query.where === "n_turns > 3");
    assert.deepEqual(await host.violations(), []);
    await host.shot("filters-360");
    await fold.click();
    await filter.waitFor({ state: "hidden" });
    assert.match(await fold.innerText(), /n_turns > 3/);
    // A window of 1000 px at 200 %.
    await view.setViewportSize({ width: 500, height: 376 });
    const group = view.locator(".groups button", { hasText: "no-edit" });
    await group.waitFor({ state: "hidden" });
    await host.shot("low");
    await view.getByRole("button", { name: "Groups", exact: true }).click();
    await group.click();
    await until("the label", () => queries.at(-1)?.query.label === "no-edit");
    await view.setViewportSize({ width: 1000, height: 752 });
    await filter.waitFor();
    assert.equal(await fold.isVisible(), false);
  });

  it("draws only the visible rows, wherever a list of a million rows is scrolled to", async () => {
    await load();
    const rows = host.page.locator(".rows");
    const drawn = host.page.locator(".rows .row");
    assert.ok((await drawn.count()) < 100);
    for (const share of [0.5, 1, 0.123, 0]) {
      await rows.evaluate((node, at) => node.scrollTo(0, at * node.scrollHeight), share);
      const top = await rows.evaluate((node) => node.scrollTop);
      await host.page.locator(`#rollout-${Math.ceil(top / 26)}`).waitFor();
      await until("all rows", async () => (await host.page.locator(".rows .waiting").count()) === 0);
      assert.ok((await drawn.count()) < 100);
    }
    assert.ok(queries.length < 20, `${queries.length} questions`);
  });

  it("jumps to the last rollout and back by key, and continues from there", async () => {
    await load();
    const rows = host.page.locator(".rows");
    await rows.focus();
    await host.page.keyboard.press("End");
    await host.page.locator(`#rollout-${total - 1}.selected`).waitFor();
    await host.page.keyboard.press("ArrowUp");
    await host.page.locator(`#rollout-${total - 2}.selected`).waitFor();
    assert.equal(await rows.getAttribute("aria-activedescendant"), `rollout-${total - 2}`);
    assert.equal(
      await host.page.locator(`#rollout-${total - 2}`).getAttribute("aria-posinset"),
      String(total - 1),
    );
    await host.page.keyboard.press("Home");
    await host.page.locator("#rollout-0.selected").waitFor();
    assert.match(
      await host.page.locator(".groups .people").innerText(),
      /^people, held-out items: precision 75\.0/,
    );
    assert.match(await host.page.locator("#rollout-2 .labels").innerText(), /2 notes/);
  });

  it("works with the keyboard and opens a rollout, here or beside", async () => {
    await load();
    await host.page.locator(".rows").focus();
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp"]) await host.page.keyboard.press(key);
    assert.equal(await host.page.locator(".rows").getAttribute("aria-activedescendant"), "rollout-1");
    await host.page.keyboard.press("Enter");
    await host.page.keyboard.press("Control+Enter");
    const opened = host.sent.filter((m) => (m as { type: string }).type === "open");
    assert.deepEqual(
      opened.map((m) => [(m as { id: string }).id, (m as { beside: boolean }).beside]),
      [
        ["1", false],
        ["1", true],
      ],
    );
    await host.page.locator(".top vscode-button", { hasText: "Export…" }).click();
    assert.equal((host.sent.at(-1) as { type: string }).type, "export");
  });

  it("filters by a click on a group, by a condition and by a text, and says what it filters by", async () => {
    await load();
    const { page: view } = host;
    await view.locator(".groups button", { hasText: "no-edit" }).click();
    await until("the label", () => queries.at(-1)?.query.label === "no-edit");
    await view.getByLabel("Group by").selectOption("outcome");
    await view.locator(".groups button", { hasText: "pass" }).click();
    await until("the outcome", () => queries.at(-1)?.query.outcome === "pass");
    await view.getByRole("button", { name: "Do not filter by label no-edit" }).click();
    await until("the label to go", () => queries.at(-1)?.query.label === undefined);
    await view.getByRole("searchbox", { name: "Filter" }).fill("outcom == 1");
    await view.keyboard.press("Enter");
    await view.locator(".problem", { hasText: "Did you mean outcome?" }).waitFor();
    assert.equal(await view.getByText("Unknown variable: outcom").count(), 1, "said once");
    await host.shot("problem");
    await view.getByRole("searchbox", { name: "Filter" }).fill("n_turns > 3");
    await view.keyboard.press("Enter");
    await view.locator(".problem").waitFor({ state: "hidden" });
    await view.getByLabel("Search in the text").fill("Traceback");
    await view.keyboard.press("Enter");
    await view.locator("mark", { hasText: "Trace<b>back" }).first().waitFor();
    assert.deepEqual(
      { ...queries.at(-1)?.query },
      {
        version: "v3",
        outcome: "pass",
        where: "n_turns > 3",
        search: "Traceback",
        orderBy: "arrival",
        descending: false,
      },
    );
    await host.shot("search");
  });

  it("keeps filter and selection after a reload, and shows the list that another view asks for", async () => {
    const kept = {
      version: 1,
      query: { version: "v2", label: "echo-trap", orderBy: "reward", descending: true },
      grouping: "outcome",
      selected: 7,
    };
    await load({ kept });
    assert.deepEqual(queries[0]?.query, kept.query);
    await host.page.locator("#rollout-7.selected").waitFor();
    await host.post({ protocol: evidenceProtocol, type: "reveal", query: { version: "v3", item: "item-4" } });
    await until("the item", () => queries.at(-1)?.query.item === "item-4");
    assert.equal(queries.at(-1)?.query.version, "v3");
  });

  it("keeps its place when versions are reported again, and makes a new list on request", async () => {
    await load();
    const rows = host.page.locator(".rows");
    await rows.evaluate((node) => node.scrollTo(0, 800));
    await until("the rows", () => queries.length > 1);
    const before = queries.length;
    const [versions] = answer({ protocol: evidenceProtocol, type: "ready" });
    await host.post(versions);
    await until(
      "the groups",
      () => host.sent.filter((m) => (m as { type: string }).type === "groups").length > 1,
    );
    assert.equal(queries.length, before);
    assert.equal(await rows.evaluate((node) => node.scrollTop), 800);
    await host.page.locator(".top vscode-button", { hasText: "Refresh" }).click();
    await until("the list", () => queries.length > before);
  });

  it("says that rollouts are being labelled, and reads them again in their places when they are", async () => {
    labelsSet = { type: "labelling" };
    await load();
    const groups = host.page.locator(".groups");
    await groups.locator("[role=status]", { hasText: "The rollouts are being labelled…" }).waitFor();
    await groups.locator("li", { hasText: "no label yet" }).waitFor();
    assert.deepEqual(await host.violations(), []);
    await host.shot("labelling");
    const rows = host.page.locator(".rows");
    await rows.evaluate((node) => node.scrollTo(0, 800));
    await until("the rows", () => queries.length > 1);
    const before = queries.length;
    labelsSet = { type: "labelled" };
    const told = { protocol: evidenceProtocol, type: "labelled", split: null };
    await host.post({ ...told, version: "v2" });
    await host.post({ ...told, version: "v3" });
    await groups.locator("[role=status]").waitFor({ state: "hidden" });
    assert.match(await groups.innerText(), /no label\n/);
    await until("the rows again", () => queries.slice(before).some(({ offset }) => offset === 0));
    assert.equal(await rows.evaluate((node) => node.scrollTop), 800);
  });

  it("says why rollouts are not labelled", async () => {
    labelsSet = { type: "refused", message: "own.diagnostic.yaml:3: Unknown variable: outcom." };
    await load();
    await host.page
      .locator(".groups [role=status]", { hasText: "The rollouts are not labelled: own.diagnostic" })
      .waitFor();
    labelsSet = { type: "labelled" };
  });

  it("ignores late answers and foreign messages, and shows text as text", async () => {
    await load();
    for (const message of [
      null,
      { protocol: 7, type: "state", state: { type: "loading" } },
      { protocol: evidenceProtocol, type: "page", id: 0, answer: { type: "refused", message: "late" } },
    ])
      await host.post(message);
    assert.equal(await host.page.locator("img, .rows script").count(), 0);
    assert.match(await host.page.locator("#rollout-3 .item").innerText(), /<img src=x .*␛\[31mred/);
    assert.ok(await host.page.locator(".problem").isHidden());
  });

  it("says why it is empty", async () => {
    await host.load({
      answer: () => [
        {
          protocol: evidenceProtocol,
          type: "state",
          state: { type: "empty", cause: "There is no evidence yet.", advice: "Run something." },
        },
      ],
    });
    await host.page.locator(".message", { hasText: "There is no evidence yet." }).waitFor();
    await host.page.locator(".message vscode-button", { hasText: "Refresh" }).click();
    await until("the wish", () => (host.sent.at(-1) as { type: string }).type === "refresh");
  });
});

import assert from "node:assert/strict";
import { seededRandom } from "../../../server/src/base/random.ts";
import {
  evidenceProtocol,
  FromEvidencePanel,
  type EvidenceQuery,
} from "../../../shared/protocol/views/evidence.ts";
import { gateProtocol } from "../../../shared/protocol/views/gate.ts";
import { lineageProtocol } from "../../../shared/protocol/views/lineage.ts";
import { peopleFixture } from "./compareFixture.ts";
import { labels, page, refusal, total } from "./evidenceFixture.ts";
import { gateMessage, proposalFixture } from "./gateFixture.ts";
import { HeldAnswers, pageText, settled } from "./heldAnswers.ts";
import { freshLineage, lineageFixture, pageMessages } from "./lineageFixture.ts";
import { ViewHost } from "./viewHost.ts";

/** Starts a page before the tests of a block, and looks at the end of each that it did not complain. */
function hosted(view: string): { readonly host: () => ViewHost } {
  let host: ViewHost | undefined;
  before(async () => {
    host = await ViewHost.start(view);
  });
  after(() => host?.stop());
  afterEach(async () => {
    await host?.page.close();
    assert.deepEqual(host?.complaints, [], "the page complained");
  });
  return {
    host: () => {
      assert.ok(host);
      return host;
    },
  };
}

describe("the evidence panel, answered late", () => {
  const { host } = hosted("evidence");
  const envelope = { protocol: evidenceProtocol };
  const versions = [{ version: "v3", train: total, selection: 0 }];
  const state = { ...envelope, type: "state", state: { type: "versions", root: "/p", versions } };
  let isRefused = false;
  const answer = (raw: unknown): unknown[] => {
    const message = FromEvidencePanel.parse(raw);
    if (message.type === "ready") return [state];
    if (message.type !== "page" && message.type !== "groups") return [];
    const { id, query } = message;
    if (message.type === "groups") {
      const groups = labels.map((value, i) => ({
        ...{ value, rollouts: query.outcome === "fail" ? 7 + i : 1000 - i, pass: 0, notValid: 0 },
      }));
      const found = { by: message.by, groups, more: false, people: [] };
      const labelled = { type: "labelled" };
      return [
        { ...envelope, type: "groups", id, answer: { type: "groups", groups: found, labels: labelled } },
      ];
    }
    const { offset, limit, counts } = message;
    const found = isRefused ? refusal : { type: "page", page: page(query, offset, limit, counts) };
    return [{ ...envelope, type: "page", id, answer: found }];
  };
  const reveal = (query: Partial<EvidenceQuery>): Promise<void> =>
    host().post({ ...envelope, type: "reveal", query: { version: "v3", ...query } });
  const first = () => host().page.locator("#rollout-0");

  it("opens no rollout of another list for an Enter that waited for a row of the one before", async () => {
    const held = new HeldAnswers();
    const isFar = (message: Record<string, unknown>): boolean =>
      message["type"] === "page" && Number(message["offset"]) > 0;
    await host().load({ answer: held.of(answer, (message) => (isFar(message) ? "far" : undefined)) });
    await first().waitFor();
    await host().page.locator(".rows").focus();
    await host().page.keyboard.press("End");
    await host().page.keyboard.press("Enter");
    await settled(host());
    await reveal({ outcome: "fail" });
    await held.giveAll(host(), () => 0);
    await host().page.locator(".chip").waitFor();
    await host().page.keyboard.press("ArrowDown");
    await host().page.locator(".rows .row.selected").waitFor();
    await settled(host());
    const opened = host().sent.filter(
      (m) => typeof m === "object" && m !== null && "type" in m && m.type === "open",
    );
    assert.deepEqual(opened, []);
  });

  it("asks again for rows that were refused, once something has changed", async () => {
    await host().load({ answer });
    await first().waitFor();
    isRefused = true;
    await host().page.locator(".rows").focus();
    await host().page.keyboard.press("End");
    await host().page.locator(".problem", { hasText: "Unknown variable" }).waitFor();
    isRefused = false;
    await host().post(state);
    await first().waitFor();
    await host().page.locator(".problem").waitFor({ state: "hidden" });
  });

  it("says the same in the end, in whatever order the answers come", async () => {
    const finalText = async (next: (count: number) => number): Promise<string> => {
      const held = new HeldAnswers();
      await host().load({ answer: held.of(answer, ({ type }) => (type === "ready" ? undefined : type)) });
      await settled(host());
      await reveal({ outcome: "pass" });
      await settled(host());
      await held.give(host(), next(held.count));
      await reveal({ outcome: "fail" });
      await host().post(state);
      await held.giveAll(host(), next);
      return pageText(host());
    };
    const inOrder = await finalText(() => 0);
    assert.match(inOrder, /outcome: fail/);
    for (const seed of [1, 2]) {
      const random = seededRandom(seed);
      assert.equal(await finalText((count) => Math.floor(random() * count)), inOrder, `seed ${seed}`);
    }
    assert.equal(await finalText((count) => count - 1), inOrder, "backwards");
  });
});

describe("a gate card, told again what came of an answer", () => {
  const { host } = hosted("gate");

  it("keeps the next answer that somebody is writing", async () => {
    const notice = { kind: "done" as const, text: "The changed text now waits for approval." };
    const told = gateMessage(proposalFixture, { notice });
    const key = { root: "/project", id: proposalFixture.id };
    const kept = { version: 1, key, form: "revise", draft: "what was sent", withWorkTree: false };
    await host().load({ kept, answer: ({ type }) => (type === "ready" ? [told] : []) });
    // What was sent has arrived.
    await host().page.locator("#reject").click();
    assert.equal(await host().page.locator("#draft").inputValue(), "");
    await host().page.keyboard.type("not this one");
    await host().post(told);
    await settled(host());
    assert.equal(await host().page.locator("#draft").inputValue(), "not this one");
    await host().page.locator("#send").click();
    await host().sends({ protocol: gateProtocol, type: "reject", reason: "not this one" });
    await host().post(gateMessage(proposalFixture, { isBusy: true, notice: null }));
    await host().post(told);
    await host().page.locator("#approve").waitFor();
  });
});

describe("the lineage panel, answered late", () => {
  const { host } = hosted("lineage");
  const protocol = lineageProtocol;
  const pages = pageMessages(lineageFixture, 25_000);

  it("asks again for items that were refused, once something has changed", async () => {
    let isRefused = true;
    await host().load({
      kept: { ...freshLineage, layout: "items" },
      answer: ({ type, id, versions }) => {
        if (type === "ready") return pages;
        if (type !== "items" || !Array.isArray(versions)) return [];
        const items = {
          ...{ versions, invalid: [], older: 0, split: "selection", total: 1 },
          items: [
            { item: "item-7", changes: 0, cells: versions.map(() => ({ passes: 1, known: 4, rollouts: 4 })) },
          ],
        };
        const found = isRefused
          ? { type: "refused", message: "The archive is being handed over." }
          : { type: "items", items };
        return [{ protocol, type: "items", id, answer: found }];
      },
    });
    await host().page.getByText("The archive is being handed over.").waitFor();
    isRefused = false;
    await host().post({ protocol, type: "people", people: [] });
    await host().page.getByRole("gridcell", { name: "item-7 in v0" }).waitFor();
  });

  it("says of labels of another lineage nothing that people said in the one before", async () => {
    await host().load({
      kept: { ...freshLineage, layout: "labels" },
      answer: ({ type }) =>
        type === "ready" ? [...pages, { protocol, type: "people", people: peopleFixture }] : [],
    });
    const said = host().page.locator(".tables .people");
    await said.getByText("held-out items").first().waitFor();
    for (const message of pages) {
      assert.ok(typeof message === "object" && message !== null && "page" in message);
      const other = { ...message, page: { ...(message.page as object), epoch: "99" } };
      await host().post(other);
    }
    await settled(host());
    assert.equal((await said.textContent()) ?? "", "");
  });
});

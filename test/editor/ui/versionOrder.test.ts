import assert from "node:assert/strict";
import { seededRandom } from "../../../server/src/base/random.ts";
import {
  versionProtocol,
  type PanelQuestion,
  type PartAnswers,
} from "../../../shared/protocol/views/version.ts";
import { loadVersions, versionsSide, type VersionsLoad } from "./compareFixture.ts";
import { versions } from "./compareVersions.ts";
import { HeldAnswers, pageText, settled } from "./heldAnswers.ts";
import { ViewHost } from "./viewHost.ts";

type Says = NonNullable<VersionsLoad["says"]>;

/** What the diagnostics say of a version that nobody has decided on: a label makes it invalid, another one is counted over groups. */
const leaking: PartAnswers["diagnosed"] = {
  score: null,
  cleanScore: null,
  signals: {},
  labels: [
    {
      ...{ name: "leak", severity: "critical", labelled: 9, rollouts: 10 },
      ...{ alert: "critical", invalidates: true },
    },
  ],
};
const v5 = versions["v5"];
const echo = { run: "v7.train.s1", id: "late-1", item: "item-late" };

/** The panel, whose questions are answered in whatever order, late, twice over, or not at all. */
describe("the order in which the version panel is answered", () => {
  let host: ViewHost;
  before(async () => {
    host = await ViewHost.start("version");
  });
  after(() => host.stop());
  afterEach(async () => {
    await host.page.close();
    assert.deepEqual(host.complaints, [], "the page complained");
  });

  const part = (id: string) => host.page.locator(`.part.${id}`);
  const banner = () => host.page.locator(".banner");
  const show = (names: readonly string[], root = "/p"): Promise<void> =>
    host.post({ protocol: versionProtocol, type: "show", root, names });
  const changed = (): Promise<void> => host.post({ protocol: versionProtocol, type: "changed" });
  const title = (text: string): Promise<void> => host.page.locator("h1", { hasText: text }).waitFor();
  const refusing =
    (refused: PanelQuestion["part"]): Says =>
    ({ part: asked }) =>
      asked === refused ? "The archive is being handed over." : undefined;
  const held = (): { readonly until: Promise<void>; readonly release: () => void } => {
    let release = (): void => undefined;
    return { until: new Promise<void>((resolve) => (release = resolve)), release: () => release() };
  };

  it("asks again for rollouts to look at that another version was shown in the place of", async () => {
    const late = held();
    await loadVersions(host, ["v7"], { waits: (of) => (of === "examples" ? late.until : undefined) });
    await banner().locator(".moved button").first().waitFor();
    await show(["v8"]);
    await title("v8 against v4");
    late.release();
    await settled(host);
    await show(["v7"]);
    await banner().locator(".examples", { hasText: "item-001" }).waitFor();
  });

  it("asks again for rollouts to look at that were refused, once something has changed", async () => {
    let isThere = false;
    const says: Says = (question) => {
      if (question.part !== "examples") return undefined;
      return isThere ? [echo] : "The archive is being handed over.";
    };
    await loadVersions(host, ["v7"], { says });
    await banner().locator(".moved button").first().waitFor();
    await settled(host);
    assert.doesNotMatch(await banner().innerText(), /item-late/);
    isThere = true;
    await changed();
    await banner().locator(".examples", { hasText: "item-late" }).waitFor();
  });

  it("shows no pairs of versions that are not shown any more", async () => {
    const late = held();
    const waits: VersionsLoad["waits"] = (of, question) =>
      of === "pairs" && "versions" in question && question.versions.includes("v9") ? late.until : undefined;
    await loadVersions(host, ["v4", "v8", "v6"], { waits });
    await part("pairs").locator("button").first().waitFor();
    await show(["v4", "v9", "v10"]);
    await title("v4, v9, v10");
    await settled(host);
    assert.doesNotMatch((await part("pairs").textContent()) ?? "", /v8|v6/);
    late.release();
    await part("pairs").locator("button").first().waitFor();
  });

  it("says why a version is not there, whichever answer comes first", async () => {
    for (const first of ["v8", "nope"]) {
      const late = held();
      const waits: VersionsLoad["waits"] = (_, question) =>
        question.part === "version" && question.version !== first ? late.until : undefined;
      await loadVersions(host, ["v8", "nope"], { waits });
      await settled(host);
      late.release();
      await settled(host);
      const said = (await part("overview").textContent()) ?? "";
      assert.match(said, /There is no version nope/, `${first} first`);
      assert.match(said, /judge of how instructions are followed/, `${first} first`);
    }
  });

  it("does not go on reading labels that cannot be told", async () => {
    await loadVersions(host, ["v8"], { says: refusing("labels") });
    await part("labels").getByText("The archive is being handed over.").waitFor();
    await settled(host);
    const said = await banner().innerText();
    assert.doesNotMatch(said, /Reading/);
    assert.match(said, /labels cannot be compared: The archive is being handed over/i);
  });

  it("takes the colours from labels when it turns out last that their version is not to be trusted", async () => {
    const late = held();
    const says: Says = ({ part: asked, ...question }) =>
      asked === "diagnosed" && "version" in question && question.version === "v5" ? leaking : undefined;
    await loadVersions(host, ["v5"], { says, waits: (of) => (of === "diagnosed" ? late.until : undefined) });
    await part("labels").locator("table").first().waitFor();
    assert.match((await part("labels").textContent()) ?? "", /worse/);
    late.release();
    await banner().getByText("not valid").first().waitFor();
    assert.doesNotMatch((await part("labels").textContent()) ?? "", /worse/);
  });

  it("forgets what the diagnostics said of a version that is measured now", async () => {
    let isMeasured = false;
    const says: Says = (question) => {
      if (question.part === "diagnosed") return leaking;
      if (question.part !== "version" || question.version !== "v5" || v5 === undefined) return undefined;
      return isMeasured ? { ...v5, score: 0.3, low: 0.2, high: 0.4 } : v5;
    };
    await loadVersions(host, ["v5"], { says });
    await banner().getByText("not valid").first().waitFor();
    isMeasured = true;
    await changed();
    await banner().getByText("30.0").first().waitFor();
    assert.doesNotMatch(await banner().innerText(), /not valid/);
  });

  it("drops what comes late of two versions that are not compared any more", async () => {
    const late = held();
    const says: Says = (question) =>
      question.part === "change" && question.version === "v8"
        ? {
            ...{ version: "v8", commit: "1".repeat(40), against: null },
            files: [{ path: "of/v8.yaml", change: "added" }],
          }
        : undefined;
    await loadVersions(host, ["v4", "v8", "v6"], {
      says,
      waits: (of, question) =>
        of === "change" && "version" in question && question.version === "v8" ? late.until : undefined,
      kept: { version: 1, root: "/p", names: [], a: null, b: null, by: "outcome", metrics: null },
    });
    await title("v4, v8, v6");
    await host.page.locator(".chooser select").first().selectOption("v8");
    await host.page.locator(".chooser select").nth(1).selectOption("v4");
    await settled(host);
    await host.page.locator(".chooser select").first().selectOption("v6");
    await part("change").getByText("main.reward.yaml").waitFor();
    late.release();
    await settled(host);
    assert.doesNotMatch((await part("change").textContent()) ?? "", /of\/v8/);
  });

  it("shows nothing of a version of another project that has the same name", async () => {
    const late = held();
    const v8 = versions["v8"];
    const says: Says = (question, root) => {
      if (root !== "/q" || v8 === undefined) return undefined;
      if (question.part === "version" && question.version === "v8")
        return { ...v8, parent: "v9", title: "of the other project" };
      return undefined;
    };
    let isOther = false;
    const waits: VersionsLoad["waits"] = (of) => (isOther && of === "version" ? late.until : undefined);
    await loadVersions(host, ["v8"], { says, waits });
    await title("v8 against v4");
    await part("labels").locator("table").first().waitFor();
    isOther = true;
    await show(["v8"], "/q");
    await settled(host);
    assert.doesNotMatch(await pageText(host), /instruction-following judge/);
    late.release();
    await title("v8 against v9");
    await banner().getByText("of the other project").waitFor();
  });

  it("gives no question the number that one had before the page was loaded anew", async () => {
    const ids = (): number[] =>
      host.sent.flatMap((sent) =>
        typeof sent === "object" && sent !== null && "id" in sent && typeof sent.id === "number"
          ? [sent.id]
          : [],
      );
    await loadVersions(host, ["v8"], {});
    await title("v8 against v4");
    const before = new Set(ids());
    await loadVersions(host, ["v8"], {});
    await title("v8 against v4");
    assert.ok(before.size > 3);
    assert.deepEqual(
      ids().filter((id) => before.has(id)),
      [],
    );
  });

  it("says the same in the end, in whatever order the answers come", async () => {
    const cases: { readonly names: readonly string[]; readonly says?: Says }[] = [
      { names: ["v7"] },
      { names: ["v5"], says: ({ part: asked }) => (asked === "diagnosed" ? leaking : undefined) },
      { names: ["v8", "v6", "v9"] },
    ];
    for (const { names, says } of cases) {
      const finalText = async (next: (count: number) => number, changes: boolean): Promise<string> => {
        const held = new HeldAnswers();
        const answer = held.of(versionsSide(names, says === undefined ? {} : { says }), ({ type }) =>
          type === "ask" ? type : undefined,
        );
        await host.load({ answer });
        await settled(host);
        for (let given = 0; changes && given < 4; given++) await held.give(host, next(held.count));
        if (changes) await changed();
        await held.giveAll(host, next);
        return pageText(host);
      };
      const inOrder = await finalText(() => 0, false);
      assert.ok(inOrder.length > 500, inOrder);
      assert.doesNotMatch(inOrder, /Reading|Comparing/);
      const random = seededRandom(2);
      const found = await finalText((count) => Math.floor(random() * count), true);
      assert.equal(found, inOrder, `${names.join(" ")}, at random`);
      assert.equal(await finalText((count) => count - 1, false), inOrder, `${names.join(" ")}, backwards`);
    }
  });
});

import assert from "node:assert/strict";
import { versionProtocol } from "../../../shared/protocol/views/version.ts";
import { until } from "../launcher/workbench.ts";
import { loadVersions, unfoldParts, type VersionsLoad } from "./compareFixture.ts";
import { ViewHost } from "./viewHost.ts";

describe("which versions the version panel shows", () => {
  let host: ViewHost;
  before(async () => {
    host = await ViewHost.start("version");
  });
  after(() => host.stop());
  afterEach(async () => {
    await host.page.close();
    assert.deepEqual(host.complaints, [], "the page complained");
  });

  const load = (names: readonly string[] | null, options: VersionsLoad = {}): Promise<void> =>
    loadVersions(host, names, options);
  const part = (id: string) => host.page.locator(`.part.${id}`);
  const unfold = (): Promise<void> => unfoldParts(host);
  const last = (type: string) =>
    host.sent.filter((m) => typeof m === "object" && m !== null && "type" in m && m.type === type).at(-1);

  it("shows several versions side by side, lets the user choose two to compare, and says why two cannot be compared", async () => {
    await load(["v4", "v5", "v8"]);
    const pairs = part("pairs");
    await pairs.locator(".pair-name", { hasText: "v5 → v8" }).waitFor();
    assert.match(
      await pairs.innerText(),
      /v4 → v5\s+v4 and v5 have no item in common\.[^]*v4 → v8\s+≈ \+1\.9\spoints[^]*v5 → v8[^]*Choose a pair/,
    );
    assert.equal(await part("flips").isVisible(), false, "no two are chosen silently");
    await pairs.getByRole("button", { name: "v4 → v8" }).click();
    await part("flips").locator("table").waitFor();
    await unfold();
    assert.deepEqual(await part("overview").locator("thead th").allInnerTexts(), ["v4 ✕", "v5 ✕", "v8 ✕"]);
    await host.page.locator(".chooser select").first().selectOption("v5");
    await part("comparison").locator("p", { hasText: "have no item in common" }).waitFor();
    assert.equal(await part("flips").isVisible(), false);
    await part("flow").locator("select").selectOption("stop");
    await part("flow").locator("th", { hasText: "fail: idle" }).first().waitFor();
    await part("curves").locator("select").selectOption("entropy");
    await part("curves").locator("figcaption", { hasText: "entropy" }).waitFor();
    await host.page.setViewportSize({ width: 1200, height: 2000 });
    await host.shot("three");
    assert.deepEqual(await host.faults({ answers: [".decided", ".because"] }), []);
    await part("overview").getByRole("button", { name: "Remove v5" }).click();
    await host.page.locator("h1", { hasText: "v8 against v4" }).waitFor();
    assert.deepEqual(await host.uiState(), {
      version: 1,
      root: "/p",
      names: ["v4", "v8"],
      a: null,
      b: null,
      by: "stop",
      metrics: ["reward/mean", "kl", "entropy"],
    });
  });

  it("comes back as the user left it", async () => {
    const kept = {
      version: 1,
      root: "/p",
      names: ["v8", "v4"],
      a: "v8",
      b: "v4",
      by: "outcome",
      metrics: ["kl"],
    };
    await load(null, { kept });
    await host.page.locator("h1", { hasText: "v4 against v8" }).waitFor();
    await unfold();
    await part("curves").locator("figcaption", { hasText: "kl" }).waitFor();
    assert.equal(await part("curves").locator("figure").count(), 1);
  });

  it("refreshes when the lineage changed, and says what it cannot show", async () => {
    await load(["v8"]);
    await part("change").locator("li").first().waitFor();
    const before = host.sent.length;
    await host.post({ protocol: versionProtocol, type: "changed" });
    await until("it asks again", () => host.sent.length > before);
    await host.post({ protocol: versionProtocol, type: "show", root: "/p", names: ["gone"] });
    await unfold();
    await part("overview").locator("p", { hasText: "no version gone" }).waitFor();
    for (const name of ["rewards", "curves", "comparison", "labels", "change"])
      assert.equal(await part(name).isVisible(), false, `${name} is that of v8`);
    for (const message of [
      null,
      {},
      { protocol: 9, type: "changed" },
      { protocol: versionProtocol, type: "answer", id: 99 },
    ])
      await host.post(message);
  });

  it("says what to do when no version is chosen", async () => {
    await load(null);
    await host.page.locator("vscode-button", { hasText: "Choose a Version" }).click();
    await until("it asks for one", () => last("add") !== undefined);
  });
});

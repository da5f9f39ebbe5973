import assert from "node:assert/strict";
import type { ServiceResult } from "../../../shared/protocol/editorServices.ts";
import { serviceViewProtocol } from "../../../shared/protocol/views/serviceView.ts";
import { themes, type Theme } from "./themes.ts";
import { ViewHost } from "./viewHost.ts";

const version = { parent: "v0", comparison: null, basis: "rollouts", gate: null } as const;
const replay: ServiceResult<"lineage.replay"> = {
  domain: "swe",
  rules: ["1 seed of each version"],
  summary: ["2 versions decided again: 1 decision changes (v1)."],
  versions: [
    {
      ...{ ...version, name: "v1", state: "changed" },
      recorded: { decision: "reject", reason: "Inside the noise." },
      now: { decision: "keep", reason: "Better \u202e<b>now</b>." },
      notes: [],
    },
    {
      ...{ ...version, name: "v2", state: "not_tried", now: null },
      recorded: { decision: "keep", reason: "Better." },
      notes: ["It would not have been tried."],
    },
  ],
};

describe("the replay view", () => {
  let host: ViewHost;
  before(async () => {
    host = await ViewHost.start("replay");
  });
  after(() => host.stop());
  afterEach(async () => {
    await host.page.close();
    assert.deepEqual(host.complaints, [], "the page complained");
  });
  const load = (theme: Theme = "dark"): Promise<void> =>
    host.load({
      theme,
      answer: ({ type, id }) =>
        type === "ask" ? [{ protocol: serviceViewProtocol, type: "answer", id, value: replay }] : [],
    });

  for (const theme of Object.keys(themes) as Theme[])
    it(`shows which decisions change and why, in a ${theme} theme`, async () => {
      await load(theme);
      await host.page.locator("tbody tr").first().waitFor();
      assert.deepEqual(await host.page.locator("tbody tr").allInnerTexts(), [
        "v1\t× reject\t● keep\tchanges\twas: Inside the noise. now: Better ⟨U+202E⟩<b>now</b>.",
        "v2\t● keep\t–\tnot tried\tIt would not have been tried.",
      ]);
      assert.equal(await host.page.locator("table b").count(), 0);
      assert.deepEqual(await host.violations(), []);
      if (theme === "dark") assert.deepEqual(await host.faults({ answers: ["tbody tr"] }), []);
    });

  it("asks by the recorded rules first, and then by those that were written", async () => {
    await load();
    await host.page.getByText("1 decision changes").waitFor();
    await host.page.getByLabel("Seeds of each version").fill("1");
    await host.page.getByLabel("Without the diagnostic").fill("leak, echo-trap");
    await host.page.getByLabel("Without the diagnostic").press("Enter");
    const asked = (): unknown[] =>
      host.sent.flatMap((message) =>
        typeof message === "object" && message !== null && "params" in message ? [message.params] : [],
      );
    while (asked().length < 2) await host.page.evaluate("0");
    assert.deepEqual(asked(), [{}, { seeds: 1, without: ["leak", "echo-trap"] }]);
  });
});

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { contributionsOf } from "../server/src/assistant/contributions.ts";
import { folderOf, serviceViewNames } from "../shared/words/serviceViews.ts";
import { contributed } from "./contributions.ts";

const root = join(import.meta.dirname, "..");
const manifest: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

describe("what package.json contributes for tools and views", () => {
  it("is up to date; npm run contributions writes it", () =>
    assert.deepEqual(contributed(manifest, contributionsOf()), manifest));

  it("has for each view a command, a place in the lineage's menu and what starts the extension when its panel comes back", () => {
    const views = { Things: { icon: "table" } };
    const bare = {
      name: "x",
      activationEvents: ["onWebviewPanel:evotrainer.job"],
      contributes: { commands: [{ command: "evotrainer.showLog" }], menus: { "view/title": [] }, other: 1 },
    };
    const written = contributed(bare, [], views);
    assert.deepEqual(written, {
      name: "x",
      activationEvents: ["onWebviewPanel:evotrainer.job", "onWebviewPanel:evotrainer.things"],
      contributes: {
        commands: [
          { command: "evotrainer.showLog" },
          {
            command: "evotrainer.showThings",
            title: "Show Things",
            category: "EvoTrainer",
            icon: "$(table)",
          },
        ],
        menus: {
          "view/title": [
            {
              command: "evotrainer.showThings",
              when: "view == evotrainer.lineage",
              group: "2_views@1",
            },
          ],
        },
        other: 1,
        languageModelTools: [],
      },
    });
    assert.deepEqual(contributed(written, [], views), written);
  });

  it("is there for views that have a folder", () => {
    for (const name of serviceViewNames)
      assert.ok(existsSync(join(root, "webview/src", folderOf(name), "main.ts")), name);
  });
});

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { checkSpecs } from "../server/src/language/checks/checkSpecs.ts";
import { withDefaults } from "../server/src/language/completion/starts.ts";
import { specKindIn, specSchemas } from "../server/src/language/syntax/specKind.ts";

const Snippets = z.record(z.string(), z.object({ prefix: z.array(z.string()), body: z.array(z.string()) }));
const file = new URL("../media/snippets.json", import.meta.url);
const snippets = Snippets.parse(JSON.parse(readFileSync(file, "utf8")));

const expand = (name: string): string => `${withDefaults(snippets[name]?.body.join("\n") ?? "")}\n`;

/** Where each snippet belongs: together they are a project. */
const places: Readonly<Record<string, string>> = {
  Project: "evotrainer.yaml",
  Diagnostic: "harness/diagnostics/echo-trap.diagnostic.yaml",
  "Diagnostic over a version": "harness/diagnostics/nothing-learned.diagnostic.yaml",
  Intervention: "harness/interventions/binary-reward.intervention.yaml",
  Reward: "harness/main.reward.yaml",
  Skill: "harness/skills/pay-for-whole-answers.skill.yaml",
  "Evidence mapping": "harness/samples.evidence.yaml",
  "Lineage mapping": "harness/trials.evidence.yaml",
};

describe("snippets", () => {
  it("are valid when every default is accepted", async () => {
    const root = mkdtempSync(join(tmpdir(), "evotrainer-snippets-"));
    try {
      for (const [name, place] of Object.entries(places)) {
        mkdirSync(dirname(join(root, place)), { recursive: true });
        writeFileSync(join(root, place), expand(name) + (name === "Reward" ? expand("Filter") : ""));
      }
      for (const split of ["train", "selection", "audit"]) {
        mkdirSync(join(root, "data"), { recursive: true });
        writeFileSync(join(root, `data/${split}.jsonl`), `{"id":"${split}-1"}\n`);
      }
      writeFileSync(join(root, "harness/evaluation.yaml"), "samples: 4\n");
      assert.deepEqual(await checkSpecs(root), []);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });

  it("exist for every kind of spec", () => {
    const kinds = Object.entries(places).map(([name, place]) => specKindIn(place, expand(name)));
    // Trainer configs are checked as well, but their keys are the trainer's.
    const all = Object.keys(specSchemas).filter((kind) => kind !== "config");
    assert.deepEqual([...new Set(kinds)].sort(), all.sort());
    assert.deepEqual([...Object.keys(places), "Filter"].sort(), Object.keys(snippets).sort());
  });
});

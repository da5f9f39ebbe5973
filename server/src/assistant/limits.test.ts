import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { callTool } from "./answer.ts";
import { openEvidenceTools } from "./evidenceTools.ts";
import { tools } from "./tools.ts";

const Trusting = z.looseObject({ trusted: z.boolean() });
const signal = new AbortController().signal;
const intervention = `apiVersion: evotrainer/v1
kind: Intervention
name: faster
hypothesis: { change: x, metric: solve_rate, direction: increase, because: it should }
targets: [loops]
factor: reward
edit: [{ file: reward.yaml, path: shape, from: linear, to: flat }]
success: { atLeast: 0.02 }
`;

/** An engine that notes what it is asked. */
function noting(answers: Readonly<Record<string, unknown>>, root = "/p") {
  const asked: { readonly name: string; readonly params: unknown }[] = [];
  return {
    asked,
    places: {
      roots: [root],
      ask: (_root: string, name: string, params: unknown): Promise<never> => {
        asked.push({ name, params });
        return Promise.resolve(answers[name] as never);
      },
    },
  };
}

describe("an assistant", () => {
  it("cannot ask for the audit split with any tool", async () => {
    const split: Readonly<Record<string, Record<string, unknown>>> = {
      evotrainer_rollouts: { version: "v1" },
      evotrainer_diagnose: { version: "v1" },
      evotrainer_backtest: { text: "kind: Diagnostic\n" },
      evotrainer_try_condition: { condition: "n_turns > 1" },
    };
    for (const tool of tools.filter((one) => "split" in one.input.shape)) {
      const input = split[tool.name] ?? assert.fail(`${tool.name} takes a split`);
      assert.ok(tool.input.safeParse({ ...input, split: "selection" }).success, tool.name);
      const { asked, places } = noting({});
      const { isError, text } = await callTool(places, {
        name: tool.name,
        input: { ...input, split: "audit" },
        signal,
      });
      assert.ok(isError && /split/.test(text), `${tool.name}: ${text}`);
      assert.deepEqual(asked, []);
    }
  });

  it("is shown no rollout of the audit split", async () => {
    const rollout = { split: "audit", turns: [{ role: "user", text: "sealed words" }] };
    const { places } = noting({ "rollouts.show": { rollout, labels: [], version: "v1" } });
    for (const more of [{}, { turn: 0 }]) {
      const input = { rollout: "v1.audit.s1/r-0", ...more };
      const { isError, text } = await callTool(places, { name: "evotrainer_rollout", input, signal });
      assert.deepEqual(
        [isError, /sealed for assistants/.test(text), /sealed words/.test(text)],
        [true, true, false],
      );
    }
  });

  it("has no program of the project run and no model asked", async () => {
    const { asked, places } = noting({
      "versions.list": [{ version: "v1" }],
      "versions.diagnose": {},
      "rollouts.people": { people: [] },
      "proposals.make": { proposals: [] },
    });
    await callTool(places, { name: "evotrainer_diagnose", input: { version: "v1" }, signal });
    await callTool(places, { name: "evotrainer_propose", input: { text: intervention }, signal });
    const runs = asked.filter(({ name }) => name !== "versions.list" && name !== "rollouts.people");
    assert.deepEqual(
      runs.map(({ name, params }) => [name, Trusting.parse(params).trusted]),
      [
        ["versions.diagnose", false],
        ["proposals.make", false],
      ],
    );
  });

  it("is shown no file from outside of the project", async () => {
    const folder = mkdtempSync(join(tmpdir(), "evo-assistant-"));
    try {
      const root = join(folder, "project");
      mkdirSync(root);
      const draft = "kind: Project\n";
      for (const file of [join(folder, "outside.yaml"), join(root, "inside.yaml"), join(root, "notes.txt")])
        writeFileSync(file, draft);
      symlinkSync(join(folder, "outside.yaml"), join(root, "link.yaml"));
      const ask = (path: string) =>
        callTool(noting({}, root).places, { name: "evotrainer_backtest", input: { path }, signal });
      // It is read, and what it says is told.
      assert.match((await ask("inside.yaml")).text, /has the kind Project/);
      for (const path of ["../outside.yaml", join(folder, "outside.yaml"), "link.yaml", "notes.txt"]) {
        const { isError, text } = await ask(path);
        assert.ok(isError && /is not a YAML file of the project/.test(text), `${path}: ${text}`);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("a proposer", () => {
  const open = openEvidenceTools({ root: "/p", store: undefined as never });

  it("has no tool that writes, by whatever name it asks", async () => {
    const writing = tools.filter(({ writes }) => writes).map(({ name }) => name);
    assert.deepEqual(writing, ["evotrainer_propose"]);
    assert.deepEqual(
      open.tools.map(({ name }) => name).filter((name) => writing.includes(name)),
      [],
    );
    for (const name of [...writing, "constructor"])
      assert.deepEqual(await open.call(name, { text: intervention }, signal), {
        text: `There is no tool "${name}" here.`,
        isError: true,
      });
  });
});

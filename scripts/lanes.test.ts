import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

/** Runs tasks of lanes in a process, and gives what began in which order; a task ends when `ends` says so. */
function begun(places: readonly (readonly string[])[], steps: string): string[] {
  const script = `
    const { Lanes } = await import(${JSON.stringify(new URL("./lib/lanes.mjs", import.meta.url).href)});
    const lanes = new Lanes(${JSON.stringify(places)});
    const began = [], open = new Map(), all = [];
    const add = (lane, name, weight) =>
      all.push(lanes.add({ lane, weight, run: () => new Promise((resolve) => { began.push(name); open.set(name, resolve); }) }));
    const settle = () => new Promise((resolve) => setTimeout(resolve, 20));
    const end = async (name) => { await settle(); open.get(name)(); await settle(); };
    ${steps}
    await settle();
    process.stdout.write(JSON.stringify(began));
    lanes.end();
    process.exit();`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  assert.equal(stderr, "");
  return JSON.parse(stdout) as string[];
}

describe("the lanes of the tests", () => {
  it("begin the heaviest task of a place's first lane, and those of the next when that has none", () => {
    const steps = `add("waits", "w", 1); add("computes", "light", 1); add("computes", "heavy", 2); await end("heavy"); await end("light");`;
    assert.deepEqual(begun([["computes", "waits"]], steps), ["heavy", "light", "w"]);
    assert.deepEqual(
      begun([["waits", "computes"]], steps.replace('await end("light");', "").replace('heavy");', 'w");')),
      ["w", "heavy"],
    );
  });

  it("leave a place to its lane until they are told that it takes others too", () => {
    const steps = `add("computes", "c", 1); add("editor", "e", 1); await end("e");`;
    assert.deepEqual(begun([["editor"]], steps), ["e"]);
    assert.deepEqual(begun([["editor"]], `${steps} lanes.alsoTakes("editor", ["computes"]);`), ["e", "c"]);
  });
});

import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { parseYaml } from "./yaml.ts";

describe("parseYaml", () => {
  it("prints no warning to the terminal, and keeps the problems of an unusual text", async () => {
    const warned: Error[] = [];
    const listen = (warning: Error): number => warned.push(warning);
    process.on("warning", listen);
    assert.deepEqual(parseYaml("? [a, b]\n: 1\n").toJS(), { "[ a, b ]": 1 });
    const { errors } = parseYaml("a: 1\na: [2");
    await setImmediate();
    process.off("warning", listen);
    assert.deepEqual(warned, []);
    assert.ok(errors.length >= 2);
  });
});

import assert from "node:assert/strict";
import { foldFindings, withoutTraining } from "./foldFindings.ts";
import type { Finding } from "./rules.ts";

const finding = (name: string, severity: Finding["severity"] = "warning"): Finding => ({
  name,
  severity,
  message: `${name} holds.`,
});
const under = (found: readonly Finding[]): Record<string, string> =>
  Object.fromEntries(found.flatMap((f) => (f.under === undefined ? [] : [[f.name, f.under]])));

describe("a failure that several diagnostics find", () => {
  const specs = [{ name: "dead", foldUnder: "signal" }, { name: "signal" }, { name: "never-edits" }];
  it("is said by the one that its diagnostic names", () =>
    assert.deepEqual(under(foldFindings([finding("dead"), finding("signal")], specs, [])), {
      dead: "signal",
    }));
  it("is said by its own name where that one found nothing", () =>
    assert.deepEqual(under(foldFindings([finding("dead")], specs, [])), {}));
  it("is not said by a milder one", () =>
    assert.deepEqual(under(foldFindings([finding("dead", "critical"), finding("signal")], specs, [])), {}));
  it("is said once by labels that are on the same rollouts, by the most severe", () =>
    assert.deepEqual(
      under(
        foldFindings([finding("abandon", "critical"), finding("exit"), finding("never-edits")], specs, [
          ["never-edits", "exit", "abandon", "below-its-threshold"],
        ]),
      ),
      { exit: "abandon", "never-edits": "abandon" },
    ));
  it("is said by the one that its diagnostic names, also where both are on the same rollouts", () =>
    assert.deepEqual(under(foldFindings([finding("dead"), finding("signal")], specs, [["dead", "signal"]])), {
      dead: "signal",
    }));
  it("keeps every finding, and the order", () => {
    const found = [finding("signal", "critical"), finding("dead")];
    assert.deepEqual(
      foldFindings(found, specs, []).map(({ name, severity, message }) => ({ name, severity, message })),
      found,
    );
  });
});

describe("findings about the signal of training", () => {
  it("are information about evaluations, and others stay", () =>
    assert.deepEqual(
      withoutTraining(
        [finding("dead", "critical"), finding("leak", "critical")],
        [
          { name: "dead", layer: "signal" },
          { name: "leak", layer: "behaviour" },
        ],
      ),
      [
        { ...finding("dead", "info"), message: "dead holds. These are evaluations, not training." },
        finding("leak", "critical"),
      ],
    ));
});

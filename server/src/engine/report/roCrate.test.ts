import assert from "node:assert/strict";
import { sampleReport } from "../../../../test/support/report/sampleReport.ts";
import { crateProblems } from "../../../../test/support/report/crateProblems.ts";
import { roCrate } from "./roCrate.ts";

const around = {
  files: [{ path: "report one.html", type: "text/html", says: "To read." }],
  trainer: "node trainer.mjs",
  license: null,
};

describe("the RO-Crate of a report", () => {
  for (const text of ["plain", `"><b>\u202e ../ # ? é`])
    it(`keeps the rules of RO-Crate 1.1 and Process Run Crate 0.5 with ${JSON.stringify(text)}`, () =>
      assert.deepEqual(crateProblems(JSON.parse(JSON.stringify(roCrate(sampleReport(text), around)))), []));

  const graph = roCrate(sampleReport("ada"), { ...around, license: "https://spdx.org/licenses/MIT" })[
    "@graph"
  ];
  const find = (id: string) => graph.find((entity) => entity["@id"] === id);

  it("says who ran what, what it made, and how it ended", () => {
    const failed = find("#job-v1-1");
    assert.deepEqual(failed?.["@type"], "CreateAction");
    assert.deepEqual(failed["result"], [{ "@id": "#evidence-v1.train.s1-rollouts.jsonl" }]);
    assert.deepEqual(failed["actionStatus"], { "@id": "http://schema.org/FailedActionStatus" });
    assert.equal(failed["startTime"], "2026-01-02T03:02:35.000Z");
    assert.equal(find("#job-v3-1")?.["@type"], "ActivateAction");
    assert.deepEqual(find("#decision-v1-1")?.["value"], "keep");
  });
  it("names people, but takes no rule for a person", () => {
    const people = graph.filter((entity) => entity["@type"] === "Person").map((entity) => entity["name"]);
    assert.deepEqual(people, ["ada"]);
    assert.deepEqual(find("#answer-v1-2")?.["instrument"], { "@id": "#evotrainer" });
  });
  it("refers to evidence that is not in the crate by its digest, and does not list it as a part", () => {
    const evidence = find("#evidence-v1.train.s1-rollouts.jsonl");
    assert.deepEqual([evidence?.["@type"], evidence?.["sha256"]], ["CreativeWork", "d".repeat(64)]);
    assert.deepEqual(find("./")?.["hasPart"], [{ "@id": "report%20one.html" }]);
    assert.deepEqual(find("./")?.["license"], { "@id": "https://spdx.org/licenses/MIT" });
  });
  it("makes no identifier and no address of a text of others", () => {
    const hostile = roCrate(sampleReport("ada b#c/../d"), { ...around, license: "javascript:alert(1)" })[
      "@graph"
    ];
    const ids = hostile.map((entity) => entity["@id"]);
    assert.ok(ids.includes("#person-ada%20b%23c%2F..%2Fd"), ids.join(" "));
    assert.ok(ids.includes("#license") && !ids.includes("javascript:alert(1)"));
    assert.equal(hostile.find((entity) => entity["@id"] === "#license")?.["name"], "javascript:alert(1)");
  });
  it("is found wrong by the check where it is wrong", () => {
    const crate = roCrate(sampleReport("x"), around);
    const broken = crate["@graph"].filter((entity) => entity["@id"] !== "#evotrainer");
    assert.match(crateProblems({ ...crate, "@graph": broken }).join("\n"), /#evotrainer/);
  });
});

import assert from "node:assert/strict";
import { cellLabels } from "./cellLabels.ts";

type Label = Parameters<typeof cellLabels>[0]["labels"][number];
const label = (name: string, rate: number, more: Partial<Label> = {}): Label => ({
  name,
  rate,
  alert: null,
  ...more,
});
const names = (labels: readonly Label[]): string[] =>
  cellLabels({ labels: [...labels] }).map(({ name }) => name);

describe("the labels of a row of the lineage", () => {
  it("begin with what decided, before what is more frequent or over its threshold", () => {
    const labels = [
      label("gives-up", 0.9, { alert: "critical" }),
      label("short-rollout", 1),
      label("wrong-file", 0.6, { alert: "warning" }),
      label("echo-trap", 0.2, { decided: true }),
    ];
    assert.deepEqual(names(labels), ["echo-trap", "gives-up", "wrong-file", "short-rollout"]);
  });

  it("name what decided where it is on the same rollouts as another label", () => {
    const labels = [
      label("gives-up", 0.9, { alert: "critical" }),
      label("blind-edit", 1),
      label("echo-trap", 1, { decided: true, under: "blind-edit" }),
    ];
    assert.deepEqual(names(labels), ["echo-trap", "gives-up"]);
  });

  it("begin with alerts, then the most frequent, where none decided", () => {
    const labels = [label("a", 0.5), label("b", 0.1, { alert: "warning" }), label("c", 0.7), label("d", 0)];
    assert.deepEqual(names(labels), ["b", "c", "a"]);
  });

  it("name an alert of the version's own rollouts before those of groups, which are of its training", () => {
    const labels = [
      label("similar-solutions", 0.58, { alert: "warning", over: "group" }),
      label("gives-up", 0.39, { alert: "warning" }),
      label("dead-group", 0.44, { alert: "critical", over: "group" }),
    ];
    assert.deepEqual(names(labels), ["dead-group", "gives-up", "similar-solutions"]);
  });
});

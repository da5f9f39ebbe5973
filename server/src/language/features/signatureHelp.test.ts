import assert from "node:assert/strict";
import type { SpecKind } from "../syntax/specKind.ts";
import { signatureHelp } from "./signatureHelp.ts";

/** The signature with the parameter that is being written in brackets. */
function shown(marked: string, kind: SpecKind = "diagnostic"): string | undefined {
  const help = signatureHelp({ kind, text: marked.replace("§", "") }, marked.indexOf("§"));
  const [first] = help?.signatures ?? [];
  const [start, end] = first?.parameters[help?.parameter ?? 0] ?? [0, 0];
  return first && `${first.label.slice(0, start)}[${first.label.slice(start, end)}]${first.label.slice(end)}`;
}

describe("signature help", () => {
  const version = "over: version\nlabel:\n  when: ";
  const rollout = "label:\n  when: ";
  const cases: readonly (readonly [string, string, string | undefined])[] = [
    ["the first parameter", `${version}rate(§`, "rate([label: string]): double"],
    [
      "the second parameter",
      `${version}percentile("kl", §)`,
      "percentile(metric: string, [share: double]): double",
    ],
    ["a method", `${rollout}stop_reason.matches("a§")`, "text.matches([pattern: string]): bool"],
    ["a quantifier", `${rollout}turns.exists(t, §`, "turns.exists(t, [condition]): bool"],
    ["the innermost call", `${rollout}max(abs(re§`, "abs([x: double]): double"],
    [
      "the outer call, after the inner one",
      `${rollout}max(abs(reward), §`,
      "max(x: double, [y: double]): double",
    ],
    ["nothing after the call", `${rollout}abs(reward)§`, undefined],
    ["nothing for a function of another scope", `${rollout}rate(§`, undefined],
    ["nothing outside expressions", "name: abs(§", undefined],
  ];
  for (const [name, text, expected] of cases) it(name, () => assert.equal(shown(text), expected));
});

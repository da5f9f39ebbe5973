import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { shippedDiagnostics } from "../server/src/project/library.ts";
import { fewestNegatives, mostFalseAlarms } from "./accuracyAlarms.ts";
import { isRecord } from "./accuracyAlarmTable.ts";

interface Row {
  readonly says: string;
  readonly validation: string;
}

/** The rows of the table of false alarms, by diagnostic, as `npm run accuracy -- --write` left them in the docs. */
function tableOf(page: string): ReadonlyMap<string, Row> {
  const from = page.indexOf("### False alarms, by diagnostic");
  const rows = page
    .slice(from, page.indexOf("\n### ", from + 4))
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  return new Map(
    rows.map((line) => {
      const [, name = "", says = "", , validation = ""] = line.split("|").map((cell) => cell.trim());
      return [name.replaceAll("`", ""), { says, validation }];
    }),
  );
}

/** What is wrong with a diagnostic that may raise an alarm; undefined where its figure for validation allows it. */
function problemOf(row: Row | undefined): string | undefined {
  if (row === undefined) return "it is not in the table";
  const found = /\((\d+)\/(\d+)\)/.exec(row.validation);
  if (found === null) return `it has no figure for validation: ${row.validation}`;
  const [wrong, negatives] = [Number(found[1]), Number(found[2])];
  return negatives < fewestNegatives || wrong / negatives > mostFalseAlarms
    ? `${row.validation} shows nothing`
    : undefined;
}

describe("diagnostics above information", () => {
  const rows = tableOf(readFileSync(join(import.meta.dirname, "../docs/diagnostics.md"), "utf8"));
  const above = shippedDiagnostics()
    .map(({ spec }) => spec)
    .filter(({ name, label }) => label.severity !== "info" && !isRecord(name));

  it("each have a figure for validation of at most ten percent false alarms", () => {
    assert.ok(above.length > 30, `${above.length} diagnostics`);
    const problems = above.flatMap(({ name }) => {
      const problem = problemOf(rows.get(name));
      return problem === undefined ? [] : [`${name}: ${problem}; give it severity info`];
    });
    assert.deepEqual(problems, []);
  });

  it("are those that the table calls alarms", () => {
    const named = [...rows].filter(([, { says }]) => says === "alarm").map(([name]) => name);
    assert.deepEqual(named.sort(), above.map(({ name }) => name).sort());
  });

  it("are refused without a figure, with too few versions, and above ten percent", () => {
    const tried = ["none", "no negative, 3 right", "0.0 % [0.0, 49.0] (0/4)", "20.0 % [3.6, 62.4] (1/5)"];
    assert.deepEqual(
      tried.map((validation) => problemOf({ says: "alarm", validation }) !== undefined),
      [true, true, true, true],
    );
    assert.equal(problemOf({ says: "alarm", validation: "0.0 % [0.0, 43.4] (0/5), 1 right" }), undefined);
    assert.equal(problemOf(undefined), "it is not in the table");
  });
});

import assert from "node:assert/strict";
import { makeWorkspace, type Workspace } from "../../../test/support/evidence/evidence.ts";
import type { Store } from "../evidence/archive/store.ts";
import { compilePredicate } from "../predicate/compile.ts";
import { caseForms, fixedCasesSql, hasFixedCases } from "./fixedCases.ts";

const ifs = (pairs: readonly string[], rest = ""): string =>
  `def f(n):\n${pairs.map((pair) => `    if n == ${pair.replace("=>", ":\n        return")}\n`).join("")}${rest}`;

/** Code, and the forms of which it has three fixed cases or more. */
const cases: readonly (readonly [what: string, code: string, forms: string])[] = [
  ["nothing", "", ""],
  ["three comparisons", ifs(["1 => 3", "2 => 7", "9 => 4"]), "if"],
  ["two comparisons", ifs(["1 => 3", "2 => 7"]), ""],
  ["a value that is computed", ifs(["1 => 3", "2 => n + 1", "9 => 4"]), ""],
  [
    "the first values of a recursion",
    ifs(["0 => 0", "1 => 1", "2 => 1"], "    return f(n - 1) + f(n - 2)\n"),
    "",
  ],
  ["five of them", ifs(["0 => 0", "1 => 1", "2 => 1", "3 => 2", "3 => 3"], "    return f(n - 1)\n"), "if"],
  [
    "arms of a match",
    "match n:\n  case 1: return 3\n  case 'a':\n    return [1, 2]\n  case None: return True\n",
    "case",
  ],
  ["two arms", "match n:\n  case 1: return 3\n  case 2: return 4\n", ""],
  ["a table", "T = {3: 7, 'x': 42, 12: 9}\n\ndef f(n):\n    return T[n]\n", "table"],
  [
    "a table that is asked with get",
    "T = {3: 7,\n 4: 42,\n 12: 9}\ndef f(n):\n    return T.get(n)\n",
    "table",
  ],
  ["a table of a test", "T = {3: 7, 4: 42, 12: 9}\nassert f(3) == 7\ndef g(n):\n    return T[n]\n", ""],
  ["a table from which nothing returns", "T = {3: 7, 4: 42, 12: 9}\nprint(T)\n", ""],
  ["a comparison in letters beyond ASCII", ifs(["'é' => 3", "'🙂' => 7", "'ü' => 4"]), "if"],
];

describe("fixed cases of code", () => {
  let workspace: Workspace;
  let store: Store;
  before(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  after(() => workspace.remove());

  for (const [what, code, forms] of cases)
    it(`${what}: ${forms === "" ? "none" : forms}`, async () => {
      assert.equal(caseForms.filter((form) => hasFixedCases(code, form)).join(), forms);
      const text = `'${code.replaceAll("'", "''")}'`;
      const columns = caseForms.map((form) => `${fixedCasesSql("c", form)} AS "${form}"`);
      const [row = {}] = await store.query({
        sql: `SELECT ${columns.join(", ")} FROM (SELECT ${text} AS c)`,
        params: [],
      });
      assert.equal(caseForms.filter((form) => row[form] === true).join(), forms);
    });

  it("has no other form", () => {
    const compiled = compilePredicate('turns.exists(t, fixed_cases(t.written, "switch"))');
    assert.ok(!compiled.ok);
    assert.equal(compiled.problems[0]?.message, "The form of fixed cases is if, case or table.");
  });
});

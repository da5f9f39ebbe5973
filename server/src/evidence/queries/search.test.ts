import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import fc from "fast-check";
import type { Rollout } from "../../../../shared/model/rollout.ts";
import { HarnessError } from "../../base/errors.ts";
import { fuzzRuns } from "../../../../test/support/base/fuzz.ts";
import { ingestFile } from "../ingest/ingest.ts";
import { needsBeyondAscii, requiredLiteral, requiredLiterals } from "../../expression/regexLiteral.ts";
import { searchRollouts, type SearchHit } from "./search.ts";
import { unsealAudit } from "../store/split.ts";
import type { Store } from "../archive/store.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";
import { parseTextQuery } from "./textQuery.ts";

describe("text search", function () {
  this.timeout(60_000); // real files on a machine that may be busy
  let workspace: Workspace;
  let store: Store;
  before(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  after(() => workspace.remove());

  let files = 0;
  const bring = async (rollouts: readonly Partial<Rollout>[]): Promise<string> => {
    const name = `v${files++}`;
    const path = workspace.file(`${name}.jsonl`);
    await writeFile(
      path,
      rollouts.map((r, i) => toLine(makeRollout({ id: `r-${i}`, run: name, ...r }))).join(""),
    );
    await ingestFile(store, { path, kind: "rollouts", version: name });
    return name;
  };
  const saying = (...texts: string[]): Pick<Rollout, "turns"> => ({
    turns: texts.map((text) => ({ role: "assistant", text })),
  });
  const text = (search: string, ignoreCase = false) => parseTextQuery(search, { ignoreCase });
  const shown = ({ id, turn, snippet: { before, hit, after } }: SearchHit): string =>
    `${id} ${turn} ${before}[${hit}]${after}`;

  const cases: readonly (readonly [search: string, ignoreCase: boolean, expected: readonly string[]])[] = [
    ["needle", false, ["r-2 1 a [needle] and a needle", "r-0 0 [needle]"]],
    ["NEEDLE", false, []],
    ["NEEDLE", true, ["r-2 1 a [needle] and a needle", "r-0 0 [needle]"]],
    ["/n.+le$/", false, ["r-2 1 a [needle and a needle]", "r-0 0 [needle]"]],
    ["/^NEED/i", false, ["r-2 2 [need]le", "r-0 0 [need]le"]],
    ["/(b)|(c) (d)/", false, ["r-1 0 a[b]c"]],
    ["a.c", false, ["r-3 0 xx [a.c]"]],
    ["A.C", true, ["r-3 0 xx [a.c]"]],
    ["/a.c/", false, ["r-3 0 xx [a.c]", "r-1 0 [abc]"]],
    ["//", false, []],
    ["☃𝕏", false, ["r-4 2 é[☃𝕏]é"]],
    ["İ", true, ["r-4 1 i̇[İ]"]],
    ["'; --", false, []],
  ];
  it("finds texts and expressions, the newest first, with the text around the first hit", async () => {
    const version = await bring([
      saying("needle"),
      saying("abc"),
      saying("", "a needle and a needle", "needle"),
      saying("xx a.c"),
      saying("", "i̇İ", "é☃𝕏é"),
      { ...saying("needle"), split: "selection" },
      { ...saying("needle"), split: "audit" },
    ]);
    for (const [search, ignoreCase, expected] of cases) {
      const { hits, next } = await searchRollouts(store, {
        split: "train",
        version,
        text: text(search, ignoreCase),
      });
      assert.deepEqual(hits.map(shown), expected, search);
      assert.equal(next, undefined);
    }
  });

  it("limits the length of a snippet, whatever it finds", async () => {
    const version = await bring([saying(`${"b".repeat(5000)}N${"a".repeat(5000)}`)]);
    for (const [search, sizes] of [
      ["N", [40, 1, 80]],
      ["/(?s)N.*/", [40, 120, 0]],
    ] as const) {
      const { hits } = await searchRollouts(store, { split: "train", version, text: text(search) });
      const snippet = hits[0]?.snippet;
      assert.deepEqual([snippet?.before.length, snippet?.hit.length, snippet?.after.length], sizes);
    }
  });

  it("pages through all hits once, in every order, under a filter", async () => {
    const rollouts = Array.from({ length: 700 }, (_, i) => ({
      ...saying(i % 3 === 0 ? "here it is" : "nothing"),
      reward: i % 7 === 0 ? null : (i * 37) % 11,
      outcome: i % 2 === 0 ? ("pass" as const) : ("fail" as const),
    }));
    const version = await bring(rollouts);
    for (const order of [
      {},
      { orderBy: "arrival" },
      { orderBy: "reward", descending: true },
      { orderBy: "id" },
    ] as const) {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await searchRollouts(store, {
          split: "train",
          version,
          outcome: "pass",
          text: text("/it (is|was)/"),
          limit: 23,
          ...order,
          ...(cursor === undefined ? {} : { cursor }),
        });
        found.push(...page.hits.map(({ id }) => id));
        cursor = page.next;
      } while (cursor !== undefined);
      const expected = rollouts.flatMap((_, i) => (i % 6 === 0 ? [`r-${i}`] : []));
      assert.equal(found.length, expected.length, JSON.stringify(order));
      assert.deepEqual(new Set(found), new Set(expected));
    }
  });

  it("keeps the audit split sealed", async () => {
    const version = await bring([{ ...saying("secret"), split: "audit" }]);
    for (const split of ["train", "selection"] as const)
      assert.deepEqual(await searchRollouts(store, { split, version, text: text("secret") }), { hits: [] });
    const forged: unknown = { split: "audit", version, text: text("secret") };
    await assert.rejects(
      searchRollouts(store, forged as Parameters<typeof searchRollouts>[1]),
      /audit split is sealed/,
    );
    const unsealed = unsealAudit("promoted");
    const open = await searchRollouts(store, { split: "audit", unsealed, version, text: text("secret") });
    assert.equal(open.hits.length, 1);
  });

  it("refuses an expression that the engine rejects, an empty text, and a cancelled search", async () => {
    const search = (query: string, signal?: AbortSignal) =>
      searchRollouts(store, { split: "train", text: text(query), ...(signal ? { signal } : {}) });
    for (const [query, message] of [
      ["/a(/", /\/a\(\/ is not a regular expression of RE2: missing \)/],
      ["/(?=a)/", /is not a regular expression of RE2/],
      ["", /The text to search for is empty/],
    ] as const)
      await assert.rejects(search(query), (e) => HarnessError.is(e, "badInput") && message.test(e.message));
    await assert.rejects(search("x", AbortSignal.abort()), (e) => HarnessError.is(e, "cancelled"));
  });

  it("uses a required text only when every match contains it", async () => {
    for (const [pattern, expected] of [
      ["Traceback.*Error", "Traceback"],
      ["ab|cd", ""],
      ["(ab|cd)ef", "ef"],
      ["abc?", "ab"],
      ["abc+d", "ab"],
      ["a[bc]def\\.g", "def.g"],
      ["(?i)abc", ""],
      ["(?i:abc)def", ""],
      ["a{0}bc", "bc"],
      ["\\Qab\\E", ""],
      ["\\x41bc", ""],
      ["(a(b[)])c)?def", "def"],
      ["(a\\)|b)cde", "cde"],
      ["(?P<name>a)bc", "bc"],
      ["(a(?i)b)cd", ""],
      ["(\\Qa)\\E)bc", ""],
    ] as const)
      assert.equal(requiredLiteral(pattern), expected, pattern);
    for (const [pattern, expected] of [
      ["ab|cd", ["ab", "cd"]],
      ["ab|c*", []],
      ["a(b|c)d{2}|[|]ef", ["a", "ef"]],
      ["ab", ["ab"]],
      ["(?i)ab|cd", []],
      ["(?i)(^|[^#])#### ?(a|b)", ["####"]],
      ["(?i)## |--|k9", []],
      ["a\\|b|c", ["a|b", "c"]],
    ] as const)
      assert.deepEqual(requiredLiterals(pattern), expected, pattern);
    for (const [pattern, expected] of [
      ["[\\p{Han}\\p{Hangul}]{4}|[\\p{Cyrillic}]{3,}[ ,]+a", true],
      ["[\\p{Han}]+", true],
      ["[\\p{Han}]", true],
      ["[\\p{Han}a]", false],
      ["[\\p{Han}]*", false],
      ["[\\p{Han}]?a", false],
      ["[\\p{Han}]{0,2}", false],
      ["[^\\p{Han}]", false],
      ["[\\p{Latin}]", false],
      ["[\\p{Han}]|a", false],
      ["[\\p{Han}]|(?i)\\bchinese", false],
    ] as const)
      assert.equal(needsBeyondAscii(pattern), expected, pattern);
    const piece = fc.constantFrom("(?i)", ..."abAB.|*+?()[]^$\\{}0,1-:d".split(""));
    const subjects = [
      "",
      "a",
      "ab",
      "aab",
      "abab",
      "ba",
      "A",
      "a.b",
      "b1",
      "(ab)",
      "a|b",
      "aB-",
      "{0}",
      "\\d",
    ];
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 9 }), async (pieces) => {
        const pattern = pieces.join("");
        const one = requiredLiteral(pattern);
        for (const literals of [one === "" ? [] : [one], requiredLiterals(pattern)]) {
          if (literals.length === 0) continue;
          const wrong = store.query({
            sql: `SELECT s FROM (SELECT unnest(?) AS s) WHERE regexp_matches(s, ?)
                  AND NOT (${literals.map(() => "contains(s, ?)").join(" OR ")})`,
            params: [subjects, pattern, ...literals],
          });
          // An expression that the engine refuses has no matches.
          assert.deepEqual(await wrong.catch(() => []), [], `${pattern}: ${literals.join(" or ")}`);
        }
      }),
      { numRuns: fuzzRuns() },
    );
  });
});

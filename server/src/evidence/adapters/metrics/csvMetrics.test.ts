import assert from "node:assert/strict";
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { HarnessError } from "../../../base/errors.ts";
import { fuzzRuns } from "../../../../../test/support/base/fuzz.ts";
import { foreignFile } from "../../importing/foreignFile.ts";
import { fixtureSet, importPaths } from "../../../../../test/support/evidence/import.ts";
import { filesUnder } from "../../importing/discover.ts";
import { makeWorkspace } from "../../../../../test/support/evidence/evidence.ts";
import { Refusal, type Entry } from "../parts/adapter.ts";
import { csvMetrics } from "./csvMetrics.ts";
import { detectFormats } from "../registry.ts";
import { fuzzAdapter } from "../../../../../test/support/adapters/fuzzAdapter.ts";

describe("the reader of CSV metrics", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "evotrainer-csv-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function put(text: string | Uint8Array, name = "m.csv") {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    return foreignFile(path);
  }

  /** `line: step values`, `line! problem` or `waiting n` per entry. */
  async function read(text: string | Uint8Array, name?: string): Promise<string[]> {
    const shown: string[] = [];
    for await (const entry of csvMetrics.read(await put(text, name))) shown.push(shownOf(entry));
    return shown;
  }

  function shownOf(entry: Entry): string {
    if ("waiting" in entry) return `waiting ${entry.waiting}`;
    if ("problem" in entry) return `${entry.record}! ${entry.problem}`;
    const drafts = entry.drafts.map((draft) => {
      assert.ok(draft.type === "metrics");
      return `${draft.run === undefined ? "" : `${draft.run}: `}${draft.step} ${JSON.stringify(draft.values)}`;
    });
    return `${entry.record}: ${drafts.join(" | ")}`;
  }

  const tables: readonly (readonly [
    what: string,
    text: string | Uint8Array,
    entries: readonly string[],
    name?: string,
  ])[] = [
    [
      "of Lightning: rows of one step beside each other, with empty cells",
      "epoch,step,train_loss,val_loss\n0,9,0.5,\n0,9,,0.75\n",
      ['2: 9 {"epoch":0,"train_loss":0.5}', '3: 9 {"epoch":0,"val_loss":0.75}'],
    ],
    [
      "of Keras, by epoch",
      "epoch,accuracy,loss\n0,0.5,1e-3\n1,.75,2.\n",
      ['2: 0 {"accuracy":0.5,"loss":0.001}', '3: 1 {"accuracy":0.75,"loss":2}'],
    ],
    [
      "of W&B: the run and the bounds left out",
      '"Step","run-1 - loss","run-1 - loss__MIN","run-1 - loss__MAX","run-1 - _step"\n"0","2","2","2","0"\n"1","1.5","1","2","1"\n',
      ['2: 0 {"loss":2}', '3: 1 {"loss":1.5}'],
    ],
    [
      "of W&B with several runs: each row for each run that has a value there",
      '"Step","a - loss","a - loss__MIN","a - loss__MAX","b - x - loss","b - x - loss__MIN","b - x - loss__MAX"\n"0","2","2","2","3","3","3"\n"1","","","","4","4","4"\n"2","","","","",""," "\n',
      ['2: a: 0 {"loss":2} | b - x: 0 {"loss":3}', '3: b - x: 1 {"loss":4}', "4: "],
    ],
    [
      "of W&B with several runs and metrics that have a dash in their names, as the steps say",
      '"Step","a - _step","a - val - acc","a - val - acc__MIN","b - _step","b - val - acc","b - val - acc__MIN"\n"0","0","2","2","0","3","3"\n',
      ['2: a: 0 {"val - acc":2} | b: 0 {"val - acc":3}'],
    ],
    [
      "of several curves that is no export of W&B",
      "Step,train - loss,val - loss\n0,2,3\n",
      ['2: 0 {"train - loss":2,"val - loss":3}'],
    ],
    [
      "of TensorBoard: the metric is in the name of the file",
      "Wall time,Step,Value\n1700000000.5,0,0.25\n1700000001.5,10,0.5\n",
      ['2: 0 {"train_loss":0.25}', '3: 10 {"train_loss":0.5}'],
      "run-ppo_1-tag-train_loss.csv",
    ],
    [
      "of TensorBoard under another name",
      "Wall time,Step,Value\n1,3,0.5\n",
      ['2: 3 {"reward":0.5}'],
      "reward.csv",
    ],
    [
      "with NaN and infinities, which are null",
      "step,a,b,c,d\n1,NaN,inf,-Infinity,1e999\n",
      ['2: 1 {"a":null,"b":null,"c":null,"d":null}'],
    ],
    ["with booleans", "step,done\n1,True\n2,false\n", ['2: 1 {"done":1}', '3: 2 {"done":0}']],
    ["with words for missing values", "step,a,b\n1,None,n/a\n2,1,null\n", ["2: 1 {}", '3: 2 {"a":1}']],
    ["whose steps pandas wrote as floats", "_step,a\n10.0,1\n", ['2: 10 {"a":1}']],
    [
      "with a byte order mark and CRLF",
      "\ufeffstep,a\r\n1,2\r\n\r\n2,3\r\n",
      ['2: 1 {"a":2}', '4: 2 {"a":3}'],
    ],
    ["without a newline at its end", "step,a\n1,2\n2,3", ['2: 1 {"a":2}', '3: 2 {"a":3}']],
    ["whose last row is being written", "step,a,b\n1,2,3\n2,3", ['2: 1 {"a":2,"b":3}', "waiting 3"]],
    [
      "with short and long rows",
      "step,a\n1,2\n2\n3,4,5\n4,5\n",
      [
        '2: 1 {"a":2}',
        "3! it has 1 field, but the header has 2",
        "4! it has 3 fields, but the header has 2",
        '5: 4 {"a":5}',
      ],
    ],
    [
      "with invalid steps",
      "step,a\n1,2\n,3\n-1,4\n1.5,5\nx,6\n",
      [
        '2: 1 {"a":2}',
        '3! step must be a whole number from 0, not ""',
        '4! step must be a whole number from 0, not "-1"',
        '5! step must be a whole number from 0, not "1.5"',
        '6! step must be a whole number from 0, not "x"',
      ],
    ],
    [
      "with a text where numbers are",
      "step,a\n1,\n2,3\n3,4.5.6\n",
      ["2: 1 {}", '3: 2 {"a":3}', '4! a must be a number, not "4.5.6"'],
    ],
    ["with texts beside numbers", "step,host,a\n1,node-7,2\n2,8,3\n", ['2: 1 {"a":2}', '3: 2 {"a":3}']],
    [
      "that names a column twice",
      "step,a,a\n1,2,3\n",
      ["1! its header names a column twice or leaves one without a name", '2: 1 {"a":2,"a (2)":3}'],
    ],
    ["with a column __proto__", "step,__proto__,a\n1,2,3\n", ['2: 1 {"__proto__":2,"a":3}']],
    ["of tabs", "step\ta\n1\t2\n", ['2: 1 {"a":2}'], "m.tsv"],
  ];
  for (const [what, text, entries, name] of tables)
    it(`reads a table ${what}`, async () => assert.deepEqual(await read(text, name), entries));

  const claims: readonly (readonly [
    what: string,
    claimed: boolean,
    text: string | Uint8Array,
    name?: string,
  ])[] = [
    ["a table of numbers", true, "Step,a\n0,1\n"],
    ["the finest steps first", true, "epoch,iteration,trainer/global_step,a\n5,1.5,100,1\n"],
    ["the first epochs", true, "Epoch,loss\n1,2\n"],
    ["seconds since 1970", false, "epoch,temperature\n1700000000,20.5\n"],
    ["a text in the first row", false, "step,status,a\n1,kept,2\n"],
    ["no step column", false, "a,b\n1,2\n"],
    ["steps that are not whole numbers", false, "step,a\n0.5,1\n"],
    ["nothing but steps", false, "step,a\n1,\n"],
    ["no rows yet", false, "step,a\n"],
    ["nothing", false, ""],
    ["a column named twice", false, "step,a,a\n1,2,3\n"],
    ["another file ending", false, "step,a\n1,2\n", "m.txt"],
    [
      "a header longer than the part that detection reads",
      true,
      `step,${wide(7000, (i) => `metric/number/${i}`)}\n1,${wide(7000, String)}\n`,
    ],
  ];
  for (const [what, claimed, text, name] of claims)
    it(`${claimed ? "claims" : "leaves"} a file with ${what}`, async () => {
      const found = await detectFormats(await put(text, name));
      assert.deepEqual(
        found.map((adapter) => adapter.name),
        claimed ? ["metrics-csv"] : [],
      );
    });

  it("uses the step of the finest column", async () =>
    assert.deepEqual(await read("epoch,_step,trainer/global_step,a\n0,7,100,1\n"), [
      '2: 100 {"epoch":0,"_step":7,"a":1}',
    ]));

  it("reads thousands of columns", async () => {
    const n = 20_000;
    const [row = ""] = await read(`step,${wide(n, (i) => `m${i}`)}\n4,${wide(n, String)}\n`);
    const values: unknown = JSON.parse(row.slice("2: 4 ".length));
    assert.ok(typeof values === "object" && values !== null);
    assert.deepEqual(Object.entries(values).at(-1), [`m${n - 1}`, n - 1]);
    assert.equal(Object.keys(values).length, n);
  });

  it("says what is wrong with a table without steps when the user chose the format", async () => {
    await assert.rejects(
      read("a,b\n1,2\n"),
      (e: Error) => Refusal.is(e) && /no column has training steps/.test(e.message),
    );
    await assert.rejects(read(""), (e: Error) => Refusal.is(e) && /it is empty/.test(e.message));
    await assert.rejects(
      read(Buffer.from([0x61, 0xff, 0x0a])),
      (e: Error) => HarnessError.is(e, "badInput") && /UTF-8/.test(e.message),
    );
  });

  it("takes the run from the folder, the chart or the export", async () => {
    const wandb = '"Step","my run - a","my run - a__MIN"\n';
    const runs = [
      await put("", "version_0/metrics.csv"),
      await put("", "charts/run-ppo_1-tag-loss.csv"),
      await put("", "charts/run-ppo_1-tag-reward.csv"),
      await put("", "charts/run-.-tag-reward.csv"),
      await put(wandb, "wandb_export_1.csv"),
      await put(wandb, "wandb_export_2.csv"),
      await put("", "mine.csv"),
    ].map((file) => csvMetrics.runOf?.(file));
    assert.deepEqual(runs, [
      { name: "version_0", path: join(folder, "version_0") },
      { name: "ppo_1", path: join(folder, "charts/ppo_1") },
      { name: "ppo_1", path: join(folder, "charts/ppo_1") },
      { name: "charts", path: join(folder, "charts") },
      { name: "my run", path: join(folder, "my run") },
      { name: "my run", path: join(folder, "my run") },
      { name: "mine", path: join(folder, "mine.csv") },
    ]);
  });

  it("stores a value once, even after the file grew", async () => {
    const workspace = await makeWorkspace();
    try {
      const store = await workspace.open();
      const path = workspace.file("metrics.csv");
      await writeFile(path, "step,loss\n1,2\n2,nan\n3\n4,0.");
      const first = await importPaths(store, [path]);
      assert.deepEqual([first.counts.metrics, first.counts.quarantined], [3, 1]);
      assert.deepEqual(first.counts.problems, [
        { path: "metrics.csv", line: 4, reason: "it has 1 field, but the header has 2" },
      ]);
      await writeFile(path, "step,loss\n1,2\n2,nan\n3,1\n4,0.25\n");
      await importPaths(store, [path]);
      assert.equal((await importPaths(store, [path])).counts.unchanged, 1);
      const rows = await store.query({
        sql: "SELECT step::INT AS step, name, value FROM metrics ORDER BY step",
        params: [],
      });
      assert.deepEqual(
        rows.map((row) => [row["step"], row["name"], row["value"]]),
        [
          [1, "loss", 2],
          [2, "loss", null],
          [3, "loss", 1],
          [4, "loss", 0.25],
        ],
      );
    } finally {
      await workspace.remove();
    }
  });

  it("never claims a lineage table of another tool", async function () {
    const set = fixtureSet(this, "lineage_autoresearch");
    for await (const path of filesUnder([set]))
      assert.ok(!(await csvMetrics.detect(await foreignFile(path))), path);
  });

  it("reads or refuses a file, whatever its bytes are", () =>
    fuzzAdapter(csvMetrics, [
      { name: "m.csv", bytes: Buffer.from('step,a,"b ""c"""\n1,2,3\n2,NaN,\n3,"x\ny",4\n') },
      { name: "n.csv", bytes: Buffer.from("\ufeffWall time,Step,Value\r\n1.5,1,2\r\n") },
      { name: "t.tsv", bytes: Buffer.from("epoch\tloss\n0\t0.5\n1\t0.25") },
    ]));

  it("returns the numbers that were written", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.array(fc.oneof(fc.double(), fc.integer(), fc.constant("")), { minLength: 2, maxLength: 2 }),
          { minLength: 1, maxLength: 20 },
        ),
        async (rows) => {
          const text = rows.map((row, i) => [i, ...row].join(",")).join("\n");
          const expected = rows.map((row, i) => {
            const values = row.flatMap((v, c) =>
              v === "" ? [] : [[["a", "b"][c], Number.isFinite(v) ? v : null]],
            );
            return `${i + 2}: ${i} ${JSON.stringify(Object.fromEntries(values))}`;
          });
          assert.deepEqual(await read(`step,a,b\n${text}\n`), expected);
        },
      ),
      { numRuns: fuzzRuns(100) },
    ));
});

function wide(n: number, of: (i: number) => string): string {
  return Array.from({ length: n }, (_, i) => of(i)).join(",");
}

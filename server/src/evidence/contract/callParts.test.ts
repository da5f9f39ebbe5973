import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { actionOf, actionSql, commandOf, fileOf, fileSql, writtenText } from "./actions.ts";
import { partColumn, partSql, withParts } from "./callParts.ts";
import { ingestFile } from "../ingest/ingest.ts";
import { makeRollout, makeWorkspace, toLine } from "../../../../test/support/evidence/evidence.ts";

describe("the parts of a turn's call that conditions read", () => {
  const calls = [
    { tool: "bash", args: { command: "pytest -q", text: "x" } },
    { tool: "bash", args: { cmd: "ls", command: null } },
    { tool: "str_replace", args: { path: "a.py", file: "b.py", new_str: "y" } },
    { tool: "edit", args: { target_file: 7, content: { deep: [1] } } },
    { tool: "run", args: { deep: { command: "ls", path: "b" }, note: "é \\u" } },
    { tool: "shell", args: { command: ["bash", "-lc", "pytest -q"] } },
    { tool: "shell", args: { command: ["/bin/sh", "-c"] } },
    { tool: "shell", args: { cmd: ["git", "log", "--all", 7, null, { a: 1 }] } },
    { tool: "shell", args: { command: [], note: ["a"] } },
    { tool: "shell", args: { command: '["bash","-lc","ls"]', note: ["a"] } },
    {
      tool: "run_ipython",
      args: { code: "edit_file_by_replace(\n'a.py',\nto_replace='pytest', new_content='x')" },
    },
    { tool: "run_ipython", args: { code: "with open('a', \"w\") as f: pass" } },
    { tool: "submit", args: {} },
    { tool: "submit" },
    {},
  ];

  it("are the same in the archive as in memory, even with escaped names and as columns", async () => {
    const workspace = await makeWorkspace();
    const store = await workspace.open();
    const turns = [...calls, { tool: "bash", args: { command: "cat x" } }].map((call) => ({
      role: "assistant" as const,
      text: "",
      ...call,
    }));
    const line = toLine(makeRollout({ turns }));
    const escaped = line.replace('"command":"cat x"', '"comm\\u0061nd":"cat x"');
    assert.notEqual(escaped, line);
    const path = workspace.file("r.jsonl");
    await writeFile(path, escaped);
    const report = await ingestFile(store, { path, kind: "rollouts", version: "v", run: "run-1" });
    assert.equal(report.rows, 1);
    const parts = new Set(["written", "command"] as const);
    const rows = await store.query({
      sql: `SELECT t.call_command AS command, ${fileSql("t")} AS file, t.call_written AS written,
                   ${actionSql("t", `t.${partColumn("command")}`)} AS action, ${actionSql("t", partSql("t")("command"))} AS plain
            FROM (${withParts("SELECT * FROM turns", parts)}) t ORDER BY t.idx`,
      params: [],
    });
    assert.deepEqual(
      rows,
      turns.map((turn) => ({
        command: commandOf(turn),
        file: fileOf(turn),
        written: writtenText(turn),
        action: actionOf(turn),
        plain: actionOf(turn),
      })),
    );
    await workspace.remove();
  });

  const commands: readonly (readonly [unknown, string])[] = [
    [["bash", "-lc", "pytest -q"], "test"],
    [["bash", "-lc", "cd a && grep -rn x ."], "search"],
    [["rg", "pytestx", "src"], "search"],
    ["pnpm --filter web test", "test"],
    ["npm --prefix web test", "test"],
    ["npm run --silent test", "test"],
    ["yarn workspace web test", "test"],
    ["uv run pytest", "test"],
    ["poetry run pytest -q", "test"],
    ["make -C lib test", "test"],
    ["make -j4 check", "test"],
    ["npm install --save-dev vite", "terminal"],
    ["npm run build", "terminal"],
    ["make -C lib install", "terminal"],
    ["edit_file_by_replace(\n'/workspace/src/App.tsx',\nto_replace='pytest -q', new_content='x')", "edit"],
    ["x = 1\ncreate_file('a.py')", "edit"],
    ["append_file('a.py', content='b')", "edit"],
    ["print(edit_files(1))", "terminal"],
    ["with open('LICENSE', 'w') as f:\n    f.write(licence)", "edit"],
    ['Path("a.py").write_text(source)', "edit"],
    ["with open('a.py') as f:\n    print(f.read())", "terminal"],
    ["with open('a.py', 'r') as f:\n    print(f.read())", "terminal"],
  ];
  for (const [command, kind] of commands)
    it(`say that ${JSON.stringify(command)} is of the kind ${kind}`, () => {
      assert.equal(actionOf({ role: "assistant", text: "", tool: "shell", args: { command } }), kind);
    });

  it("read a list of words as the command in it", () => {
    const given = [["bash", "-lc", "git log --all"], ["git", "log", "--all"], []];
    assert.deepEqual(
      given.map((command) => commandOf({ role: "assistant", text: "", tool: "shell", args: { command } })),
      ["git log --all", "git log --all", ""],
    );
  });
});

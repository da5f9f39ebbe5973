import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { tools } from "../../assistant/tools.ts";
import { HarnessError } from "../../base/errors.ts";
import { installSkill } from "./agents.ts";

const shipped = readFileSync(join(import.meta.dirname, "../../../../agents/evotrainer/SKILL.md"), "utf8");
const copies = [".agents/skills/evotrainer/SKILL.md", ".claude/skills/evotrainer/SKILL.md"];

describe("evotrainer agents install", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "evo-agents-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("puts the skill where agents look for it, and says when it is there already", async () => {
    const first = await installSkill(folder, { replace: false });
    assert.deepEqual([[...first.written].sort(), first.present], [copies, []]);
    for (const copy of copies) assert.equal(readFileSync(join(folder, copy), "utf8"), shipped);
    const second = await installSkill(folder, { replace: false });
    assert.deepEqual([second.written, [...second.present].sort()], [[], copies]);
  });

  it("overwrites nothing that somebody changed, and then writes nothing at all, until it is told to", async () => {
    await installSkill(folder, { replace: false });
    const [one = "", other = ""] = copies;
    writeFileSync(join(folder, one), "mine");
    rmSync(join(folder, other));
    await assert.rejects(
      installSkill(folder, { replace: false }),
      (e) => HarnessError.is(e, "badInput") && e.message.includes(`${one} in ${folder} differs`),
    );
    assert.equal(readFileSync(join(folder, one), "utf8"), "mine");
    assert.deepEqual(readdirSync(join(folder, ".claude/skills/evotrainer")), []);
    const { written } = await installSkill(folder, { replace: true });
    assert.deepEqual([...written].sort(), copies);
    assert.equal(readFileSync(join(folder, one), "utf8"), shipped);
  });
});

describe("the skill for coding agents", () => {
  it("has the head that agents read: the name of its folder, and when to use it", () => {
    const [, head = ""] = /^---\n([^]*?)\n---\n/.exec(shipped) ?? [];
    // The limits of the format.
    const Head = z.strictObject({
      name: z.literal("evotrainer"),
      description: z.string().min(1).max(1024),
    });
    assert.match(Head.parse(parse(head)).description, /Use it when/);
    assert.ok(shipped.split("\n").length < 500);
  });

  it("names every tool of the MCP server and no other", () => {
    const named = new Set([...shipped.matchAll(/`(evotrainer_\w+)`/g)].map(([, name]) => name));
    assert.deepEqual([...named].sort(), tools.map(({ name }) => name).sort());
  });

  it("shows no command that answers for a person", () => {
    const never = /evotrainer (?:promote|revert|trust|label)\b|review \S+ approve|--approve|--autonomy/;
    const shown = [...shipped.matchAll(/^\$ (.*)$/gm)].map(([, command = ""]) => command);
    assert.ok(shown.length > 10);
    assert.deepEqual(
      shown.filter((command) => never.test(command)),
      [],
    );
    assert.ok(never.test("evotrainer review v1 approve --gate design"));
  });
});

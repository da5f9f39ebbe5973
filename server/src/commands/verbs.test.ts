import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { neededVerbs, verbs, verbsFor } from "./verbs.ts";
import type { VerbContext } from "./terminal/verb.ts";

const context: VerbContext = {
  io: () => assert.fail("no verb runs"),
  cwd: "/",
  examples: "/",
  serveEditor: () => assert.fail("no verb runs"),
  exitWith: () => undefined,
};
const namesOf = (added: Awaited<ReturnType<typeof verbsFor>>): string[] => {
  const program = new Command();
  for (const add of added) add(program, context);
  return program.commands.map((verb) => verb.name());
};

/** All commands that the skill for coding agents names: lines of its blocks, and what stands in backquotes. */
function commandsOfSkill(): string[] {
  const text = readFileSync(join(import.meta.dirname, "../../../agents/evotrainer/SKILL.md"), "utf8");
  const prose = text.replaceAll(/^```[^]*?^```$/gm, "");
  return [...text.matchAll(/^\$ (evotrainer .*)$/gm), ...prose.matchAll(/`(evotrainer [^`]*)`/g)].map(
    ([, command = ""]) => command,
  );
}

/** Whether the program has the verb of a command, and each of its options. */
function isKnown(program: Command, command: string): boolean {
  const [, name, ...words] = command.split(/\s+/);
  const verb = program.commands.find((one) => one.name() === name);
  if (verb === undefined) return false;
  const below = verb.commands.find((one) => one.name() === words[0]);
  const takers = [verb, ...(below === undefined ? verb.commands : [below])];
  return words
    .filter((word) => word.startsWith("--"))
    .every((word) => takers.some(({ options }) => options.some(({ long }) => long === word)));
}

describe("the verbs of the command line", () => {
  for (const [line, needed] of [
    ["completion words -- rollouts --sp", ["rollouts", "completion"]],
    ["completion words -- lineage note v", ["lineage", "completion"]],
    ["completion words -- --json compare v1 ", ["compare", "completion"]],
    ["completion bash", ["completion"]],
    ["completion words -- roll", ["completion"]],
    ["completion words -- rollouts", ["completion"]],
    ["completion words", ["completion"]],
    ["-V", []],
  ] as const)
    it(`are loaded no more than needed for ${line}`, () =>
      assert.deepEqual(neededVerbs(line.split(" ")), needed));
  for (const line of ["completion words -- --json roll", "--help"])
    it(`are all loaded for ${line}`, () =>
      assert.deepEqual(neededVerbs(line.split(" ")), Object.keys(verbs)));

  it("are listed by their names, and each says what it does", async () => {
    const program = new Command();
    for (const load of Object.values(verbs)) (await load())(program, context);
    assert.deepEqual(
      program.commands.map((verb) => verb.name()),
      Object.keys(verbs),
    );
    for (const verb of program.commands) assert.match(verb.description(), /\w{3}/, verb.name());
  });

  it("are those that the skill for coding agents names, with their options", async () => {
    const program = new Command();
    for (const load of Object.values(verbs)) (await load())(program, context);
    const named = commandsOfSkill();
    assert.ok(named.length > 20, String(named.length));
    assert.deepEqual(
      named.filter((command) => !isKnown(program, command)),
      [],
    );
    for (const wrong of [
      "evotrainer digest v1",
      "evotrainer propose --explian",
      "evotrainer rollouts show --no",
    ])
      assert.ok(!isKnown(program, wrong), wrong);
  });

  it("are loaded alone when they are asked for, and all for the help or an unknown word", async () => {
    assert.deepEqual(namesOf(await verbsFor(["--json", "compare", "lineage", "v1"])), ["compare"]);
    for (const words of [[], ["--help"], ["help", "compare"], ["compre"]])
      assert.deepEqual(namesOf(await verbsFor(words)), Object.keys(verbs));
  });
});

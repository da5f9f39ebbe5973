import assert from "node:assert/strict";
import { Command } from "commander";
import { verbs, verbsFor } from "./verbs.ts";
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

describe("the verbs of the command line", () => {
  it("are listed by their names, and each says what it does", async () => {
    const program = new Command();
    for (const load of Object.values(verbs)) (await load())(program, context);
    assert.deepEqual(
      program.commands.map((verb) => verb.name()),
      Object.keys(verbs),
    );
    for (const verb of program.commands) assert.match(verb.description(), /\w{3}/, verb.name());
  });

  it("are loaded alone when they are asked for, and all for the help or an unknown word", async () => {
    assert.deepEqual(namesOf(await verbsFor(["--json", "compare", "lineage", "v1"])), ["compare"]);
    for (const words of [[], ["--help"], ["help", "compare"], ["compre"]])
      assert.deepEqual(namesOf(await verbsFor(words)), Object.keys(verbs));
  });
});

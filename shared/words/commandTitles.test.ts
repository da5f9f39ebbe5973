import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as z from "zod";
import { commandName, commandTitles } from "./commandTitles.ts";

const Manifest = z.object({
  contributes: z.object({
    commands: z.array(z.object({ command: z.string(), title: z.string(), category: z.string() })),
  }),
});
const { commands } = Manifest.parse(JSON.parse(readFileSync("package.json", "utf8"))).contributes;

describe("titles of commands", () => {
  it("are those that package.json contributes", () =>
    assert.deepEqual(
      commandTitles,
      Object.fromEntries(commands.map(({ command, title }) => [command, title])),
    ));

  it("are all different, and belong to one category", () => {
    assert.equal(new Set(Object.values(commandTitles)).size, commands.length);
    assert.deepEqual([...new Set(commands.map(({ category }) => category))], ["EvoTrainer"]);
  });

  it("lose the ellipsis of the menu when a sentence names the command", () =>
    assert.equal(commandName("evotrainer.rejectProposal"), "Reject Proposal"));
});

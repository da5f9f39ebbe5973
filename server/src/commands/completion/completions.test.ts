import assert from "node:assert/strict";
import { Command } from "commander";
import type { VerbContext } from "../terminal/verb.ts";
import { verbs } from "../verbs.ts";
import { completionsFor, fitting, namesFor, placeholderOf, wordsFor } from "./completions.ts";

const context: VerbContext = {
  io: () => assert.fail("no verb runs"),
  cwd: "/",
  examples: "/",
  serveEditor: () => assert.fail("no verb runs"),
  exitWith: () => undefined,
};

/** Words that stand for what nobody but the user knows: texts, numbers, files, names of other places. */
const free =
  "age c cel command cursor date dir domain draft file folder format group host ids item key license " +
  "m metric n name names path paths pid port rollout run seconds step text texts user who why words";

describe("what completes the command line", () => {
  let program: Command;
  before(async () => {
    program = new Command("evotrainer").option("--json", "one document");
    for (const load of Object.values(verbs)) (await load())(program, context);
  });
  const at = (...words: string[]): string[] =>
    fitting(completionsFor(program, words).candidates, words.at(-1) ?? "").map(({ value }) => value);
  const names = (...words: string[]): string | undefined => completionsFor(program, words).names;

  it("are the verbs first, each with what it does", () => {
    assert.deepEqual(at(""), [...Object.keys(verbs), "help"]);
    assert.deepEqual(at("co"), ["compare", "completion"]);
    assert.deepEqual(at("--json", "evol"), ["evolve"]);
    for (const { value, description } of completionsFor(program, [""]).candidates)
      assert.match(description, /\w{3}/, value);
  });

  it("are the options of the verb and of the program, where a word begins with a dash", () => {
    assert.deepEqual(at("compare", "v1", "--f"), ["--flips", "--flow"]);
    assert.deepEqual(at("--js"), ["--json"]);
    assert.deepEqual(at("compare", "--js"), ["--json"]);
    // A verb does what its default does.
    assert.deepEqual(at("rollouts", "--lab"), ["--label"]);
    assert.deepEqual(at("rollouts", "show", "--lab"), []);
  });

  it("are the values of an option that names them, in a separate word or after the equals sign", () => {
    assert.deepEqual(at("check", "--format", ""), ["text", "json", "github", "sarif"]);
    assert.deepEqual(at("check", "--format=g"), ["--format=github"]);
    assert.deepEqual(at("compare", "v1", "--flow", "s"), ["stop"]);
    assert.deepEqual(at("--split", ""), at(""), "an option that is none has no value");
    assert.deepEqual(at("rollouts", "--split", ""), ["train", "selection"]);
    assert.deepEqual(at("rollouts", "--split", "train", "--outcome", "p"), ["pass"]);
  });

  it("are names of the project where the help says so", () => {
    assert.equal(names("compare", ""), "versions");
    assert.equal(names("compare", "v1", "v"), "versions");
    assert.equal(names("compare", "v1", "v2", ""), undefined);
    assert.equal(names("items", "v1", "v2", "v"), "versions", "it takes any number of them");
    assert.equal(names("gaps", "--against", ""), "versions");
    assert.equal(names("logs", "--follow", ""), "jobs");
    assert.equal(names("rollouts", "--label", ""), "labels");
    assert.equal(names("rollouts", "v"), "versions");
    assert.equal(names("lineage", "tag", ""), "versions");
  });

  it("are the words that stand beside names", () => {
    assert.deepEqual(at("review", "v1", "a"), ["approve"]);
    assert.ok(at("lineage", "").includes("note"));
    assert.deepEqual(at("skills", "show", ""), []);
    assert.deepEqual(at("label", "v1", "a/b", "leak", ""), ["yes", "no"]);
  });

  it("hold nothing that a shell would act on", () => {
    const bad = ["$(reboot)", "`id`", "a b", "a;b", "a'b", "ü", "-", "a|b", "~/x", "a:b"];
    const candidates = [...bad, "v2-linear_shape.clean"].map((value) => ({ value, description: "" }));
    assert.deepEqual(
      fitting(candidates, "").map(({ value }) => value),
      ["-", "v2-linear_shape.clean"],
    );
  });

  it("know every argument and every value of an option, or leave it to the user", () => {
    const nested = program.commands.flatMap((verb) => [verb, ...verb.commands]);
    const used = nested.flatMap((command) => [
      ...command.registeredArguments.filter((one) => one.argChoices === undefined).map((one) => one.name()),
      ...command.options.filter((one) => one.argChoices === undefined).map(placeholderOf),
    ]);
    const unknown = new Set(used.filter((name) => name !== "" && !(name in namesFor || name in wordsFor)));
    assert.equal([...unknown].sort().join(" "), free);
  });
});

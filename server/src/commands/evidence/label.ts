import { parseRolloutName } from "../../../../shared/model/rolloutName.ts";
import { userInfo } from "node:os";
import { Option } from "commander";
import type { PeoplePart } from "../../../../shared/words/people.ts";
import { shellWord } from "../../base/shellWord.ts";
import type { ResultOf } from "../../engine/services/services.ts";
import { positive, seedNumber, splitOption } from "../terminal/options.ts";
import { inLine } from "../../base/plainText.ts";
import { HarnessError } from "../../base/errors.ts";
import { evidenceVersion, inspect } from "../terminal/inspect.ts";
import { printResult, type Io } from "../terminal/io.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";

export const addLabel: AddVerb = (program, { io, cwd }) => {
  const label = program
    .command("label")
    .description(
      "say whether a rollout has a label; `label queue` lists the questions whose answers would help most",
    );
  label
    .command("say <version> <rollout> <label> <yes-or-no>", { isDefault: true })
    .description(
      "say yes or no: does a rollout, <run>/<id>, have a label? Lists then show the label's precision and recall, and its judge is checked against what people say",
    )
    .option("--note <text>", "why")
    .action(
      async (version: string, rollout: string, name: string, answer: string, o: Given<{ note?: string }>) =>
        say(io(), cwd, { version, rollout, label: name, answer, ...o }),
    );
  label
    .command("queue [version]")
    .description("list the rollouts and labels where your answer would help most")
    .addOption(splitOption())
    .option("--label <label>", "only about this label")
    .addOption(new Option("--part <part>", "only about items of this part").choices(Object.keys(partNames)))
    .option("--seed <n>", "which rollouts are drawn", seedNumber, 1)
    .option("--limit <n>", "how many, at most 200", positive, 10)
    .action(async (version: string | undefined, o: Given<QueueOptions>) =>
      queue(io(), cwd, { ...(version === undefined ? {} : { version }), ...o }),
    );
};

interface QueueOptions {
  readonly version?: string;
  readonly split?: "train" | "selection";
  readonly label?: string;
  readonly part?: string;
  readonly seed: number;
  readonly limit: number;
}

const partNames: Readonly<Record<string, PeoplePart>> = { "held-out": "heldOut", tuning: "tuning" };

/** `evotrainer label queue [version]`: each question with the command that answers it. */
async function queue(io: Io, cwd: string, options: QueueOptions): Promise<void> {
  const { version, part, ...rest } = options;
  await inspect(cwd, async (inspection) => {
    const found = await inspection.engine.request("rollouts.queue", {
      ...rest,
      version: await evidenceVersion(inspection, version),
      ...(part === undefined ? {} : { part: partNames[part] ?? "heldOut" }),
    });
    printResult(io, found, () => queueText(found));
  });
}

/** What a shell takes as it is. */
const plainWord = /^[\w./@:+-]+$/;

function queueText({ version, split, seed, questions }: ResultOf<"rollouts.queue">): string {
  if (questions.length === 0) return `${inLine(version)}, ${split} split: there is nothing left to ask.`;
  // Whether a rollout has the label now is not said: it should not be what the answer goes by.
  const lines = questions.flatMap(({ label, run, id, part }) => {
    const rollout = `${run}/${id}`;
    const words = [version, rollout, label].map((word) => (plainWord.test(word) ? word : shellWord(word)));
    return [
      `Does ${inLine(rollout)} show ${label}? (${part === "heldOut" ? "held-out" : "tuning"} item)`,
      `  evotrainer label ${inLine(words.join(" "))} yes   # or no`,
    ];
  });
  return [
    `${inLine(version)}, ${split} split: the answers that narrow the intervals of precision and recall most; rollouts drawn by seed ${seed}`,
    ...lines,
    "`evotrainer rollouts show <run>/<id>` prints a rollout.",
  ].join("\n");
}

interface LabelOptions {
  readonly version: string;
  /** As `<run>/<id>`. */
  readonly rollout: string;
  readonly label: string;
  readonly answer: string;
  readonly note?: string;
}

/** `evotrainer label <version> <rollout> <label> yes|no`: what a person says of a rollout, for judges to be held against. */
async function say(io: Io, cwd: string, options: LabelOptions): Promise<void> {
  const { rollout, answer, note } = options;
  const named = parseRolloutName(rollout);
  if (named === undefined)
    throw new HarnessError(
      "badInput",
      `"${rollout}" is not a rollout's name; write <run>/<id> as \`evotrainer rollouts\` prints it.`,
    );
  if (answer !== "yes" && answer !== "no")
    throw new HarnessError("badInput", `Answer yes or no, not ${answer}.`);
  await inspect(cwd, async (inspection) => {
    const written = await inspection.engine.request("rollouts.label", {
      version: await evidenceVersion(inspection, options.version),
      ...named,
      label: options.label,
      labelled: answer === "yes",
      by: userInfo().username,
      ...(note === undefined || note === "" ? {} : { note }),
    });
    printResult(
      io,
      written,
      (written) =>
        `Recorded: ${written.by} says that ${inLine(rollout)} of ${written.version} ${written.labelled ? "shows" : "does not show"} ${written.label}.`,
    );
  });
}

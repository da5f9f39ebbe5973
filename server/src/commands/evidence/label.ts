import { userInfo } from "node:os";
import { inLine } from "../../base/plainText.ts";
import { HarnessError } from "../../base/errors.ts";
import { evidenceVersion, inspect } from "../terminal/inspect.ts";
import { printResult, type Io } from "../terminal/io.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";

export const addLabel: AddVerb = (program, { io, cwd }) => {
  program
    .command("label <version> <rollout> <label> <yes-or-no>")
    .description(
      "say yes or no: does a rollout, <run>/<id>, have a label? EvoTrainer checks the label's judge against what people say",
    )
    .option("--note <text>", "why")
    .action(
      async (version: string, rollout: string, name: string, answer: string, o: Given<{ note?: string }>) =>
        label(io(), cwd, { version, rollout, label: name, answer, ...o }),
    );
};

export interface LabelOptions {
  readonly version: string;
  /** As `<run>/<id>`. */
  readonly rollout: string;
  readonly label: string;
  readonly answer: string;
  readonly note?: string;
}

/** `evotrainer label <version> <rollout> <label> yes|no`: what a person says of a rollout, for judges to be held against. */
export async function label(io: Io, cwd: string, options: LabelOptions): Promise<void> {
  const { rollout, answer, note } = options;
  const slash = rollout.indexOf("/");
  if (slash <= 0)
    throw new HarnessError(
      "badInput",
      `"${rollout}" is not a rollout's name; write <run>/<id> as \`evotrainer rollouts\` prints it.`,
    );
  if (answer !== "yes" && answer !== "no")
    throw new HarnessError("badInput", `Answer yes or no, not ${answer}.`);
  await inspect(cwd, async (inspection) => {
    const written = await inspection.engine.request("rollouts.label", {
      version: await evidenceVersion(inspection, options.version),
      run: rollout.slice(0, slash),
      id: rollout.slice(slash + 1),
      label: options.label,
      labelled: answer === "yes",
      by: userInfo().username,
      ...(note === undefined || note === "" ? {} : { note }),
    });
    printResult(
      io,
      written,
      (written) =>
        `${inLine(rollout)} of ${written.version}: ${written.labelled ? "" : "not "}${written.label}, says ${written.by}.`,
    );
  });
}

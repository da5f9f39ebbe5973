import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { Option } from "commander";
import { gateNames, type GateName } from "../../../../shared/spec/gates.ts";
import { answeredWords } from "../../../../shared/words/decisions.ts";
import { inLine } from "../../base/plainText.ts";
import { codeOf, HarnessError } from "../../base/errors.ts";
import type { ParamsOf } from "../../engine/services/services.ts";
import { chooseVersion, inspect } from "../terminal/inspect.ts";
import { paint, printResult, type Io } from "../terminal/io.ts";
import { collect } from "../terminal/options.ts";
import { proposalText } from "./renderProposal.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";

export const addReview: AddVerb = (program, { io, cwd }) => {
  program
    .command("review [version] [answer]")
    .description(
      "list what is waiting, and at which gate; show a proposal; answer a gate (approve, revise or reject); or try a proposal's code",
    )
    .addOption(
      new Option(
        "--gate <gate>",
        "answer this gate; by default the one that the version waits at, except completion",
      ).choices(gateNames),
    )
    .option("--hunks <ids>", "approve: take only these hunks (ids separated by commas)")
    .option("--comment <text>", "why, or what should be different")
    .option("--text <file=path>", "revise: another text for a file of the project", collect, [])
    .action(
      async (
        proposal: string | undefined,
        answer: string | undefined,
        o: Given<{ gate?: GateName; hunks?: string; comment?: string; text: readonly string[] }>,
      ) =>
        proposal === undefined
          ? listGates(io(), cwd)
          : review(io(), cwd, {
              proposal,
              ...(answer === undefined ? {} : { answer }),
              ...o,
            }),
    );
};

/** What waits at which gate, and how it is answered. */
async function listGates(io: Io, cwd: string): Promise<void> {
  await inspect(cwd, async ({ engine }) => {
    const list = await engine.request("proposals.list", { all: false });
    printResult(io, list, ({ gates = [], proposals }) => {
      const claimsOf = (version: string): readonly string[] =>
        proposals.find(({ id }) => id === version)?.claims ?? [];
      const sentBack = proposals.filter(({ state }) => state === "revising");
      const lines = [
        ...gates.map(({ version, gate, title, why }) =>
          [
            `${paint(io, "bold", version)} waits at the ${gate} gate: ${title}`,
            `  ${why === null ? "The project's rules decide it, not a person; run `evotrainer evolve`." : `It waits for an answer, because ${why}: evotrainer review ${version} approve|revise|reject --gate ${gate}`}`,
            ...claimsOf(version).map((claim) => `  ${claim}`),
          ].join("\n"),
        ),
        ...sentBack.map(
          ({ id, title }) =>
            `${paint(io, "bold", id)} was sent back: ${title}\n  Its proposer answers when \`evotrainer evolve\` runs.`,
        ),
      ];
      return lines.length === 0 ? "Nothing waits at a gate." : lines.join("\n");
    });
  });
}

type Answer = ParamsOf<"proposals.answer">["answer"];

export interface ReviewCommand {
  readonly proposal: string;
  /** Left out: the proposal is shown. */
  readonly answer?: string;
  readonly gate?: GateName;
  readonly hunks?: string;
  readonly comment?: string;
  /** `file=path`: the text of a file of the proposal, read from a path on disk. */
  readonly text: readonly string[];
}

/** `evotrainer review <version> [approve|revise|reject]`: shows a proposal, or answers the gate that it waits at. */
export async function review(io: Io, cwd: string, command: ReviewCommand): Promise<void> {
  await inspect(cwd, async ({ engine, versions }) => {
    const id = chooseVersion(versions, command.proposal).name;
    if (command.answer === undefined) {
      const shown = await engine.request("proposals.show", { id });
      // A proposal is a diff: its lines stay as they are.
      printResult(io, shown, () => proposalText(io, shown), { asItIs: true });
      return;
    }
    if (command.answer === "try") {
      const tried = await engine.request("proposals.try", { id });
      printResult(io, tried, ({ message }) => `${inLine(id)}: ${message}`);
      return;
    }
    const answer = await answerOf(command, cwd);
    const { gate: asked } = command;
    const answered = await engine.request("proposals.answer", {
      ...{ id, answer },
      ...(asked === undefined ? {} : { gate: asked }),
    });
    printResult(io, answered, (answered) => {
      const { state, branch, hunks, gate, admitted } = answered;
      if (admitted !== undefined)
        return `${inLine(id)}: ${answeredWords.approve}. ${admitted}\n${inForceText(branch, admitted)}`;
      if (gate !== undefined && gate !== "design")
        return `${inLine(id)}: ${answeredWords[answer.type]} at the ${gate} gate. Run \`evotrainer evolve\` to go on.`;
      const part = hunks === null || hunks.taken === hunks.of ? "" : ` (${hunks.taken} of ${hunks.of} hunks)`;
      const said = {
        taken: `${answeredWords.approve}${part}, on the branch ${branch ?? ""}`,
        rejected: answeredWords.reject,
        revising: answeredWords.revise,
        waiting: "revised; the new text waits for its answer",
        dropped: "dropped",
      }[state];
      return `${inLine(id)}: ${said}. Run \`evotrainer evolve\` to go on.`;
    });
  });
}

async function answerOf({ answer, hunks, comment, text }: ReviewCommand, cwd: string): Promise<Answer> {
  if (hunks !== undefined && answer !== "approve")
    throw new HarnessError("badInput", "--hunks says what to take; use it with approve only.");
  if (text.length > 0 && answer !== "revise")
    throw new HarnessError("badInput", "--text gives another text; use it with revise only.");
  switch (answer) {
    case "approve":
      return {
        type: "approve",
        ...(hunks === undefined ? {} : { hunks: hunks.split(",").filter((id) => id !== "") }),
        ...(comment === undefined ? {} : { comment }),
      };
    case "revise": {
      if (comment === undefined || comment.trim() === "")
        throw new HarnessError("badInput", "Use --comment to say what should be different.");
      const texts = await Promise.all(text.map((pair) => textOf(pair, cwd)));
      return { type: "revise", comment, ...(texts.length === 0 ? {} : { texts }) };
    }
    case "reject":
      return { type: "reject", reason: comment ?? "" };
    case undefined:
    default:
      throw new HarnessError(
        "badInput",
        `Answer approve, revise or reject, or say try, not ${answer ?? "nothing"}.`,
      );
  }
}

async function textOf(pair: string, cwd: string): Promise<{ file: string; text: string }> {
  const at = pair.indexOf("=");
  if (at < 1)
    throw new HarnessError(
      "badInput",
      `--text ${pair}: write the project's file, then =, then the path of its new text.`,
    );
  const path = resolve(cwd, pair.slice(at + 1));
  try {
    return { file: pair.slice(0, at), text: await readFile(path, "utf8") };
  } catch (e) {
    const code = codeOf(e);
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR")
      throw new HarnessError("notFound", `There is no file ${path}.`, { cause: e });
    throw e;
  }
}

/** What follows from the admission, for who approved it. */
function inForceText(branch: string | null, admitted: string): string {
  return admitted.startsWith("Not admitted")
    ? "Nothing was trained, and nothing changed."
    : `The evolution labels by it from now on; nothing was trained.${branch === null ? "" : ` To have it in your branch as well: git cherry-pick ${branch}`}`;
}

import type { AllServices } from "../../../../shared/protocol/services.ts";
import { readFile } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { Name } from "../../../../shared/spec/common.ts";
import { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { didYouMean } from "../../base/similar.ts";
import { findProjectRoot } from "../../engine/workspace/workspace.ts";
import { chooseVersion, inspect } from "../terminal/inspect.ts";
import { printResult, type Io } from "../terminal/io.ts";
import { describeProblems, loadProjectSpec } from "../../project/project.ts";
import { readSpec } from "../../project/readSpec.ts";
import { proposersOf, searchName } from "../../project/proposersOf.ts";
import { workTree } from "../../project/source.ts";
import { renderExplained } from "./renderExplained.ts";
import { positive } from "../terminal/options.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";

export const addPropose: AddVerb = (program, { io, cwd }) => {
  program
    .command("propose")
    .description("propose changes to a version; each waits for review")
    .option("--proposer <name>", "who proposes: the search, or a proposer of evotrainer.yaml", searchName)
    .option("--hint <texts...>", "what a model or an agent that proposes should look at")
    .option(
      "--parent <version>",
      "the version to change; by default the one that the evolution continues from",
    )
    .option(
      "--intervention <name>",
      "propose this intervention, by its name or its file, instead of those that the search chooses",
    )
    .option(
      "--merge <versions...>",
      "merge two kept versions: the better one gets the edits of the other one",
    )
    .option(
      "--diagnostic <file>",
      "propose a diagnostic that you wrote; it is admitted on the archive, and nothing is trained",
    )
    .option("--without <version>", "take the edit of a kept version out again, to see whether it is needed")
    .option("--count <n>", "the largest number of proposals", positive, 1)
    .option(
      "--explain",
      "propose nothing; show every idea that the search looked at, and why it is ranked where it is",
    )
    .action(async (o: Given<ProposeOptions>) => propose(io(), cwd, o));
};

interface ProposeOptions {
  readonly proposer: string;
  readonly parent?: string;
  readonly intervention?: string;
  readonly merge?: string[];
  readonly diagnostic?: string;
  readonly without?: string;
  readonly hint?: string[];
  readonly count: number;
  readonly explain?: boolean;
}

/** `evotrainer propose`: makes proposals that wait for `evotrainer review`. */
export async function propose(io: Io, cwd: string, options: ProposeOptions): Promise<void> {
  await inspect(cwd, async ({ engine, versions, root }) => {
    const { proposer, count, intervention } = options;
    const named = (asked: string): string => chooseVersion(versions, asked).name;
    const kinds = [intervention, options.merge, options.without, options.diagnostic].filter(
      (one) => one !== undefined,
    );
    if (kinds.length > 1)
      throw new HarnessError("badInput", "Give one of --intervention, --merge, --without and --diagnostic.");
    if (options.hint !== undefined && proposer === searchName)
      throw new HarnessError(
        "badInput",
        "The search cannot read hints; name a model or an agent of evotrainer.yaml with --proposer.",
      );
    await assertProposer(root, proposer);
    const parent = options.parent === undefined ? {} : { parent: named(options.parent) };
    if (options.explain === true) {
      if (kinds.length > 0)
        throw new HarnessError(
          "badInput",
          "--explain shows what the search would choose; leave out what you chose yourself.",
        );
      const explained = await engine.request("proposals.explain", { ...parent, count, trusted: true });
      printResult(io, explained, (explained) => renderExplained(io, explained));
      return;
    }
    const [one, other, more] = options.merge ?? [];
    if (options.merge !== undefined && (one === undefined || other === undefined || more !== undefined))
      throw new HarnessError("badInput", "--merge takes two versions, such as `--merge v3 v5`.");
    if (options.merge !== undefined && options.parent !== undefined)
      throw new HarnessError(
        "badInput",
        "--merge needs no --parent: the better one of the two versions is changed.",
      );
    const made = await engine.request("proposals.make", {
      ...{ proposer, count, trusted: true, hints: options.hint ?? [] },
      ...(intervention === undefined ? {} : { intervention: await interventionOf(cwd, intervention) }),
      ...parent,
      ...(one === undefined || other === undefined ? {} : { merge: [named(one), named(other)] as const }),
      ...(options.diagnostic === undefined
        ? {}
        : { diagnostic: await readDiagnostic(cwd, options.diagnostic) }),
      ...(options.without === undefined ? {} : { without: named(options.without) }),
    });
    printResult(io, made, (made) => [...made.proposals.map(proposedText), ...made.passedOver].join("\n"));
  });
}

/** The ledger names who proposed: an invented name must not get into it. @throws HarnessError badInput */
async function assertProposer(root: string, name: string): Promise<void> {
  const known = proposersOf(await loadProjectSpec(workTree(root))).map((one) => one.name);
  if (!known.includes(name))
    throw new HarnessError(
      "badInput",
      `There is no proposer ${name}; there are: ${known.join(", ")}.${didYouMean(name, known)}`,
    );
}

/** An intervention of the project by its name, or the one in a file. @throws HarnessError notFound, specInvalid, badInput */
async function interventionOf(cwd: string, asked: string): Promise<string | InterventionSpec> {
  if (Name.safeParse(asked).success) return asked;
  if (!/[\\/]|\.ya?ml$/.test(asked))
    throw new HarnessError(
      "badInput",
      `"${asked}" is no name of an intervention; give one of the project's, or the path of a *.intervention.yaml.`,
    );
  const text = await textOf(cwd, asked, "*.intervention.yaml");
  const read = readSpec(asked, text, InterventionSpec);
  if (!read.ok) throw new HarnessError("specInvalid", describeProblems(read.problems));
  return read.value;
}

async function textOf(cwd: string, file: string, kind: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, file), "utf8");
  } catch (e) {
    const code = codeOf(e);
    if (code !== "ENOENT" && code !== "ENOTDIR" && code !== "EISDIR") throw e;
    throw new HarnessError("notFound", `There is no file ${file}; give the path of a ${kind}.`, { cause: e });
  }
}

/** The file, with its place in the project where it lies there. @throws HarnessError notFound */
async function readDiagnostic(cwd: string, file: string): Promise<{ path: string; text: string }> {
  const text = await textOf(cwd, file, "*.diagnostic.yaml");
  return {
    path: relative(await findProjectRoot(cwd), resolve(cwd, file))
      .split(sep)
      .join("/"),
    text,
  };
}

type Proposed = AllServices["proposals.make"]["result"]["proposals"][number];

export function proposedText(p: Proposed): string {
  return [
    `${p.id} on ${p.parent}: ${p.title}`,
    `because ${p.because}`,
    ...p.warnings.map((warning) => `careful: ${warning}`),
    `backtest: ${p.dropped ?? p.backtest}`,
    ...(p.dropped === null ? [`evotrainer review ${p.id} shows its hunks and takes an answer.`] : []),
  ].join("\n  ");
}

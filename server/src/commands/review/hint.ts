import { HarnessError } from "../../base/errors.ts";
import { hintsWithProposals } from "../../proposals/proposers/hints.ts";
import { versionIn } from "../../proposals/standing/proposal.ts";
import { annotate } from "../../engine/versions/annotate.ts";
import { openDomain } from "../../engine/proposals/openDomain.ts";
import { toChange } from "../../engine/proposals/standing.ts";
import { findProjectRoot } from "../../engine/workspace/workspace.ts";
import { printResult, type Io } from "../terminal/io.ts";
import { table } from "../terminal/table.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";

type HintOptions = Given<{ version?: string }>;

export const addHint: AddVerb = (program, { io, cwd }) => {
  program
    .command("hint [text...]")
    .description("tell models and agents what to look at; without a text, the hints and what came of them")
    .option("--version <version>", "the version that it is about; by default the best one")
    .action(async (text: readonly string[], o: HintOptions) => hint(io(), cwd, text.join(" "), o));
};

/** `evotrainer hint`: what people say to proposers, which the ledger keeps. */
async function hint(io: Io, cwd: string, text: string, { version: asked }: HintOptions): Promise<void> {
  const root = await findProjectRoot(cwd);
  if (text.trim() === "") return list(io, root);
  const open = await openDomain(root, { readOnly: true });
  const version = asked === undefined ? await toChange(open) : versionIn(open.lineage, asked);
  if (version === undefined)
    throw new HarnessError(
      "notFound",
      "There is no version to give a hint about yet; run `evotrainer evolve` first.",
    );
  await annotate(root, { version: version.name, what: "hint", value: text });
  printResult(
    io,
    { version: version.name, text },
    ({ version }) =>
      `Noted. Models and agents read it when they are next asked to change ${version} or a version that is made from it.`,
  );
}

async function list(io: Io, root: string): Promise<void> {
  const { lineage, entries, domain } = await openDomain(root, { readOnly: true });
  const questions = [...entries.ofType("question")].filter((q) => q.domain === domain);
  const hints = hintsWithProposals(lineage, questions);
  printResult(io, { hints }, ({ hints }) =>
    hints.length === 0
      ? "Nobody has given a hint. Write one with `evotrainer hint <text>`."
      : table(
          [
            ["version", "hint", "by", "proposals made with it"],
            ...hints.map(({ hint: { version, text, by }, proposals }) => [
              ...[version, text, by],
              proposals.length === 0
                ? "none yet"
                : proposals.map((one) => `${one.version} (${one.decision ?? "not decided"})`).join(", "),
            ]),
          ],
          [],
          io,
        ),
  );
}

import { counted, figure, percent, points } from "../../../../shared/words/numbers.ts";
import type { ResultOf } from "../../engine/services/services.ts";
import { HarnessError } from "../../base/errors.ts";
import { openDomain } from "../../engine/proposals/openDomain.ts";
import { findProjectRoot } from "../../engine/workspace/workspace.ts";
import { searchName } from "../../project/proposersOf.ts";
import { trackRecords } from "../../proposals/proposers/trackRecord.ts";
import { inspect } from "../terminal/inspect.ts";
import { paint, printResult, type Io } from "../terminal/io.ts";
import { table, wrap } from "../terminal/table.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";

type ProposersOptions = Given<{ proposer: string; domain?: string }>;

export const addProposers: AddVerb = (program, { io, cwd }) => {
  program
    .command("proposers [exam]")
    .description(
      "who proposes changes here, and how often they were right; exam: how well one ranks old drafts",
    )
    .option("--proposer <name>", "for exam: which proposer to ask", searchName)
    .option("--domain <name>", "for exam: the lineage; by default the project's")
    .action(async (what: string | undefined, o: ProposersOptions) => proposers(io(), cwd, what, o));
};

/** `evotrainer proposers [exam]` */
async function proposers(
  io: Io,
  cwd: string,
  what: string | undefined,
  { proposer, domain }: ProposersOptions,
): Promise<void> {
  if (what === undefined) return list(io, cwd);
  if (what !== "exam")
    throw new HarnessError(
      "badInput",
      `Write evotrainer proposers or evotrainer proposers exam, not ${what}.`,
    );
  await inspect(cwd, async ({ engine }) => {
    const asked = { proposer, trusted: true, ...(domain === undefined ? {} : { domain }) };
    printResult(io, await engine.request("proposals.exam", asked), (exam) => examText(io, exam));
  });
}

async function list(io: Io, cwd: string): Promise<void> {
  const root = await findProjectRoot(cwd);
  const { spec, lineage, entries, domain } = await openDomain(root, { readOnly: true });
  const kinds = [{ name: searchName, kind: searchName, owns: undefined }, ...spec.proposers];
  const questions = [...entries.ofType("question")].filter((q) => q.domain === domain);
  const records = trackRecords(
    kinds.map(({ name }) => name),
    lineage,
    questions,
  );
  const all = kinds.map(({ name, kind, owns }, i) => ({
    ...{ name, kind, owns: owns ?? null },
    ...{ judged: records[i]?.judged ?? 0, cameTrue: records[i]?.cameTrue ?? 0 },
    seconds: records[i]?.seconds ?? null,
  }));
  printResult(io, { proposers: all }, ({ proposers: all }) =>
    table(
      [
        ["proposer", "kind", "owns", "drafts judged", "came true", "a draft takes"],
        ...all.map(({ name, kind, owns, judged, cameTrue, seconds }) => [
          ...[name, kind, owns?.join(", ") ?? "all surfaces", String(judged)],
          judged === 0 ? "–" : percent(cameTrue / judged),
          seconds === null ? "–" : `${Math.round(seconds)} s`,
        ]),
      ],
      [],
      io,
    ),
  );
}

type Exam = ResultOf<"proposals.exam">;

function examText(io: Io, exam: Exam): string {
  const { proposer, domain, hitRate, byChance, above, tau, answers, byScore, leftOut } = exam;
  const asked = `${counted(exam.moments, "moment")} with ${counted(exam.drafts, "draft")} of the lineage of ${domain}`;
  const hits = `The draft that it ranked first was the best one in ${percent(hitRate.value)}${within(hitRate)}; a random draft would have been in ${percent(byChance)}. That is ${points(above.value)} more${within(above)}.`;
  const order =
    tau === null
      ? "It ranked all drafts alike."
      : `Its order fits what was measured with Kendall's tau-b ${signed(tau.value)}${within(tau, signed)}; chance is 0.`;
  const few = hitRate.low === null ? " That is too few to show anything." : "";
  const scores =
    byScore === 0
      ? ""
      : ` What ${byScore === exam.drafts ? "the drafts did" : `${byScore} of the drafts did`} is known by score, without an interval.`;
  return [
    wrap(`${proposer}, examined on ${asked}.${scores} ${hits} ${order}${few}`, io.columns),
    ...leftOut.map(({ because, versions }) =>
      wrap(`Left out ${counted(versions, "version")}: ${because}.`, io.columns),
    ),
    ...answers.map(({ parent, generation, drafts }) =>
      wrap(
        `${paint(io, "bold", `generation ${generation}, ${parent}`)}: ${drafts.map((draft) => `${draft.place}. ${draft.version} (${effectText(draft)})`).join(", ")}`,
        io.columns,
      ),
    ),
  ].join("\n");
}

function effectText({ effect, by, metric }: Exam["answers"][number]["drafts"][number]): string {
  if (effect === null) return "invalid";
  const said =
    metric === null
      ? points(effect)
      : `${metric} ${effect < 0 ? "worse" : "better"} by ${figure(Math.abs(effect))}`;
  return by === "score" ? `${said} by score` : said;
}

const signed = (value: number): string => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;

const within = (
  { low, high }: Exam["above"],
  text: (value: number) => string = (value) => (value * 100).toFixed(0),
): string => (low === null || high === null ? "" : ` [${text(low)}, ${text(high)}]`);

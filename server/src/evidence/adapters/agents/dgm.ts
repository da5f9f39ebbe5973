import { dirname } from "node:path";
import { plural } from "../../../../../shared/words/numbers.ts";
import type { Turn } from "../../../../../shared/model/rollout.ts";
import {
  fail,
  pass,
  Refusal,
  unknown,
  type Entry,
  type FileAdapter,
  type ForeignFile,
  type RolloutDraft,
  type Verdict,
} from "../parts/adapter.ts";
import { namesBeside, textBeside } from "../parts/beside.ts";
import { assistantTurns, contentText, roleOf, type Call } from "../chat/chat.ts";
import { readPythonLiteral } from "../parts/pythonLiteral.ts";
import { reportOf, type Judgement } from "./sweBench.ts";
import { countAt, fieldsAt, isFields, listAt, nameAt, without, type Fields } from "../parts/untrusted.ts";

/** Lists of a node's `overall_performance`, and what being in one means. SWE-bench takes an empty patch for a failure. */
const emptyPatches = "total_emptypatch_ids";
const lists: readonly (readonly [string, Verdict])[] = [
  ["total_resolved_ids", pass],
  ["total_unresolved_ids", fail],
  [emptyPatches, fail],
];

/**
 * The evaluation of one node of a Darwin Gödel Machine: `metadata.json` with the labels, and beside it the transcripts
 * (`predictions/<evaluation>/<instance>.md`, Python literals whatever the name says) and the reports of SWE-bench.
 */
export const dgm: FileAdapter = {
  name: "dgm",
  title: "evaluation of a Darwin Gödel Machine",
  note: {
    writer: "Darwin Gödel Machine, one node",
    files: "`metadata.json` beside reports and transcripts",
    verdict: "its lists of resolved, unresolved and empty patches, checked against the reports",
  },
  source: "dgm@d88fdd65 utils/evo_utils.py:50 get_all_performance, swe_bench/harness.py:24 process_entry",
  provides: "rollouts",
  unit: "file",
  detect: async (file) => {
    if (file.name !== "metadata.json") return false;
    const performance = fieldsAt(await file.document(), "overall_performance");
    return lists.every(([name]) => listAt(performance, name) !== undefined);
  },
  runOf: (file) => ({ name: file.folders[0] ?? "dgm", path: dirname(file.path) }),
  companions: () => [
    "reports/*.report.json",
    ...["transcripts/*", "predictions/*", "predictions/*/*"].flatMap((path) => [
      `${path}.md`,
      `${path}.json`,
    ]),
    "logs/run_evaluation/*/*/*/*",
  ],
  read: async function* (file) {
    const document = await file.document();
    const performance = fieldsAt(document, "overall_performance");
    if (!isFields(document) || performance === undefined)
      throw new Refusal("overall_performance must be an object");
    const near = await neighbours(file);
    const labels = labelsOf(performance);
    let record = 0;
    for (const [item, given] of labels)
      for (let i = 0; i < given.length; i++)
        yield { record: ++record, drafts: [await rolloutOf(file, document, item, given, i, near)] };
    // What was run and is in no list has no verdict: its evaluation broke.
    for (const item of [...near.transcripts.keys()].filter((id) => !labels.has(id)))
      yield { record: ++record, drafts: [await rolloutOf(file, document, item, [], 0, near)] };
    const problem = unnamed(performance, record);
    if (problem !== undefined) yield { record: ++record, problem } satisfies Entry;
  },
  absent: {
    step: "a node is evaluated, not trained",
    reward: "the machine selects by the share of resolved instances",
    tokens: "not counted",
    logprob_mean: "not in the transcript",
    policy: "the model is named in the code of the node only",
    seed: "not recorded",
    started_at: "not recorded",
    duration_ms: "not recorded",
    "turns.ok": "tool results are plain text",
    "turns.tokens": "not counted",
    "turns.ms": "not recorded",
  },
  inferred: {
    harness: "the node is the harness: its run_id",
    outcome: "an empty patch is a failure, as in the machine's accuracy",
    stop_reason:
      "empty_patch for an instance in total_emptypatch_ids: the agent handed in nothing; not known of others",
  },
};

interface Neighbours {
  /** Paths of transcripts by instance. */
  readonly transcripts: ReadonlyMap<string, readonly string[]>;
  readonly reports: ReadonlyMap<string, readonly string[]>;
}

async function neighbours(file: ForeignFile): Promise<Neighbours> {
  const transcripts = new Map<string, string[]>();
  const reports = new Map<string, string[]>();
  const add = (to: Map<string, string[]>, key: string, path: string): unknown =>
    to.get(key)?.push(path) ?? to.set(key, [path]);
  const evaluations = (await namesBeside(file, "predictions")).map((name) => `predictions/${name}`);
  for (const folder of ["transcripts", "predictions", ...evaluations])
    for (const name of await namesBeside(file, folder))
      if (name.endsWith(".md") && !name.endsWith("_eval.md"))
        add(transcripts, name.slice(0, -3), `${folder}/${name}`);
  for (const name of await namesBeside(file, "reports"))
    if (name.endsWith(".report.json")) add(reports, name.slice(0, -".report.json".length), `reports/${name}`);
  for (const run of await namesBeside(file, "logs/run_evaluation"))
    for (const model of await namesBeside(file, `logs/run_evaluation/${run}`))
      for (const id of await namesBeside(file, `logs/run_evaluation/${run}/${model}`))
        add(reports, id, `logs/run_evaluation/${run}/${model}/${id}/report.json`);
  return { transcripts, reports };
}

interface Label {
  readonly list: string;
  readonly verdict: Verdict;
}

/** The labels of each instance, one per evaluation of it. */
function labelsOf(performance: Fields): Map<string, Label[]> {
  const labels = new Map<string, Label[]>();
  for (const [list, verdict] of lists)
    for (const id of listAt(performance, list) ?? []) {
      if (typeof id !== "string" || id === "") continue;
      labels.set(id, [...(labels.get(id) ?? []), { list, verdict }]);
    }
  return labels;
}

async function rolloutOf(
  file: ForeignFile,
  document: Fields,
  item: string,
  labels: readonly Label[],
  index: number,
  near: Neighbours,
): Promise<RolloutDraft> {
  const label = labels[index];
  const transcripts = near.transcripts.get(item) ?? [];
  const reports = near.reports.get(item) ?? [];
  // Which of several evaluations a transcript or a report belongs to, the label does not say.
  const alone = labels.length <= 1;
  const [transcript, report] = [alone ? only(transcripts) : undefined, alone ? only(reports) : undefined];
  const judged = report === undefined ? undefined : reportOf(await file.beside(report), item, report);
  const text = transcript === undefined ? undefined : await textBeside(file, transcript);
  const turns = text === undefined ? undefined : turnsOf(text);
  return {
    type: "rollout",
    id: labels.length > 1 ? `${item}.${index}` : item,
    item,
    sample: index,
    verdict: verdictOf(label, judged),
    components: judged?.components ?? {},
    stop_reason: stopOf(label),
    turns: turns ?? [],
    harness: nameAt(document, "run_id") ?? null,
    extra: {
      ...definedIn({ label: label?.list, judged_by: judged?.from }),
      ...(transcript === undefined && transcripts.length > 0 ? { transcripts } : {}),
      ...(text !== undefined && turns === undefined ? { unreadable_transcript: transcript } : {}),
      ...(await predictionOf(file, transcript)),
    },
  };
}

const stopOf = (label: Label | undefined): string | null =>
  label?.list === emptyPatches ? "empty_patch" : null;

const definedIn = (values: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
const only = (paths: readonly string[]): string | undefined => (paths.length === 1 ? paths[0] : undefined);

function verdictOf(label: Label | undefined, judged: Judgement | undefined): Verdict {
  if (label === undefined)
    return judged?.verdict ?? unknown("no list of metadata.json names it: its evaluation reached no verdict");
  if (judged === undefined || judged.verdict.outcome === label.verdict.outcome) return label.verdict;
  const words = `metadata.json has it in ${label.list}, ${judged.from} says ${judged.verdict.outcome}`;
  return unknown(`the labels contradict each other: ${words}`);
}

/** What the agent handed in, which lies beside its transcript. */
async function predictionOf(
  file: ForeignFile,
  transcript: string | undefined,
): Promise<Record<string, unknown>> {
  if (transcript?.startsWith("predictions/") !== true) return {};
  const prediction = await file.beside(transcript.replace(/\.md$/, ".json"));
  return isFields(prediction) ? without(prediction, "instance_id", "proposed_model_patches") : {};
}

function unnamed(performance: Fields, found: number): string | undefined {
  const submitted = countAt(performance, "total_submitted_instances");
  if (submitted === undefined || submitted <= found) return undefined;
  const n = submitted - found;
  return `${n} of the ${submitted} submitted instances ${plural(n, "is", "are")} in none of its lists: their evaluation broke, and no file names them`;
}

/** A transcript as messages in the notation of Anthropic, with calls and results as marked texts. */
function turnsOf(text: string): Turn[] | undefined {
  const messages = readPythonLiteral(text);
  if (!Array.isArray(messages)) return logTurns(text);
  return messages.filter(isFields).flatMap((message): Turn[] => {
    const role = roleOf(nameAt(message, "role"));
    const said = contentText(message["content"]);
    if (role === "assistant") return assistantTurns(said, callsIn(said));
    const result = /^Tool Result: ?/.exec(said)?.[0];
    return [result === undefined ? { role, text: said } : { role: "tool", text: said.slice(result.length) }];
  });
}

/** The log that is written with models of OpenAI: what was asked, and everything that the agent said and did as one text. */
function logTurns(text: string): Turn[] | undefined {
  const log = /^\s*=+ User Instruction =+\n([\s\S]*?)\n=+ Agent Response =+\n([\s\S]*)$/.exec(text);
  const [, request, answer] = log ?? [];
  if (request === undefined || answer === undefined) return undefined;
  return [
    { role: "user", text: request.trim() },
    { role: "assistant", text: answer.trim() },
  ];
}

/** `{'tool_name': bash, 'tool_input': {…}}`: the name has no quotes, the input is a literal. */
function callsIn(text: string): Call[] {
  return [...text.matchAll(/<tool_use>\s*([\s\S]*?)\s*<\/tool_use>/g)].map(([, body = ""]) => {
    const parts = /^\{'tool_name': '?(\w+)'?, 'tool_input': ([\s\S]*)\}$/.exec(body);
    const input = parts?.[2] === undefined ? undefined : readPythonLiteral(parts[2]);
    if (parts?.[1] === undefined) return { tool: "unreadable", args: { input: body } };
    return { tool: parts[1], args: isFields(input) ? input : { input: parts[2] } };
  });
}

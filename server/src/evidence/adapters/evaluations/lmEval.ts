import { dirname, join } from "node:path";
import {
  noVerdict,
  Refusal,
  unknown,
  verdictOf,
  type ForeignFile,
  type LineAdapter,
  type Verdict,
} from "../parts/adapter.ts";
import { chatTurns } from "../chat/chat.ts";
import { completionTurns, promptTurns } from "../chat/chatMarkup.ts";
import { kept } from "../parts/kept.ts";
import { at, fieldsAt, idAt, isFields, listAt, nameAt, textAt, type Fields } from "../parts/untrusted.ts";

/**
 * Samples that lm-evaluation-harness writes with `--log_samples`, one line per document and filter. Only tasks in which the
 * model writes a text are claimed: where it compares the likelihood of choices, it wrote nothing that could be read.
 */
export const lmEval: LineAdapter = {
  name: "lm-eval",
  title: "lm-evaluation-harness samples",
  note: {
    writer: "lm-evaluation-harness, `--log_samples`",
    files: "`samples_<task>_<date>.jsonl`",
    verdict: "`exact_match`, `acc` or `pass@1` of 0 or 1, for one response; else `--pass-when`",
  },
  source:
    "lm-evaluation-harness@da211969 lm_eval/loggers/evaluation_tracker.py save_results_samples; lm_eval/evaluator.py logged_samples",
  provides: "rollouts",
  unit: "line",
  signature: ["doc_id", "target", "filtered_resps", "resps"],
  detect: async (file) => {
    const first = await file.firstRecord();
    return (
      idAt(first, "doc_id") !== undefined &&
      isFields(first) &&
      "target" in first &&
      listAt(first, "filtered_resps") !== undefined &&
      responsesOf(first) !== undefined
    );
  },
  // All tasks of one evaluation bear its date.
  runOf: (file) => {
    const { date } = placeOf(file);
    const name = [file.folders[0], date].filter((part) => part !== undefined).join("-");
    return { name, path: join(dirname(file.path), date ?? "") };
  },
  companions: () => ["results_*.json"],
  splitOf: () => "selection",
  prepare: async (file) => {
    const { date } = placeOf(file);
    return date === undefined ? undefined : file.beside(`results_${date}.json`);
  },
  convert: (record, { file, prepared }) => {
    if (!isFields(record)) throw new Refusal("a sample must be an object");
    const document = idAt(record, "doc_id");
    if (document === undefined) throw new Refusal("doc_id must be a number or a name");
    const responses = responsesOf(record);
    if (responses === undefined)
      throw new Refusal("resps must hold the texts of one request: likelihoods of choices are no rollouts");
    const filter = nameAt(record, "filter");
    // Every filter grades the same response by another rule: the item of one is not the item of the other.
    const item = [
      placeOf(file).task,
      ...(filter === undefined || filter === "none" ? [] : [filter]),
      document,
    ];
    const components = metricsOf(record);
    return responses.map((response, sample) => ({
      type: "rollout",
      id: [...item, sample].join("-"),
      item: item.join("/"),
      sample,
      policy: nameAt(prepared, "model_name") ?? null,
      components,
      reward: responses.length === 1 ? rewardOf(components) : null,
      verdict: verdictIn(components, responses.length),
      turns: [...askedTurns(record), ...completionTurns(response)],
      extra: kept({
        doc: record["doc"],
        target: record["target"],
        filter,
        filtered_resps: record["filtered_resps"],
      }),
    }));
  },
  absent: {
    step: "an evaluation does not know the step of its checkpoint",
    stop_reason: "why a response ended is not written",
    tokens: "responses are texts",
    harness: "commits of the training are not written",
    seed: "the seeds of the configuration choose examples, not samples",
    started_at: "samples have no timestamp",
    duration_ms: "only the time of the whole evaluation is written",
    logprob_mean: "log-probabilities of responses are not written",
    "turns.tokens": "a response is one text",
    "turns.ms": "time is not written",
  },
  inferred: {
    item: "name of the task in the file's name, filter, and doc_id",
    group: "the responses to one document",
    sample: "order of the responses",
    policy: "model_name of the results_<date>.json beside the samples",
    reward: "the metric of the verdict, or the only metric, of a single response",
    turns: "prompt and response are rendered texts: cut at the marks of their chat template",
    "turns.ok": "false for a call that cannot be read; the answers of tools do not say",
  },
};

/** The task and the date in a file's name. */
function placeOf({ name }: ForeignFile): { readonly task: string; readonly date: string | undefined } {
  const stem = name.replace(/\.jsonl$/, "").replace(/^samples_/, "");
  const [, task = stem, date] = /^(.+)_(\d{4}-\d{2}-\d{2}T[\d.-]+)$/.exec(stem) ?? [];
  return { task, date };
}

/** What the model wrote, where the task asked it once to write a text: settings of the generation stand beside the prompt. */
function responsesOf(record: Fields): readonly string[] | undefined {
  const settings =
    fieldsAt(record, "arguments", "gen_args_0", "arg_1") ?? fieldsAt(record, "arguments", 0, 1);
  const requests = listAt(record, "resps") ?? [];
  const [responses] = requests;
  if (settings === undefined || requests.length !== 1 || !Array.isArray(responses)) return undefined;
  const texts = responses.filter((text): text is string => typeof text === "string");
  return texts.length === 0 || texts.length < responses.length ? undefined : texts;
}

/** The prompt: one text, or for a chat API its messages as JSON in a list. */
function askedTurns(record: Fields): ReturnType<typeof promptTurns> {
  const prompt = at(record, "arguments", "gen_args_0", "arg_0") ?? at(record, "arguments", 0, 0);
  if (typeof prompt === "string") return promptTurns(prompt);
  const messages = textAt({ prompt }, "prompt", 0);
  if (messages === undefined) throw new Refusal("the prompt must be a text, or messages as JSON in a list");
  const parsed = parsedList(messages);
  return parsed === undefined ? promptTurns(messages) : chatTurns(parsed);
}

function parsedList(text: string): readonly unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The metrics of a sample stand beside its other fields; `metrics` names them since 2024. */
const bookkeeping: ReadonlySet<string> = new Set(["doc_id", "doc", "target", "filter", "metrics"]);

function metricsOf(record: Fields): Record<string, number | null> {
  const named = listAt(record, "metrics")?.filter((name) => typeof name === "string");
  const names = named ?? Object.keys(record).filter((name) => !bookkeeping.has(name));
  const metrics: Record<string, number | null> = {};
  for (const name of names) {
    const value = record[name];
    if (typeof value === "number" || value === null) metrics[name] = value;
    else if (typeof value === "boolean") metrics[name] = value ? 1 : 0;
  }
  return metrics;
}

/** Metrics that say of one response whether it is right. */
const verdicts = ["exact_match", "acc", "pass@1"];

function rewardOf(metrics: Readonly<Record<string, number | null>>): number | null {
  const names = Object.keys(metrics);
  const name = verdicts.find((known) => known in metrics) ?? (names.length === 1 ? names[0] : undefined);
  return name === undefined ? null : (metrics[name] ?? null);
}

function verdictIn(metrics: Readonly<Record<string, number | null>>, responses: number): Verdict {
  if (responses > 1) return noVerdict(`the metrics grade ${responses} responses together`);
  const name = verdicts.find((known) => known in metrics);
  if (name === undefined) return noVerdict(`none of the metrics is ${verdicts.join(", ")}`);
  const value = metrics[name];
  if (value === null) return unknown(`${name} is null or NaN: the metric failed`);
  if (value === 0 || value === 1) return verdictOf(value === 1);
  return noVerdict(`${name} is ${String(value)}, neither 0 nor 1`);
}

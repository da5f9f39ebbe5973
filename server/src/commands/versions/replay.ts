import { InvalidArgumentError, Option } from "commander";
import { decisionLooks, terminalColours } from "../../../../shared/words/decisions.ts";
import { HarnessError } from "../../base/errors.ts";
import type { ResultOf } from "../../engine/services/services.ts";
import { chooseVersion, inspect } from "../terminal/inspect.ts";
import { paint, printResult, type Io } from "../terminal/io.ts";
import { collect, positive } from "../terminal/options.ts";
import { table, wrap } from "../terminal/table.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";

type ReplayOptions = Given<{
  domain?: string;
  seeds?: number;
  confidence?: number;
  gates?: "human" | "full";
  guardrail: readonly string[];
  without: readonly string[];
  harness?: string;
}>;
type Replay = ResultOf<"lineage.replay">;
type ReplayedVersion = Replay["versions"][number];

export const addReplay: AddVerb = (program, { io, cwd }) => {
  program
    .command("replay")
    .description(
      "decide every version of the lineage again under other rules, without training; without options, under the recorded rules",
    )
    .option("--seeds <n>", "count only so many seeds of each version, the lowest first", positive)
    .option("--confidence <c>", "the confidence of every comparison, such as 0.9 or 90%", confidenceOf)
    .addOption(
      new Option("--gates <who>", "who answers the gates: a person (human), or the rule (full)").choices([
        "human",
        "full",
      ]),
    )
    .option("--guardrail <metric<=limit>", "a limit for every version; may be repeated", collect, [])
    .option("--without <diagnostic>", "leave out a diagnostic; may be repeated", collect, [])
    .option("--harness <version>", "label all versions with the diagnostics of this one")
    .option("--domain <domain>", "an imported lineage; by default the project's")
    .action(async (options: ReplayOptions) => replay(io(), cwd, options));
};

function confidenceOf(text: string): number {
  const [, digits, percent] = /^(\d*\.?\d+) ?(%?)$/.exec(text.trim()) ?? [];
  const confidence = Number(digits) / (percent === "%" ? 100 : 1);
  if (digits === undefined || !(confidence > 0.5 && confidence < 1))
    throw new InvalidArgumentError("Give a share above 0.5 and below 1, such as 0.95 or 95%.");
  return confidence;
}

/** `history_rate<=0.1` as a limit of a metric. @throws HarnessError badInput */
export function limitOf(text: string): { metric: string; atMost: number } {
  const [, metric, limit, percent] = /^\s*([\w./-]+)\s*<=\s*([+-]?\d*\.?\d+)\s?(%?)\s*$/.exec(text) ?? [];
  if (metric === undefined)
    throw new HarnessError(
      "badInput",
      `--guardrail ${JSON.stringify(text)}: write a metric and its highest value in quotes, such as 'echo-trap<=10%' or 'dead_group_ratio<=0.3'.`,
    );
  return { metric, atMost: Number(limit) / (percent === "%" ? 100 : 1) };
}

/** `evotrainer replay`: what other rules would have decided. */
async function replay(io: Io, cwd: string, options: ReplayOptions): Promise<void> {
  const { guardrail, without, harness, ...rest } = options;
  const guardrails = guardrail.map(limitOf);
  await inspect(cwd, async ({ engine, versions }) => {
    const named =
      harness === undefined
        ? {}
        : { harness: options.domain === undefined ? chooseVersion(versions, harness).name : harness };
    const found = await engine.request("lineage.replay", {
      ...rest,
      ...named,
      guardrails,
      without: [...without],
    });
    printResult(io, found, (found) => render(io, found));
  });
}

const stateWords: Readonly<Record<ReplayedVersion["state"], string>> = {
  same: "the same",
  changed: "changes",
  not_tried: "not tried",
  cannot_tell: "cannot tell",
  left: "as it was",
};

function render(io: Io, { domain, rules, summary, versions }: Replay): string {
  const by = rules.length === 0 ? " by the recorded rules" : `: ${rules.join(", ")}`;
  const rows = versions.map(({ name, state, recorded, now }) => [
    name,
    said(io, recorded),
    now === null ? "–" : said(io, now),
    state === "changed" ? paint(io, "bold", stateWords[state]) : stateWords[state],
  ]);
  const why = versions.flatMap((version) => reasons(io, version));
  return [
    paint(io, "bold", `Replay of ${domain}${by}`),
    ...summary.map((sentence) => wrap(sentence, io.columns, "  ")),
    "",
    table([["version", "recorded", "now", "result"], ...rows], [], io),
    ...(why.length === 0 ? [] : ["", paint(io, "bold", "Why"), ...why]),
  ].join("\n");
}

function said(io: Io, decided: ReplayedVersion["recorded"]): string {
  const { mark, word, colour } = decisionLooks[decided?.decision ?? "pending"];
  return paint(io, terminalColours[colour], `${mark} ${word}`);
}

/** Both reasons where the decision changes, and what else there is to say of a version. */
function reasons(io: Io, { name, state, recorded, now, gate, notes }: ReplayedVersion): string[] {
  const lines = [
    ...(state === "changed" ? [`was: ${recorded?.reason ?? ""}`, `now: ${now?.reason ?? ""}`] : []),
    ...(gate === null ? [] : [gate.says]),
    ...(state === "left" ? [] : notes),
  ];
  return lines.length === 0 ? [] : [name, ...lines.map((line) => `  ${wrap(line, io.columns - 2, "    ")}`)];
}

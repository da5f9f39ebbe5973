import { mostSevereFirst, readMark, type ReadFirst } from "../../../shared/model/namedTurns.ts";
import {
  spoilingOf,
  type ShownDiagnostic,
  type ShownRollout,
} from "../../../shared/protocol/views/rollout.ts";
import { outcomeLooks, verdictLooks, type Look } from "../../../shared/words/decisions.ts";
import { peopleLinesOf } from "../../../shared/words/people.ts";
import { element } from "../shared/dom.ts";
import { countText, dateTimeText, durationText, valueText } from "../shared/numbers.ts";
import { rewardBarsOf } from "../shared/charts/rewardBars.ts";
import { outcomeElement, signElement, spoiledOutcome } from "../shared/outcomes.ts";
import { visibleLine } from "../shared/visibleText.ts";

export type SummaryHandlers = {
  readonly turn: (index: number) => void;
  readonly openDiagnostic: (label: string) => void;
  readonly showItem: () => void;
  readonly say: (label: string, labelled: boolean) => void;
  readonly example: (label: string, expect: "labelled" | "clear" | null) => void;
};
const severitySigns = { info: "○", warning: "△", critical: "‼" } as const;

/** What became of the rollout, what it was, and which failures it shows. */
export function summaryOf(
  shown: ShownRollout,
  { said, first }: { readonly said: ReadonlyMap<string, boolean>; readonly first: ReadFirst | undefined },
  on: SummaryHandlers,
): HTMLElement {
  const { rollout } = shown;
  const section = element("section", "summary");
  const result = element("p", "result");
  const spoiling = spoilingOf(shown);
  result.append(
    spoiling.length === 0
      ? outcomeElement("strong", rollout.outcome)
      : spoiledOutcome("strong", rollout.outcome, spoiling),
  );
  if (spoiling.length > 0)
    result.append(
      element("span", "", ` · ${outcomeLooks[rollout.outcome].word}, with ${spoiling.join(", ")}`),
    );
  const because = rollout.unknown_reason ?? rollout.stop_reason;
  if (because !== null)
    result.append(
      element(
        "span",
        "",
        ` · ${rollout.unknown_reason === undefined ? "ended as " : ""}${visibleLine(because)}`,
      ),
    );
  if (rollout.reward !== null)
    result.append(element("span", "", ` · reward\u00a0${valueText(rollout.reward)}`));
  section.append(
    result,
    ...standingOf(shown),
    ...rewardOf(shown),
    ...labelsOf(shown, said, on),
    ...firstOf(first, on),
  );
  return section;
}

/** What the rollout was: item, version, numbers, and that its text is gone where it is. */
export function factsElement(shown: ShownRollout, on: Pick<SummaryHandlers, "showItem">): HTMLElement {
  const section = element("section", "meta");
  section.append(factsOf(shown, on));
  if (shown.trimmed)
    section.append(
      element(
        "p",
        "trimmed",
        "The text of these turns was dropped from the archive; the file that they came from may still have it.",
      ),
    );
  return section;
}

/**
 * Whether it earned less than what passes, and that no label makes it void. A void rollout says so in the place of its result, and
 * one that failed and is paid like those that passed beside its reward.
 */
function standingOf(shown: ShownRollout): HTMLElement[] {
  if (spoilingOf(shown).length > 0) return [];
  const less = lessThanPassed(shown);
  const lines =
    less === undefined
      ? []
      : [
          standingLine(
            verdictLooks.regressed,
            ` worse: ${valueText(less.by)} less than passed rollouts of its version (median ${valueText(less.passed)})`,
          ),
        ];
  if (shown.unlabelled !== true) lines.push(element("p", "standing", "No label makes it invalid."));
  return lines;
}

/** By how much the reward is less than the median of what passed; undefined where it is not, or nobody can say so. */
function lessThanPassed(shown: ShownRollout): { readonly by: number; readonly passed: number } | undefined {
  const { rollout, passed } = shown;
  if (rollout.reward === null || passed === undefined || spoilingOf(shown).length > 0) return undefined;
  return rollout.reward < passed ? { by: passed - rollout.reward, passed } : undefined;
}

function standingLine({ mark, colour }: Pick<Look, "mark" | "colour">, text: string): HTMLElement {
  const line = element("p", "standing");
  line.append(signElement(mark, `sign colour-${colour}`), text);
  return line;
}

function rewardOf(shown: ShownRollout): HTMLElement[] {
  const { reward: parts = [], passed = null } = shown;
  const { outcome, reward } = shown.rollout;
  const isWorthSaid = lessThanPassed(shown) !== undefined;
  return parts.length === 0 ? [] : [rewardBarsOf({ outcome, reward, parts, passed, isWorthSaid })];
}

function factsOf(
  { version, rollout, stepless }: ShownRollout,
  on: Pick<SummaryHandlers, "showItem">,
): HTMLElement {
  const list = element("dl", "facts");
  const fact = (name: string, value: string | null | undefined): void => {
    if (value === null || value === undefined || value === "") return;
    list.append(element("dt", "", name), element("dd", "", visibleLine(value)));
  };
  const item = element("button", "link", visibleLine(rollout.item));
  item.type = "button";
  item.title = "Show the rollouts of this item";
  item.addEventListener("click", on.showItem);
  const cell = element("dd");
  cell.append(item);
  list.append(element("dt", "", "item"), cell);
  fact("version", `${version}, ${rollout.split} split`);
  if (stepless === true) fact("sample", String(rollout.sample));
  else fact("step, sample", `${rollout.step}, ${rollout.sample}`);
  const components = Object.entries(rollout.components);
  fact("reward signals", components.map(([name, value]) => `${name} ${valueText(value)}`).join(", "));
  fact("tokens", rollout.tokens === null ? null : countText(rollout.tokens));
  fact("mean log-probability", rollout.logprob_mean == null ? null : valueText(rollout.logprob_mean));
  fact("duration", rollout.duration_ms === null ? null : durationText(rollout.duration_ms / 1000));
  fact("policy", rollout.policy);
  fact("harness", rollout.harness);
  fact("seed", rollout.seed === null ? null : String(rollout.seed));
  fact("started", rollout.started_at === null ? null : dateTimeText(rollout.started_at));
  return list;
}

function labelsOf(
  { version, labels, unlabelled, diagnostics, people }: ShownRollout,
  said: ReadonlyMap<string, boolean>,
  on: SummaryHandlers,
): HTMLElement[] {
  if (labels.length === 0)
    return [
      element(
        "p",
        "quiet",
        unlabelled === true
          ? `The rollouts of ${visibleLine(version)} are not labelled yet. The Evidence view labels them.`
          : "No diagnostic labels this rollout.",
      ),
    ];
  const list = element("ul", "labels");
  const diagnosticOf = (label: string): ShownDiagnostic | undefined =>
    diagnostics.find(({ name }) => name === label);
  // What matters most is read first.
  for (const { label, turns } of mostSevereFirst(labels, diagnostics)) {
    const diagnostic = diagnosticOf(label);
    const entry = element("li");
    const name = element("button", "link name", label);
    name.type = "button";
    name.title = "Open the diagnostic that set this label";
    name.addEventListener("click", () => on.openDiagnostic(label));
    entry.append(severityOf(diagnostic), name);
    if (diagnostic?.description != null) entry.append(element("span", "", diagnostic.description));
    if (diagnostic?.when != null) {
      const condition = element("details", "when");
      condition.append(element("summary", "", "Condition"), element("code", "", diagnostic.when));
      entry.append(condition);
    }
    entry.append(turnsOf(label, turns, on), opinionOf(label, said.get(label), on));
    for (const line of peopleLinesOf(people, label)) entry.append(element("span", "quiet people", line));
    if (diagnostic) entry.append(exampleOf(label, said.get(label), on));
    list.append(entry);
  }
  return [list];
}

/** Where to begin, and why. */
function firstOf(first: ReadFirst | undefined, on: Pick<SummaryHandlers, "turn">): HTMLElement[] {
  if (first === undefined) return [];
  const line = element("p", "read-first");
  const last = first.turns.length - 1;
  line.append("Read turn ");
  for (const [i, index] of first.turns.entries()) {
    const button = element("button", "link", String(index + 1));
    button.type = "button";
    button.setAttribute("aria-label", `Go to turn ${index + 1}: ${readMark(first, index) ?? ""}`);
    button.addEventListener("click", () => on.turn(index));
    line.append(i === 0 ? "" : i === 1 ? " first, then " : i === last ? " and " : ", ", button);
  }
  line.append(`${last === 0 ? " first" : ""}: ${first.because}.`);
  return [line];
}

function severityOf(diagnostic: ShownDiagnostic | undefined): HTMLElement {
  if (diagnostic === undefined) return element("span", "quiet", "no longer a diagnostic of this project");
  const { severity } = diagnostic;
  const made = element("span", `severity ${severity}`);
  made.append(signElement(severitySigns[severity]), ` ${severity}`);
  return made;
}

function turnsOf(label: string, turns: readonly number[], on: SummaryHandlers): HTMLElement {
  const line = element("span", "turns");
  if (turns.length === 0) {
    line.append(element("span", "quiet", "shown by the rollout as a whole"));
    return line;
  }
  line.append(element("span", "quiet", turns.length === 1 ? "turn" : "turns"));
  for (const index of turns.slice(0, 12)) {
    const button = element("button", "link", String(index + 1));
    button.type = "button";
    button.setAttribute("aria-label", `Go to turn ${index + 1}, which shows ${label}`);
    button.addEventListener("click", () => on.turn(index));
    line.append(button);
  }
  if (turns.length > 12) line.append(element("span", "quiet", `and ${turns.length - 12} more`));
  return line;
}

function opinionOf(label: string, said: boolean | undefined, on: SummaryHandlers): HTMLElement {
  const line = element("span", "opinion");
  line.setAttribute("role", "group");
  line.setAttribute("aria-label", `Is ${label} right?`);
  if (said === undefined) line.append(element("span", "quiet", "? not checked:"));
  for (const [labelled, text] of [
    [true, "Right"],
    [false, "Wrong"],
  ] as const) {
    const button = element("button", "link", text);
    button.type = "button";
    button.setAttribute("aria-pressed", String(said === labelled));
    button.title = "EvoTrainer keeps your answer beside the diagnostic's, and measures the label by it.";
    button.addEventListener("click", () => on.say(label, labelled));
    line.append(button);
  }
  return line;
}

/** A rollout is an example of what a person says of it; who has said nothing is asked. */
function exampleOf(label: string, said: boolean | undefined, on: SummaryHandlers): HTMLElement {
  const button = element("button", "link", "Add as example");
  button.type = "button";
  button.setAttribute("aria-label", `Add as example to ${label}`);
  button.title = "Adds the rollout to the examples of the diagnostic, which EvoTrainer checks";
  button.addEventListener("click", () =>
    on.example(label, said === undefined ? null : said ? "labelled" : "clear"),
  );
  return button;
}

import type * as z from "zod";
import type { ServiceResult } from "../../../shared/protocol/editorServices.ts";
import type { replay } from "../../../shared/protocol/services/replay.ts";
import { decisionLooks } from "../../../shared/words/decisions.ts";
import { createButton } from "../shared/button.ts";
import { element } from "../shared/dom.ts";
import { signElement } from "../shared/outcomes.ts";
import type { ServiceViewDrawing, ServiceViewHost } from "../shared/serviceView.ts";
import { tableOf, type Cell } from "../shared/table.ts";
import { visibleText } from "../shared/visibleText.ts";

type Params = (typeof replay)["lineage.replay"]["params"];
type Replay = ServiceResult<"lineage.replay">;
type Version = Replay["versions"][number];

/** The fields of the form: a rule, its name in the contract, and an example. */
const fields = [
  { rule: "seeds", label: "Seeds of each version", example: "1" },
  { rule: "confidence", label: "Confidence", example: "0.9" },
  { rule: "without", label: "Without the diagnostic", example: "echo-trap" },
  { rule: "harness", label: "Diagnostics of the version", example: "v3" },
] as const;
type Rule = (typeof fields)[number]["rule"];

/** Every version decided again by the rules of the form: which decisions change, and why. */
export function createReplay(app: HTMLElement, { ask }: ServiceViewHost<Params>): ServiceViewDrawing<Replay> {
  const said = element("p", "quiet", "Reading…");
  said.setAttribute("role", "status");
  const content = element("div");
  const form = element("div", "rules");
  form.setAttribute("role", "group");
  form.setAttribute("aria-label", "Rules");
  const inputs = new Map<Rule, HTMLInputElement>();
  for (const { rule, label, example } of fields) {
    const named = element("label", "", label);
    const input = element("input");
    input.placeholder = example;
    named.append(input);
    form.append(named);
    inputs.set(rule, input);
  }
  const again = (): void => {
    said.textContent = "Reading…";
    ask(paramsOf((rule) => inputs.get(rule)?.value.trim() ?? ""));
  };
  form.append(createButton("Decide Again", again, "primary"));
  form.addEventListener("keydown", ({ key, target }) => {
    if (key === "Enter" && target instanceof HTMLInputElement) again();
  });
  app.append(element("h1", "", "Replay"), form, said, content);
  again();
  return {
    show: ({ domain, rules, summary, versions }) => {
      const by = rules.length === 0 ? "the recorded rules" : rules.map(visibleText).join(", ");
      said.textContent = `${visibleText(domain)} by ${by}. ${summary.map(visibleText).join(" ")}`;
      const head = ["version", "recorded", "now", "result", "why"];
      content.replaceChildren(tableOf("Decisions under these rules", head, versions.map(rowOf)));
    },
    refuse: (message) => {
      said.textContent = message;
      content.replaceChildren();
    },
    changed: again,
  };
}

/** An empty field leaves its rule as it was recorded; what is no number the engine refuses, with what to write. */
function paramsOf(valueOf: (rule: Rule) => string): z.input<Params> {
  const [seeds, confidence] = [valueOf("seeds"), valueOf("confidence")];
  const [without, harness] = [valueOf("without"), valueOf("harness")];
  return {
    ...(seeds === "" ? {} : { seeds: Number(seeds) }),
    ...(confidence === "" ? {} : { confidence: Number(confidence) }),
    ...(without === "" ? {} : { without: without.split(/[\s,]+/) }),
    ...(harness === "" ? {} : { harness }),
  };
}

const stateWords: Readonly<Record<Version["state"], string>> = {
  same: "the same",
  changed: "changes",
  not_tried: "not tried",
  cannot_tell: "cannot tell",
  left: "as it was",
};

function rowOf({ name, state, recorded, now, gate, notes }: Version): Cell[] {
  const why = [
    ...(state === "changed" ? [`was: ${recorded?.reason ?? ""}`, `now: ${now?.reason ?? ""}`] : []),
    ...(gate === null ? [] : [gate.says]),
    ...(state === "left" ? [] : notes),
  ];
  return [
    visibleText(name),
    saidOf(recorded),
    now === null ? "–" : saidOf(now),
    { text: stateWords[state], className: state === "changed" ? "changed" : "" },
    why.map(visibleText).join(" "),
  ];
}

function saidOf(decided: Version["recorded"]): Cell {
  const { mark, word, colour } = decisionLooks[decided?.decision ?? "pending"];
  const said = element("span");
  said.append(signElement(mark, `colour-${colour}`), ` ${word}`);
  return { text: said };
}

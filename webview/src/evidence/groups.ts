import {
  groupings,
  type EvidenceGroups,
  type EvidenceQuery,
  type Grouping,
  type LabelsSet,
} from "../../../shared/protocol/views/evidence.ts";
import { decisionLooks } from "../../../shared/words/decisions.ts";
import { shortName } from "../../../shared/words/shortName.ts";
import { peopleLinesOf } from "../../../shared/words/people.ts";
import { element } from "../shared/dom.ts";
import { choice, option } from "../shared/select.ts";
import { countText, percentText } from "../shared/numbers.ts";
import { signElement } from "../shared/outcomes.ts";
import { visibleLine } from "../shared/visibleText.ts";

const groupingTexts: Readonly<Record<Grouping, string>> = {
  label: "Label",
  outcome: "Outcome",
  stop_reason: "Ended as",
  step: "Training step",
  item: "Item",
};
export type Groups = {
  readonly node: HTMLElement;
  readonly update: (
    by: Grouping,
    shown: {
      readonly groups: EvidenceGroups | null;
      /** Whether a rollout without a label was looked at. */
      readonly labels: LabelsSet;
      readonly problem: string | null;
    },
  ) => void;
};

/** The listed rollouts by one value, each value with its count and the solve rate of those that count; a click filters by it. */
export function createGroups(on: {
  readonly by: (by: Grouping) => void;
  readonly choose: (by: Grouping, value: string) => void;
}): Groups {
  const node = element("nav", "groups");
  node.id = "groups";
  node.setAttribute("aria-label", "Groups of rollouts");
  const { label, select } = choice("Group by", "", (value) =>
    on.by(groupings.find((g) => g === value) ?? "label"),
  );
  for (const name of groupings) select.append(option(name, groupingTexts[name]));
  const list = element("ul");
  const labelling = element("p", "quiet");
  labelling.setAttribute("role", "status");
  node.append(label, labelling, list);
  return {
    node,
    update: (by, { groups, labels, problem }) => {
      select.value = by;
      const said = by === "label" && groups !== null ? labelsText(labels) : "";
      if (labelling.textContent !== said) labelling.textContent = said;
      labelling.hidden = said === "";
      const unlabelled = labels.type === "labelled" ? "no label" : "no label yet";
      if (problem !== null) {
        list.replaceChildren(element("li", "quiet", problem));
        return;
      }
      if (groups === null) list.replaceChildren();
      if (groups?.by !== by) return;
      const heads = element("li", "quiet");
      heads.append(
        element("span", "", groupingTexts[by]),
        element("span", "count", "rollouts"),
        element("span", "share", "passed"),
      );
      list.replaceChildren(
        heads,
        ...groups.groups.map(({ value, rollouts, pass, notValid }) => {
          const entry = element("li");
          const text = value === null ? (by === "label" ? unlabelled : "not recorded") : visibleLine(value);
          const button = element(value === null ? "span" : "button", value === null ? "quiet" : "link", text);
          button.title = text;
          if (value !== null) button.addEventListener("click", () => on.choose(by, value));
          const counting = rollouts - notValid;
          const share = counting > 0 ? percentText(pass / counting) : "";
          entry.append(
            button,
            element("span", "count", countText(rollouts)),
            notValid > 0 && counting === 0 ? voidElement() : element("span", "quiet share", share),
            ...ratesOf(groups, value),
            ...(value === null ? [] : peopleLinesOf(groups.people, value)).map((line) =>
              element("span", "quiet people", line),
            ),
          );
          return entry;
        }),
        ...(groups.more
          ? [element("li", "quiet", "Only the most frequent ones are listed; filter to see others.")]
          : []),
      );
    },
  };
}

/** `of all: v7 30.2 %, v1 31.7 %`: a filter changes the counts above it, and not what it is compared with. */
function ratesOf({ beside }: EvidenceGroups, label: string | null): HTMLElement[] {
  const found = beside?.rates.find((one) => one.label === label);
  if (beside === undefined || found === undefined) return [];
  const shares = [
    [beside.version, found.own],
    [beside.against, found.other],
  ] as const;
  const said = shares.map(([of, rate]) => `${visibleLine(shortName(of))} ${percentText(rate)}`).join(", ");
  return [element("span", "quiet rates", `of all: ${said}`)];
}

function labelsText(labels: LabelsSet): string {
  switch (labels.type) {
    case "labelled":
      return "";
    case "labelling":
      return "The rollouts are being labelled…";
    case "refused":
      return `The rollouts are not labelled: ${visibleLine(labels.message)}`;
  }
}

/** In place of a share of passed rollouts, where none of them counts. */
function voidElement(): HTMLElement {
  const made = element("span", "outcome spoiled share");
  made.append(signElement(decisionLooks.invalid.mark), "\u00A0not\u00A0valid");
  return made;
}

/** The query with a value of a grouping chosen. */
export function choose(query: EvidenceQuery, by: Grouping, value: string): EvidenceQuery {
  switch (by) {
    case "label":
      return { ...query, label: value };
    case "outcome":
      return value === "pass" || value === "fail" || value === "unknown"
        ? { ...query, outcome: value }
        : query;
    case "stop_reason":
      return { ...query, stopReason: value };
    case "step":
      return { ...query, step: Number(value) };
    case "item":
      return { ...query, item: value };
  }
}

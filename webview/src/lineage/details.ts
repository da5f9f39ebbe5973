import { byAlert } from "../../../shared/model/alertOrder.ts";
import { foldedLabels, withAlso } from "../../../shared/model/foldedLabels.ts";
import { labelsFound } from "../../../shared/model/labelShare.ts";
import { decisionText } from "../../../shared/words/stages.ts";
import type { LineageUiState, LineageVersion } from "../../../shared/protocol/views/lineage.ts";
import type { NoteKind } from "../../../shared/model/noteKinds.ts";
import { auditGapNodes } from "../shared/auditGap.ts";
import { element, linkButton } from "../shared/dom.ts";
import { glossaryWord } from "../shared/glossaryWord.ts";
import { dateTimeText, percentText } from "../shared/numbers.ts";
import type { LabelByPeople } from "../../../shared/protocol/results/people.ts";
import { peopleLinesOf, peopleSaid } from "../../../shared/words/people.ts";
import { createButton } from "../shared/button.ts";
import { visibleText } from "../shared/visibleText.ts";
import { intervalText, scoreText, voidText } from "./text.ts";

export type DetailsHandlers = {
  readonly open: (name: string) => void;
  readonly select: (name: string) => void;
  readonly evidence: (name: string, label: string | null) => void;
  readonly scope: (how: "line" | "subtree", name: string) => void;
  readonly hide: (name: string) => void;
  readonly note: (name: string, what: NoteKind, value: string) => void;
  /** What is being written about versions, each time it changes. */
  readonly written: (all: Written) => void;
};
type Written = LineageUiState["written"];
export type Details = {
  readonly node: HTMLElement;
  readonly update: (shown: {
    /** The project: two of them may have versions of the same name. */
    readonly root: string | undefined;
    readonly version: LineageVersion | undefined;
    readonly people: readonly LabelByPeople[];
  }) => void;
  /** What was being written when the page was left. */
  readonly restore: (written: Written) => void;
  /** What was written about a version and not taken. */
  readonly giveBack: (of: OfVersion, text: string) => void;
};
type OfVersion = { readonly root: string | undefined; readonly name: string };

/** Of more versions than these nobody writes at the same time. */
const mostDrafts = 20;

const keyOf = ({ root, name }: OfVersion): string => JSON.stringify([root, name]);

/** Everything known about the selected version, what can be done with it, and what people say of it. */
export function createDetails(on: DetailsHandlers): Details {
  const node = element("aside", "details");
  let shown = "";
  /** Of which version the details are. */
  let of: string | undefined;
  /** What was written about versions and is not taken yet. */
  const drafts = new Map<string, string>();
  const keep = (key: string, text: string): void => {
    drafts.delete(key);
    if (text !== "") drafts.set(key, text);
    on.written(Object.fromEntries([...drafts].slice(-mostDrafts)));
  };
  const fieldOf = (key: string | undefined): HTMLTextAreaElement | null =>
    key === of ? node.querySelector("textarea") : null;
  return {
    node,
    restore: (written) => {
      for (const [key, text] of Object.entries(written)) drafts.set(key, text);
    },
    giveBack: (about, text) => {
      const key = keyOf(about);
      const field = fieldOf(key);
      keep(key, joined(text, drafts.get(key)));
      if (field !== null) field.value = drafts.get(key) ?? "";
    },
    update: ({ root, version, people }) => {
      node.hidden = version === undefined;
      // What somebody is writing stays while nothing else changes.
      const print = JSON.stringify([root, version, people]);
      if (print === shown) return;
      shown = print;
      const key = version && keyOf({ root, name: version.name });
      const written = fieldOf(of);
      const focused = key === of && written !== null && document.activeElement === written;
      of = key;
      if (version === undefined || key === undefined) {
        node.replaceChildren();
        return;
      }
      node.setAttribute("aria-label", `Details of ${version.name}`);
      const { name } = version;
      const heading = element("h2", "", visibleText(name));
      if (version.alias !== null) heading.append(element("span", "alias", ` ${visibleText(version.alias)}`));
      const actions = element("div", "tools");
      actions.append(
        createButton("Open Version", () => on.open(name), "primary"),
        createButton("Rollouts", () => on.evidence(name, null), "secondary"),
        createButton("Solo Its Line", () => on.scope("line", name), "secondary"),
        createButton("Focus Subtree", () => on.scope("subtree", name), "secondary"),
        createButton("Hide Subtree", () => on.hide(name), "secondary"),
      );
      node.replaceChildren(
        heading,
        element("p", "change", visibleText(version.title)),
        actions,
        factsOf(version, people, on),
        notesOf(version, on, {
          ...{ text: drafts.get(key) ?? "", focused },
          keep: (text) => keep(key, text),
        }),
      );
    },
  };
}

const joined = (...texts: readonly (string | undefined)[]): string =>
  texts.filter((text) => text !== undefined && text !== "").join("\n");

function factsOf(
  version: LineageVersion,
  people: readonly LabelByPeople[],
  on: DetailsHandlers,
): HTMLElement {
  const list = element("dl");
  const entry = (term: string | Node, ...parts: (string | Node)[]) => {
    if (parts.length > 0 && parts[0] !== "") {
      const value = element("dd");
      value.append(...parts);
      const head = element("dt");
      head.append(term);
      list.append(head, value);
    }
  };
  const { parent } = version;
  entry("Decision", `${decisionText(version, "became")}${version.promoted ? ", promoted" : ""}`);
  entry("Reason", visibleText(version.reason));
  entry(
    "Score",
    version.score === null && version.measured === ""
      ? "none yet"
      : `${scoreText(version)} ${intervalText(version)}`.trim() + voidText(version),
  );
  if (version.audit !== null)
    entry(
      "Audit",
      `${percentText(version.audit.score)} ${intervalText(version.audit)}`.trim(),
      ...auditGapNodes(version.audit.gap),
    );
  entry(glossaryWord("Factor", "factor"), visibleText(version.factor ?? ""));
  entry("Author", visibleText(version.author ?? ""));
  if (parent !== null)
    entry(
      "Parent",
      link(parent, () => on.select(parent)),
    );
  entry("Generation", String(version.generation));
  const found = foldedLabels(labelsFound(version.labels).sort(byAlert));
  if (found.length > 0)
    entry(
      "Labels",
      ...found.map(({ label: { name, rate, alert }, also, said }) => {
        const line = element("div", alert ?? "");
        line.append(
          link(name, () => on.evidence(version.name, name)),
          `${visibleText(withAlso("", said))} ${percentText(rate)}${alert === null ? "" : `, ${alert} alert`}`,
          ...peopleBelow(people, name, also),
        );
        return line;
      }),
    );
  entry("Made", dateTimeText(version.at));
  return list;
}

/** What people said of a label, and of those that are folded under it. */
const peopleBelow = (
  people: readonly LabelByPeople[],
  name: string,
  also: readonly string[],
): HTMLElement[] =>
  [
    ...peopleLinesOf(people, name),
    ...peopleSaid(also.flatMap((other) => people.filter(({ label }) => label === other))),
  ].map((line) => element("div", "quiet people", line));

function notesOf(
  { name, alias, tags, notes }: LineageVersion,
  on: DetailsHandlers,
  draft: {
    readonly text: string;
    readonly focused: boolean;
    /** Another tab may cover the page at any time, and then it is made anew. */
    readonly keep: (text: string) => void;
  },
): HTMLElement {
  const section = element("section", "notes");
  section.append(element("h3", "", "Name, tags and notes"));
  const chips = element("div", "chips");
  for (const tag of tags) {
    const chip = element("button", "chip", `#${visibleText(tag)} ✕`);
    chip.type = "button";
    chip.setAttribute("aria-label", `Remove the tag ${tag} from ${name}`);
    chip.addEventListener("click", () => on.note(name, "untag", tag));
    chips.append(chip);
  }
  if (tags.length > 0) section.append(chips);
  for (const { by, at, text } of notes) {
    const note = element("blockquote", "", visibleText(text));
    note.append(element("footer", "quiet", `${visibleText(by)}, ${dateTimeText(at)}`));
    section.append(note);
  }
  const form = element("form", "say");
  const field = element("textarea");
  field.rows = 2;
  field.value = draft.text;
  field.addEventListener("input", () => draft.keep(field.value));
  field.placeholder = "What you want to say about this version";
  field.setAttribute("aria-label", `Note, hint, tag or name for ${name}`);
  const send = (what: NoteKind): void => {
    const value = field.value.trim();
    if (value === "" && what !== "name") {
      field.focus();
      return;
    }
    on.note(name, what, value);
    field.value = "";
    draft.keep("");
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send("text");
  });
  const tools = element("div", "tools");
  tools.append(
    createButton("Add Note", () => send("text"), "secondary"),
    createButton("Give Hint", () => send("hint"), "secondary"),
    createButton("Add Tag", () => send("tag"), "secondary"),
    createButton(alias === null ? "Name It" : "Rename", () => send("name"), "secondary"),
  );
  form.append(field, tools);
  section.append(form);
  if (draft.focused && document.hasFocus()) queueMicrotask(() => field.focus());
  return section;
}

const link = (text: string, onClick: () => void): HTMLElement => linkButton(visibleText(text), onClick);

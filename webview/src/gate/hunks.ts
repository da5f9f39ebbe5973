import type { Proposal, ProposalHunk } from "../../../shared/protocol/views/proposals.ts";
import { element } from "../shared/dom.ts";
import { createButton } from "../shared/button.ts";
import { countedText } from "../shared/numbers.ts";
import { visibleLine, visibleText } from "../shared/visibleText.ts";
import { section } from "./facts.ts";

export type HunkHandlers = {
  readonly choose: (hunk: string, taken: boolean) => void;
  readonly openDiff: () => void;
  /** Whether hunks can still be chosen. */
  readonly isOpen: boolean;
};

/** A hunk of more lines is shown whole in the diff. */
const mostLines = 60;

/** What is changed, hunk by hunk, each with a box that says whether it is taken. */
export function hunksOf(proposal: Proposal, left: readonly string[], on: HunkHandlers): HTMLElement[] {
  const all = proposal.files.flatMap(({ hunks }) => hunks);
  const taken = all.filter(({ id }) => !left.includes(id)).length;
  const list = element("div", "hunks");
  for (const file of proposal.files) {
    list.append(element("h3", "path", visibleLine(file.path)));
    const lines = file.base === null ? [] : file.base.split("\n");
    for (const hunk of file.hunks) list.append(hunkOf(hunk, lines, !left.includes(hunk.id), on));
  }
  const open = createButton("Open Changes", on.openDiff, "secondary");
  open.id = "open-changes";
  const count = element("p", "quiet", `${taken} of ${countedText(all.length, "hunk")} will be taken.`);
  return [section("Hunks", ...(on.isOpen ? [count] : []), list, open)];
}

/** Lines around a hunk that stay as they are, so that a reader sees what it is in. */
const around = 3;

function contextOf(lines: readonly string[], from: number, to: number): HTMLElement[] {
  return lines.slice(Math.max(0, from), Math.max(0, to)).map((text) => {
    const row = element("span", "same");
    const mark = element("span", "mark", " ");
    row.append(mark, visibleText(text.replace(/\r$/, "")));
    return row;
  });
}

function hunkOf(
  hunk: ProposalHunk,
  base: readonly string[],
  isTaken: boolean,
  on: HunkHandlers,
): HTMLElement {
  const made = element("div", isTaken ? "hunk" : "hunk left");
  const line = hunk.baseStart + 1;
  if (on.isOpen) {
    const label = element("label");
    const box = element("input");
    box.type = "checkbox";
    box.id = `hunk-${hunk.id}`;
    box.checked = isTaken;
    box.addEventListener("change", () => on.choose(hunk.id, box.checked));
    label.append(box, ` Take the change at line ${line}`);
    made.append(label);
  } else made.append(element("p", "quiet", `Line ${line}`));
  const lines = element("pre", "lines");
  lines.tabIndex = 0;
  lines.setAttribute("role", "group");
  lines.setAttribute("aria-label", `Change at line ${line}`);
  lines.append(...contextOf(base, hunk.baseStart - around, hunk.baseStart));
  for (const [sign, kind, word, texts] of [
    ["-", "removed", "removed", hunk.removed],
    ["+", "added", "added", hunk.added],
  ] as const)
    for (const text of texts.slice(0, mostLines)) {
      const row = element(kind === "added" ? "ins" : "del", kind);
      const mark = element("span", "mark", sign);
      mark.setAttribute("aria-label", word);
      mark.setAttribute("role", "img");
      row.append(mark, visibleText(text.replace(/\r?\n$/, "")));
      lines.append(row);
    }
  const hidden = [hunk.removed, hunk.added].reduce((sum, l) => sum + Math.max(0, l.length - mostLines), 0);
  const end = hunk.baseStart + hunk.removed.length;
  lines.append(...contextOf(base, end, end + around));
  made.append(lines);
  if (hidden > 0)
    made.append(element("p", "quiet", `${countedText(hidden, "more line")}: open the changes to see them.`));
  return made;
}

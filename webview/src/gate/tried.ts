import { decisionLooks, verdictLooks, type Look } from "../../../shared/words/decisions.ts";
import type { Proposal } from "../../../shared/protocol/views/proposals.ts";
import { shortName } from "../../../shared/words/shortName.ts";
import { element, linkButton } from "../shared/dom.ts";
import { countedText, percentText, pointsText } from "../shared/numbers.ts";
import { signElement } from "../shared/outcomes.ts";
import { visibleLine, visibleText } from "../shared/visibleText.ts";

type Tried = NonNullable<Proposal["tried"]>[number];
export type TriedHandlers = {
  readonly version: (name: string) => void;
  /** Opens the rollouts with a label, or all for null. */
  readonly evidence: (version: string, label: string | null) => void;
};

const ends: Readonly<Record<Tried["ended"], Pick<Look, "mark" | "word">>> = {
  better: { mark: verdictLooks.improved.mark, word: "better" },
  worse: { mark: verdictLooks.regressed.mark, word: "worse" },
  noise: { mark: verdictLooks.inside_noise.mark, word: "inside the noise" },
  invalid: { mark: decisionLooks.invalid.mark, word: "not valid" },
  held: { mark: decisionLooks.invalid.mark, word: "perhaps a shortcut" },
  unmeasured: { mark: verdictLooks.withheld.mark, word: "not measured" },
};
const hows: Readonly<Record<Tried["how"], string>> = {
  "same change": "made the same change",
  "same value": "changed the same value",
  "same factor": "changed the same factor",
};

/** What became of the same change before, and of its nearest cases; said above everything that the proposal claims. */
export function triedOf({ tried }: Pick<Proposal, "tried">, on: TriedHandlers): HTMLElement[] {
  if (tried === undefined) return [];
  const box = element("section", "tried");
  box.setAttribute("aria-label", "Tried before");
  const near = tried.filter(({ how }) => how !== "same factor");
  const far = tried.filter(({ how }) => how === "same factor");
  if (near.length === 0) box.append(element("p", "quiet", "Nothing like it was tried before."));
  for (const one of near) box.append(lineOf(one, on));
  if (far.length > 0) {
    const fold = element("details", "cases");
    const summary = element("summary", "", `${countedText(far.length, "case")} of the same factor: `);
    far.forEach((one, i) => {
      const said = element("span", one.ended);
      said.append(
        signElement(ends[one.ended].mark),
        ` ${visibleLine(shortName(one.version))} ${cameOf(one)}`,
      );
      summary.append(i === 0 ? "" : ", ", said);
    });
    fold.append(summary);
    for (const one of far) fold.append(lineOf(one, on));
    box.append(fold);
  }
  return [box];
}

/** `worse, −56.5 points`. A difference says nothing of a version that is not valid. */
function cameOf({ ended, difference }: Pick<Tried, "ended" | "difference">): string {
  const { word } = ends[ended];
  return difference === null || ended === "invalid" ? word : `${word}, ${pointsText(difference)}`;
}

function lineOf(
  { version, on: parent, how, edits, ended, difference, reason }: Tried,
  on: TriedHandlers,
): HTMLElement {
  const { mark } = ends[ended];
  const line = element("div", `tried-one ${ended}`);
  const said = element("p");
  const name = linkButton(visibleLine(shortName(version)), () => on.version(version));
  name.title = visibleLine(version);
  const came = element("strong", "", cameOf({ ended, difference }));
  said.append(
    signElement(mark),
    " tried before: ",
    name,
    ` ${hows[how]} on ${visibleLine(shortName(parent))}: `,
    came,
  );
  line.append(said);
  if (how !== "same change" && edits.length > 0)
    line.append(element("p", "quiet", edits.map(visibleText).join("; ")));
  if (reason !== "") {
    const why = element("p", "quiet why", visibleLine(reason));
    why.title = visibleText(reason);
    line.append(why);
  }
  return line;
}

/** What a proposal answers: the findings, each with the rollouts that it was counted from, and targets that nothing was found of. */
export function findingsOf(
  {
    answersTo = [],
    answersFound = [],
    targets,
    parent,
  }: Pick<Proposal, "answersTo" | "answersFound" | "targets" | "parent">,
  { recordPending }: { readonly recordPending: boolean },
  on: TriedHandlers,
): HTMLElement[] {
  const found = answersTo.map(({ name, labelled, rollouts, over }) => {
    const line = element("p", "finding");
    const what = countedText(labelled, over === "group" ? "group" : "rollout");
    line.append(
      `${visibleLine(name)}, ${percentText(rollouts === 0 ? 0 : labelled / rollouts)} of ${visibleLine(shortName(parent))}: `,
      // Groups have no rollouts that could be listed by the label.
      over === "group" || labelled === 0 ? what : linkButton(what, () => on.evidence(parent, name)),
    );
    return line;
  });
  const name = visibleLine(shortName(parent));
  const others = targets.filter((target) => answersTo.every((one) => one.name !== target));
  const told = others.map((target) => {
    const line = element("p", "finding");
    const of = answersFound.find((one) => one.name === target);
    line.append(`${visibleLine(target)}: `);
    if (of?.message != null) line.append(`${visibleText(of.message)} `);
    else if (of?.holds === false) line.append(`not found in ${name}; see `);
    else line.append(recordPending ? "looking up what it says… " : `${name} has no number of it; see `);
    line.append(linkButton(`the rollouts of ${name}`, () => on.evidence(parent, null)));
    return line;
  });
  return [...found, ...told];
}

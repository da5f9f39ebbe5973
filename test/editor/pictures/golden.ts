import type { Drawn } from "./describe.ts";
import { withoutData } from "./describe.ts";
import { themeNames } from "../ui/themes.ts";

/** Something drawn, with whether it stands out and in which colour family. */
export type Part = {
  readonly kind: string;
  readonly text: string;
  readonly box: Drawn["box"];
  readonly isCut: boolean;
  /** For each theme the letter of its hue, or `.` where it cannot be seen. */
  readonly ink: string;
  /** Not kept in a golden picture. */
  readonly isWrapped?: boolean;
};
/** The picture of a view at one width. */
export type Picture = { readonly width: number; readonly parts: readonly Part[] };

/** Below this nobody sees it; lines of a grid, which are to be faint, have more. */
const leastContrast = 1.12;
/** Whether a contrast is too small for anything to be seen. */
export const isUnseen = (contrast: number): boolean => contrast < leastContrast;

/** What lies as low may be in the picture of one machine and not of another. */
const lowest = 740;

export const inkOf = ({ hue }: Drawn, contrast: number): string =>
  isUnseen(contrast) ? "." : hue === "grey" ? "k" : (hue[0] ?? "?");

/** Whether a part is high enough in the window to be compared. */
export const isInPicture = ({ box }: { readonly box: Drawn["box"] }): boolean => box[1] < lowest + 60;

export const partOf = (drawn: Drawn): Part => ({
  kind: drawn.kind,
  text: withoutData(drawn.text),
  box: drawn.box,
  isCut: drawn.cut > 0.1,
  ink: "",
  isWrapped: drawn.isWrapped,
});

/** One letter stands for the same letter in every theme. */
const inkText = (ink: string): string => (new Set(ink).size === 1 ? (ink[0] ?? "") : ink);
const lineOf = ({ kind, text, box, isCut, ink }: Part): string =>
  [box.join(" "), inkText(ink), `${kind}${isCut ? " cut" : ""}`, text].join("\t").trimEnd();

/** Places are told to 4 px, so that the pictures of another machine are seldom others. */
const rounded = (part: Part): Part => {
  const [x, y, w, h] = part.box.map((length) => Math.round(length / 4) * 4);
  return { ...part, box: [x ?? 0, y ?? 0, w ?? 0, h ?? 0] };
};

/**
 * Pictures as a text that people can read: place, ink, what it is, what it says.
 * @param before the pictures until now, which stay where nobody could tell them from the new ones
 */
export const written = (pictures: readonly Picture[], before: readonly Picture[] = []): string =>
  pictures
    .map((now) => {
      const old = before.find(({ width }) => width === now.width);
      const { width, parts } = old === undefined || differences(old, now).length > 0 ? now : old;
      return `## ${width} px\n${parts.map((part) => lineOf(rounded(part))).join("\n")}\n`;
    })
    .join("\n");

/** @throws on a line that is none of a picture */
export function read(text: string): Picture[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [head = "", ...lines] = section.trimEnd().split("\n");
      const parts = lines
        .filter((line) => line !== "")
        .map((line): Part => {
          const [place = "", ink = "", what = "", said = ""] = line.split("\t");
          const [x, y, w, h] = place.split(" ").map(Number);
          if (x === undefined || y === undefined || w === undefined || h === undefined)
            throw new Error(`This is no line of a picture: ${line}`);
          return {
            kind: what.replace(/ cut$/, ""),
            isCut: what.endsWith(" cut"),
            text: said,
            box: [x, y, w, h],
            ink,
          };
        });
      return { width: parseInt(head, 10), parts };
    });
}

const named = ({ kind, text }: Part): string => `${kind}${text === "" ? "" : ` “${text}”`}`;
const centre = ({ box: [x, y, w, h] }: Part): readonly [number, number] => [x + w / 2, y + h / 2];
const apart = (a: Part, b: Part): number => {
  const [[ax, ay], [bx, by]] = [centre(a), centre(b)];
  return Math.abs(ax - bx) + Math.abs(ay - by);
};

/** A word may be a little longer on another machine, and what follows a little lower. */
const room = (length: number): number => 14 + 0.06 * length;

/** What differs for a person between a picture and its golden one: nothing for another font or smoothing of edges. */
export function differences(golden: Picture, now: Picture): string[] {
  const found: string[] = [];
  const left = new Set(now.parts);
  for (const wanted of golden.parts) {
    /** Of the same words in one place those are meant that are seen in the same themes. */
    const unlike = (part: Part): number => apart(part, wanted) + (inkText(part.ink) === wanted.ink ? 0 : 8);
    let best: Part | undefined;
    for (const part of left)
      if (
        part.kind === wanted.kind &&
        part.text === wanted.text &&
        (best === undefined || unlike(part) < unlike(best))
      )
        best = part;
    if (best === undefined) {
      if (wanted.box[1] < lowest) found.push(`missing: ${named(wanted)} at ${wanted.box.join(" ")}`);
      continue;
    }
    left.delete(best);
    found.push(...differencesOf(wanted, best));
  }
  for (const part of left)
    if (part.box[1] < lowest) found.push(`new: ${named(part)} at ${part.box.join(" ")}`);
  return found;
}

function differencesOf(wanted: Part, part: Part): string[] {
  if (Math.max(wanted.box[1], part.box[1]) >= lowest) return [];
  const found: string[] = [];
  const [[x, y, w, h], [nx, ny, nw, nh]] = [wanted.box, part.box];
  // A word more or less in a line may take a line more or less.
  const isWrappedAnew = part.text !== "" && Math.abs(nh - h) > 8 && Math.abs(nh - h) < 20;
  const isMoved =
    Math.abs(nx - x) > room(x) ||
    Math.abs(ny - y) > room(y) ||
    (!isWrappedAnew && (Math.abs(nw - w) > room(w) || Math.abs(nh - h) > room(h)));
  if (isMoved) found.push(`moved: ${named(part)} from ${wanted.box.join(" ")} to ${part.box.join(" ")}`);
  if (part.isCut !== wanted.isCut) found.push(`${part.isCut ? "now" : "no longer"} cut: ${named(part)}`);
  const ink = wanted.ink.length === 1 ? wanted.ink.repeat(part.ink.length) : wanted.ink;
  for (const [i, letter] of part.ink.split("").entries())
    if (letter !== ink[i])
      found.push(
        letter === "."
          ? `not seen in a ${themeNames[i]} theme: ${named(part)}`
          : `another colour in a ${themeNames[i]} theme: ${named(part)}, ${ink[i]} became ${letter}`,
      );
  return found;
}

/** Texts that lie over one another. What stays on top while a page is scrolled hides nothing at the top of the page. */
export function overlaps(parts: readonly Part[]): string[] {
  const texts = parts.filter(
    ({ text, ink, isWrapped }) => text !== "" && !/^\.*$/.test(ink) && isWrapped !== true,
  );
  const found: string[] = [];
  for (const [i, a] of texts.entries())
    for (const b of texts.slice(i + 1)) {
      const across = Math.min(a.box[0] + a.box[2], b.box[0] + b.box[2]) - Math.max(a.box[0], b.box[0]);
      const down = Math.min(a.box[1] + a.box[3], b.box[1] + b.box[3]) - Math.max(a.box[1], b.box[1]);
      const smaller = Math.min(a.box[2] * a.box[3], b.box[2] * b.box[3]);
      const isTogether = a.ink.split("").some((ink, i) => ink !== "." && (b.ink[i] ?? b.ink) !== ".");
      if (isTogether && across > 2 && down > 3 && across * down > 0.3 * smaller)
        found.push(`${named(a)} and ${named(b)} lie over one another`);
    }
  return found;
}

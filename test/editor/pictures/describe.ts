import type { Frame } from "playwright-core";

/** Something that a page draws: a run of text, a form of a picture, or a field. */
export type Drawn = {
  /** What it is: the element and its first class, or a field. */
  readonly kind: string;
  readonly text: string;
  /** Left, top, width and height in the page, in CSS pixels. */
  readonly box: readonly [number, number, number, number];
  /** The colour family of its ink: what a colour means must not change, its shade may. */
  readonly hue: Hue;
  /** How much of its width is cut off by what it lies in, from 0 to 1. */
  readonly cut: number;
  /** Whether it is a text of several lines: its box has room for other words. */
  readonly isWrapped: boolean;
};
type Hue = "grey" | "red" | "orange" | "yellow" | "green" | "blue" | "purple";

type Inked = Omit<Drawn, "hue"> & { readonly colour: string };

/** The family of a colour as a computed style writes it. */
function hueOf(colour: string): Hue {
  const [r = 0, g = 0, b = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => Number(part) / 255);
  const [most, least] = [Math.max(r, g, b), Math.min(r, g, b)];
  const range = most - least;
  if (range < 0.2) return "grey";
  const sixth =
    most === r ? ((g - b) / range + 6) % 6 : most === g ? (b - r) / range + 2 : (r - g) / range + 4;
  const degrees = sixth * 60;
  if (degrees < 18 || degrees > 335) return "red";
  if (degrees < 42) return "orange";
  if (degrees < 65) return "yellow";
  return degrees < 175 ? "green" : degrees < 262 ? "blue" : "purple";
}

/**
 * Everything that a document draws in its window, in the order of the document, but for the lines of a grid.
 * With a selector only what lies in the elements that it selects.
 */
export const describePage = (frame: Pick<Frame, "evaluate">, within = "body"): Promise<Drawn[]> =>
  frame
    .evaluate((within) => {
      const root = document.documentElement;
      const { innerWidth: wide, innerHeight: high } = window;
      const isTransparent = (colour: string) => /^rgba\(.*, 0\)$|^transparent$|^none$/.test(colour);
      /** The part of a box that the boxes around it let through. */
      const shownOf = (element: Element, box: DOMRect) => {
        let [left, top, right, bottom] = [box.left, box.top, box.right, box.bottom];
        for (let at: Element | null = element; at !== null && at !== root; at = at.parentElement) {
          const { overflowX, overflowY } = getComputedStyle(at);
          if (at instanceof SVGElement && at.tagName !== "svg") continue;
          if (at === element && !(at instanceof HTMLElement)) continue;
          const around = at.getBoundingClientRect();
          if (overflowX !== "visible")
            [left, right] = [Math.max(left, around.left), Math.min(right, around.right)];
          if (overflowY !== "visible")
            [top, bottom] = [Math.max(top, around.top), Math.min(bottom, around.bottom)];
        }
        return { left, top, right, bottom };
      };
      const drawn: Inked[] = [];
      const add = (
        element: Element,
        kind: string,
        text: string,
        box: DOMRect,
        colour: string,
        isWrapped = false,
      ) => {
        const shown = shownOf(element, box);
        const isInSight =
          Math.min(shown.bottom, high) - Math.max(shown.top, 0) >= Math.min(6, box.height) &&
          shown.left < wide &&
          shown.right > 0;
        if (!isInSight || shown.right - shown.left < 0) return;
        const across = Math.min(shown.right, wide) - Math.max(shown.left, 0);
        drawn.push({
          kind,
          text,
          // A line that ends in an ellipsis is as long as what is left of it, and the last line of a list as high.
          box: [shown.left, shown.top, shown.right - shown.left, shown.bottom - shown.top].map(
            Math.round,
          ) as [number, number, number, number],
          colour,
          isWrapped,
          cut: box.width < 1 ? 0 : Math.max(0, Math.round((1 - across / box.width) * 100) / 100),
        });
      };
      const kindOf = (element: Element) => {
        const own = element.getAttribute("class")?.trim().split(/\s+/).slice(0, 2).join(".") ?? "";
        return own === "" ? element.tagName.toLowerCase() : `${element.tagName.toLowerCase()}.${own}`;
      };
      const range = document.createRange();
      const addTexts = (element: Element, style: CSSStyleDeclaration, box: DOMRect) => {
        const texts = [...element.childNodes].filter(
          (node) => node.nodeType === Node.TEXT_NODE && (node.textContent ?? "").trim() !== "",
        );
        for (const node of texts) {
          range.selectNodeContents(node);
          const inked = element instanceof SVGElement ? style.fill : style.color;
          const isWrapped = new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
          const text = node.textContent?.trim() ?? "";
          // What a reader hears and nobody sees is clipped to nothing.
          if (style.clipPath === "none" || box.width > 2)
            add(element, kindOf(element), text, range.getBoundingClientRect(), inked, isWrapped);
        }
        if (texts.length > 0 || element.childElementCount > 0) return;
        const icon = [...element.classList].find((name) => name.startsWith("codicon-"));
        if (icon !== undefined) add(element, "icon", icon, box, getComputedStyle(element, "::before").color);
        else if (!isTransparent(style.backgroundColor))
          add(element, kindOf(element), "", box, style.backgroundColor);
      };
      for (const element of root.querySelectorAll("body *")) {
        if (/^(script|style|option|title|desc|defs|pattern|template)$/i.test(element.tagName)) continue;
        if (element.matches("line:not([class]), .grid") || element.closest(within) === null) continue;
        // The editor lets its scroll bars fade.
        if (element.closest(".monaco-scrollable-element > .scrollbar") !== null) continue;
        // What lies in a closed fold has a place, and is not drawn.
        if (!element.checkVisibility()) continue;
        const style = getComputedStyle(element);
        if (style.visibility !== "visible" || Number(style.opacity) === 0) continue;
        const box = element.getBoundingClientRect();
        if (box.width <= 1 && box.height <= 1) continue;
        if (element instanceof SVGGeometryElement) {
          const colour = isTransparent(style.fill) || style.fill === "" ? style.stroke : style.fill;
          if (!isTransparent(colour)) add(element, kindOf(element), "", box, colour);
          continue;
        }
        if (/^(input|select|textarea)$/i.test(element.tagName)) {
          const named = element.getAttribute("aria-label") ?? element.getAttribute("placeholder") ?? "";
          add(element, kindOf(element), named.slice(0, 40), box, style.color);
          continue;
        }
        addTexts(element, style, box);
      }
      return drawn;
    }, within)
    .then((drawn) => drawn.map(({ colour, ...rest }) => ({ ...rest, hue: hueOf(colour) })));

/** What differs from one machine or run to the next: names of folders, commits, and times in the zone of the machine. */
export const withoutData = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .replace(/evo-[a-z]+-\w{6}\b/g, "folder")
    .replace(/\S+\/evotrainer-finished-example\b/g, "folder")
    .replace(/\b(?=[a-f\d]*\d)[a-f\d]{12,40}\b/g, "commit")
    .replace(/\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?/g, "date")
    .slice(0, 60)
    .trimEnd();

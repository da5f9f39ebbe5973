import { svgElement } from "../dom.ts";

/** A text of a picture at a place; `className` "" for none. */
export function textAt(
  text: string,
  [x, y]: readonly [number, number],
  anchor: "start" | "middle" | "end",
  className = "",
): SVGTextElement {
  const made = svgElement("text", {
    ...{ x, y, "text-anchor": anchor },
    ...(className === "" ? {} : { class: className }),
  });
  made.textContent = text;
  return made;
}

import { foreseenText } from "../../../shared/words/foreseen.ts";
import { element } from "./dom.ts";
import { signElement } from "./outcomes.ts";
import type { Cell } from "./table.ts";

const colours: Readonly<Record<string, string>> = { hit: "green", opposite: "red" };

/** What came of a predicted label, its sign in the colour of what came true or of its opposite. */
export function foreseenCell(result: string): Cell {
  const [sign = "", ...words] = foreseenText(result).split(" ");
  const said = element("span");
  said.append(signElement(sign, `colour-${colours[result] ?? "foreground"}`), ` ${words.join(" ")}`);
  return { text: said };
}

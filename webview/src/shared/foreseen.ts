import { foreseenText } from "../../../shared/words/foreseen.ts";
import { element } from "./dom.ts";
import { signElement } from "./outcomes.ts";
import type { Cell } from "./table.ts";

const colours: Readonly<Record<"fix" | "risk", Readonly<Record<string, string>>>> = {
  fix: { hit: "green", opposite: "red" },
  risk: { hit: "yellow" },
};

/** What came of a predicted label, its sign in the colour of what that means: a risk that came true is a warning. */
export function foreseenCell(result: string, kind: "fix" | "risk"): Cell {
  const [sign = "", ...words] = foreseenText(result, kind).split(" ");
  const said = element("span");
  said.append(signElement(sign, `colour-${colours[kind][result] ?? "foreground"}`), ` ${words.join(" ")}`);
  return { text: said };
}

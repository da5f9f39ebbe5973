import { glossary, type GlossaryWord } from "../../../shared/words/glossary.ts";
import { element } from "./dom.ts";

/** A word that not everybody knows, explained to who points at it. */
export function glossaryWord(text: string, word: GlossaryWord): HTMLElement {
  const made = element("abbr", "", text);
  made.title = glossary[word];
  return made;
}

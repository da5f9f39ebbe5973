import { parseDocument, type Document, type ParseOptions } from "yaml";

/**
 * A YAML text as a document that holds its errors. The parser warns of unusual texts on the process, which would write over
 * a terminal in the middle of an answer: what is wrong with a text is said by those who read the document.
 */
export function parseYaml(
  text: string,
  options: Pick<ParseOptions, "lineCounter" | "prettyErrors"> = {},
): Document.Parsed {
  return parseDocument(text, { prettyErrors: false, ...options, logLevel: "error" });
}

/** A text as a word of YAML: as it is where nothing else can be read from it, otherwise as a JSON text, which is YAML too. */
export const yamlWord = (word: string): string =>
  /^[A-Za-z][A-Za-z0-9_./-]*$/.test(word) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(word)
    ? word
    : JSON.stringify(word);

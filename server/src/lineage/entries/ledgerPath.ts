import { hash } from "node:crypto";

const reserved = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)/;
const longest = 150;

/**
 * File of a ledger entry: `entries/<first two hex digits of sha256(id)>/<name>.json`. The name is the id where every file
 * system allows that; other characters (capitals too: some file systems ignore case) become `=` and their hex code, names
 * that Windows reserves get their first letter encoded, and a long name is cut and ends in `~` and the id's sha256.
 */
export function ledgerPath(id: string): string {
  const digest = hash("sha256", id);
  let name = id.replace(/[^a-z0-9._-]/g, encode);
  if (reserved.test(name)) name = encode(name.charAt(0)) + name.slice(1);
  if (name.length > longest) name = `${name.slice(0, 60)}~${digest}`;
  return `entries/${digest.slice(0, 2)}/${name}.json`;
}

function encode(character: string): string {
  return `=${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
}

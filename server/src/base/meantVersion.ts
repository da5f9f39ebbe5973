import { HarnessError } from "./errors.ts";
import { didYouMean } from "./similar.ts";

/** A message names so many. */
const mostListed = 20;

/**
 * The version that is meant: by its name, or by the start of it (v3 for v3-continuous-reward). Wherever a person or an
 * assistant names a version, this says which it is. @throws HarnessError notFound, badInput when the start fits several
 */
export function meantVersion(asked: string, names: readonly string[]): string {
  const fitting = fittingVersions(asked, names);
  const [only, another] = fitting;
  if (only === undefined) throw new HarnessError("notFound", missing(asked, names));
  if (another !== undefined)
    throw new HarnessError(
      "badInput",
      `${asked} matches several versions: ${listedVersions(fitting)}; write the whole name.`,
    );
  return only;
}

/** The versions of this name, or else those whose names begin so. */
export function fittingVersions(asked: string, names: readonly string[]): string[] {
  if (names.includes(asked)) return [asked];
  const words = names.filter((name) => name.startsWith(`${asked}-`));
  const starts = words.length > 0 ? words : names.filter((name) => beginsWith(name, asked));
  // v5-reward.clean was measured beside v5-reward; whoever writes v5 means the version itself.
  return starts.filter((name) => !starts.some((other) => name.startsWith(`${other}.`)));
}

/** Whether a name begins so, within a word too: `hec` for hecate_2, and `1_8` for 1_8601a960, but never v1 for v10. */
function beginsWith(name: string, asked: string): boolean {
  if (asked.length < 2 || !name.startsWith(asked)) return false;
  const cutsNumber = /^\d\d/.test(name.slice(asked.length - 1, asked.length + 1));
  if (!cutsNumber) return true;
  const before = /[a-z\d]*$/i.exec(asked)?.[0] ?? "";
  const behind = /^[a-z\d]*/i.exec(name.slice(asked.length))?.[0] ?? "";
  return isHash(before + behind);
}

/** Digits with letters among them count nothing: they are told by their first ones, as a commit is. */
const isHash = (word: string): boolean => word.length > 6 && /\d[a-z]+\d/i.test(word);

/** Between numbers alone no word is misspelt: the list says which there are. */
function missing(asked: string, names: readonly string[]): string {
  const near = /^v?\d+$/.test(asked) ? "" : didYouMean(asked, names);
  if (names.length === 0)
    return `There is no version ${asked}, and no other yet: run \`evotrainer evolve\`, or \`evotrainer import <path>\`.`;
  return `There is no version ${asked}; there are: ${listedVersions(names)}.${near}`;
}

export function listedVersions(names: readonly string[]): string {
  const shown = names.slice(0, mostListed).join(", ");
  const more = names.length - mostListed;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

import { HarnessError } from "./errors.ts";
import { didYouMean } from "./similar.ts";

/** A message names so many. */
const mostListed = 20;

/**
 * The version that is meant: by its name, or by the start of it (v3 for v3-continuous-reward). Wherever a person names a
 * version, this says which it is. @throws HarnessError notFound, badInput when the start fits several
 */
export function meantVersion(asked: string, names: readonly string[]): string {
  if (names.includes(asked)) return asked;
  const words = names.filter((name) => name.startsWith(`${asked}-`));
  const starts = words.length > 0 ? words : names.filter((name) => beginsWith(name, asked));
  // v5-reward.clean was measured beside v5-reward; whoever writes v5 means the version itself.
  const fitting = starts.filter((name) => !starts.some((other) => name.startsWith(`${other}.`)));
  const [only, another] = fitting;
  if (only === undefined) throw new HarnessError("notFound", missing(asked, names));
  if (another !== undefined)
    throw new HarnessError(
      "badInput",
      `${asked} matches several versions: ${listedVersions(fitting)}; write the whole name.`,
    );
  return only;
}

/** Whether a name begins so, within a word too: `hec` for hecate_2, but never v1 for v10. */
const beginsWith = (name: string, asked: string): boolean =>
  asked.length > 1 && name.startsWith(asked) && !/^\d\d/.test(name.slice(asked.length - 1, asked.length + 1));

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

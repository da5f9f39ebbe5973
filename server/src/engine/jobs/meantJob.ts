import { HarnessError } from "../../base/errors.ts";
import { fittingVersions } from "../../base/meantVersion.ts";
import { runsFolder } from "../workspace/archive.ts";
import { parseRunId } from "../workspace/runs.ts";
import { engineFolderOf } from "../workspace/workspace.ts";
import { jobNames } from "./lookUp.ts";

/** A message names so many jobs. */
const mostNamed = 5;

/**
 * The job that a person or an assistant means: by its name, or by a version with as much of the rest as leaves only one
 * (v4, v4.train or v4.train.s1 for v4-entropy.train.s1). A name that fits none is given back as it is, for whoever looks
 * the job up to say so. @throws HarnessError badInput where several fit
 */
export const findMeantJob = async (root: string, asked: string): Promise<string> =>
  meantJob(asked, await jobNames(runsFolder({ engineFolder: engineFolderOf(root) })));

export function meantJob(asked: string, names: readonly string[]): string {
  if (names.includes(asked)) return asked;
  const jobs = names.map((name) => ({ name, version: parseRunId(name)?.version ?? name }));
  const versions = [...new Set(jobs.map(({ version }) => version))];
  // A version's name may hold a dot itself, so the longest one is tried first.
  const words = asked.split(".");
  for (let taken = words.length; taken > 0; taken--) {
    const meant = fittingVersions(words.slice(0, taken).join("."), versions);
    const rest = words.slice(taken).map((word) => `.${word}`);
    const fitting = jobs.filter(
      ({ name, version }) =>
        meant.includes(version) && `${name.slice(version.length)}.`.startsWith(`${rest.join("")}.`),
    );
    const [only, another] = fitting;
    if (only === undefined) continue;
    if (another === undefined) return only.name;
    const named = fitting.slice(0, mostNamed).map(({ name }) => name);
    const more = fitting.length - named.length;
    throw new HarnessError(
      "badInput",
      `${asked} matches several jobs: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}; write the whole name.`,
    );
  }
  return asked;
}

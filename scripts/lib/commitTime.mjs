import { run } from "./process.mjs";

/**
 * Seconds since 1970 of the newest commit, or of the first release where there is no repository. SOURCE_DATE_EPOCH goes before both,
 * for whoever builds a release again from its sources alone.
 */
export async function commitTime() {
  const given = process.env.SOURCE_DATE_EPOCH;
  if (given !== undefined && /^\d+$/.test(given)) return Number(given);
  const { code, output } = await run("git", ["log", "-1", "--format=%ct"]);
  return code === 0 ? Number(output.trim()) : 1_767_225_600;
}

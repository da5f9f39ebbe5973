import { rename, rm, writeFile } from "node:fs/promises";
import { exists } from "../../base/files.ts";

/** Beside an archive of which somebody has read a part that is damaged. */
const markOf = (path: string): string => `${path}.is-damaged`;

/** Notes that an archive is damaged, so that the next who opens it makes it anew. */
export async function noteDamage(path: string): Promise<void> {
  await writeFile(markOf(path), "", { mode: 0o600 }).catch(() => undefined);
}

export const isNotedDamaged = (path: string): Promise<boolean> => exists(markOf(path));

/** To be called when an archive is made anew, for whatever reason. */
export const forgetDamage = (path: string): Promise<void> => rm(markOf(path), { force: true });

/** Puts a damaged archive aside, in the place of one that was put there before; answers where it is. */
export async function putAside(path: string): Promise<string> {
  const aside = `${path}.damaged`;
  if (await exists(path)) await rename(path, aside);
  return aside;
}

/** Puts an archive of another release aside, beside those that were put there before: each can have what no other has. */
export async function putOutdatedAside(path: string): Promise<string> {
  let aside = `${path}.outdated`;
  for (let n = 2; await exists(aside); n++) aside = `${path}.outdated-${n}`;
  await rename(path, aside);
  return aside;
}

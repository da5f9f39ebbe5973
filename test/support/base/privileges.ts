import { chown, readdir } from "node:fs/promises";
import { join } from "node:path";
import { skipBecause } from "./skip.ts";

const nobody = 65534;

/**
 * For tests of permissions, which do not apply to root: if the tests run as root, this runs as nobody. The folder then
 * belongs to nobody.
 */
export async function withoutPrivileges(
  context: Mocha.Context,
  folder: string,
  run: () => Promise<void>,
): Promise<void> {
  const { seteuid } = process;
  if (process.platform === "win32" || seteuid === undefined)
    skipBecause(context, "files of this system have no modes");
  if (process.geteuid?.() !== 0) {
    await run();
    return;
  }
  for (const name of ["", ...(await readdir(folder, { recursive: true }))])
    await chown(join(folder, name), nobody, nobody);
  seteuid(nobody);
  try {
    await run();
  } finally {
    seteuid(0);
  }
}

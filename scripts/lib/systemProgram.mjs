import { existsSync } from "node:fs";
import { run, seconds } from "./process.mjs";

let packager = Promise.resolve();
/** Debian's packager works for one at a time: who comes while another has it waits. */
export function withPackager(work) {
  const done = packager.then(work);
  packager = done.catch(() => undefined);
  return done;
}

/**
 * Makes sure that a program of the system is there: as a variable of the environment says, or from Debian's package.
 * @param {{ name: string, file: string, debian: string, variable: string }} program
 * @param {(line: string) => void} say
 * @returns {Promise<{ reason?: string }>} why it cannot be had; nothing when it is there
 */
export async function ensureProgram({ name, file, debian, variable }, say) {
  if (existsSync(file)) return {};
  if (process.env[variable]) return { reason: `${variable} names ${file}, which does not exist.` };
  if (!existsSync("/usr/bin/apt-get"))
    return { reason: `There is no ${file} and no apt-get to install it; set ${variable} to a ${name}.` };
  if (process.getuid?.() !== 0)
    return {
      reason: `${name} is missing and only root can install it; run "apt-get install ${debian}" or set ${variable}.`,
    };
  say(`installing ${name} into the system (apt-get install ${debian})`);
  const start = performance.now();
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  const aptGet = (...args) => run("apt-get", args, { env });
  const { update, install } = await withPackager(async () => ({
    update: await aptGet("update", "-q"),
    install: await aptGet("install", "-y", "-q", "--no-install-recommends", debian),
  }));
  if (install.code !== 0 || !existsSync(file)) {
    const tail = (update.code === 0 ? install : update).output.trimEnd().split("\n").slice(-3).join(" ");
    return { reason: `apt-get could not install ${debian}: ${tail}` };
  }
  say(`${name} installed in ${seconds(start)}`);
  return {};
}

import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { run, seconds } from "./process.mjs";
import { withPackager } from "./systemProgram.mjs";

/** An SSH server, BusyBox and other people's login shells, for the tests of hosts. */
const packages = ["openssh-server", "libwrap0", "busybox", "tcsh", "rsync"];

/** Where the tests look for them: test/support/runner/tools.ts. */
const hostToolsFolder =
  process.env.EVOTRAINER_HOST_TOOLS ??
  join(
    process.env.EVOTRAINER_CACHE ??
      join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "evotrainer"),
    "host-tools",
  );

/**
 * Unpacks Debian's packages into the cache; nothing is installed into the system and no service is started. Where that
 * is not possible the tests that need them are skipped by name, so a failure is only said.
 */
export async function ensureHostTools(say) {
  if (existsSync(hostToolsFolder) || process.platform !== "linux") return;
  const missing = "the tests of SSH hosts will be skipped";
  if (!existsSync("/usr/bin/apt-get"))
    return say(`there is no apt-get to fetch ${packages.join(", ")} with; ${missing}`);
  const start = performance.now();
  mkdirSync(dirname(hostToolsFolder), { recursive: true });
  const work = mkdtempSync(`${hostToolsFolder}.partial-`);
  try {
    const fetched = await withPackager(() => download(work));
    if (fetched.code !== 0) return say(`${fetched.output.trimEnd().split("\n").at(-1)}; ${missing}`);
    for (const file of readdirSync(work).filter((name) => name.endsWith(".deb"))) {
      const { code, output } = await run("dpkg-deb", ["--extract", file, join(work, "root")], { cwd: work });
      if (code !== 0) return say(`${output.trim()}; ${missing}`);
    }
    renameSync(join(work, "root"), hostToolsFolder);
    say(`an SSH server and shells for the tests unpacked into ${hostToolsFolder} in ${seconds(start)}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function download(cwd) {
  const aptGet = (...args) =>
    run("apt-get", args, { cwd, env: { DEBIAN_FRONTEND: "noninteractive" }, limit: 300_000 });
  const fetched = await aptGet("download", "-q", ...packages);
  if (fetched.code === 0 || process.getuid?.() !== 0) return fetched;
  // The lists of packages may be missing or too old; only root can fetch them.
  await aptGet("update", "-q");
  return aptGet("download", "-q", ...packages);
}

// Builds and packages the newest commit twice, in two folders that share nothing but node_modules, with another time zone, another
// mask of files and another home the second time, and says whether all packages are equal: node scripts/packageTwice.mjs [--target all]
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commitTime } from "./lib/commitTime.mjs";
import { must, root } from "./lib/process.mjs";

const say = (line) => process.stdout.write(`${line}\n`);
const sha256 = (file) => createHash("sha256").update(readFileSync(file)).digest("hex");

/** The packages of a new folder with the files of the newest commit, each with its hash. */
async function packaged(folder, { umask, env }) {
  mkdirSync(folder, { recursive: true });
  const before = process.umask(umask);
  try {
    const sources = join(folder, "sources.tar");
    await must("git archive", "git", ["archive", "--output", sources, "HEAD"]);
    await must("tar", "tar", ["-xf", sources, "-C", folder]);
    rmSync(sources);
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const script = join(folder, "scripts/package.mjs");
    await must("npm run package", process.execPath, [script, ...process.argv.slice(2)], { cwd: folder, env });
  } finally {
    process.umask(before);
  }
  const names = readdirSync(join(folder, "dist")).filter((name) => /\.(vsix|tgz|cdx\.json)$/.test(name));
  return names.sort().map((name) => ({ name, hash: sha256(join(folder, "dist", name)) }));
}

const folder = mkdtempSync(join(tmpdir(), "evotrainer-twice-"));
try {
  const epoch = { SOURCE_DATE_EPOCH: String(await commitTime()) };
  const home = join(folder, "home");
  mkdirSync(home);
  const first = await packaged(join(folder, "one"), { umask: 0o022, env: { ...epoch, TZ: "UTC" } });
  const other = { ...epoch, TZ: "Asia/Kathmandu", LANG: "C", HOME: home };
  const second = await packaged(join(folder, "a longer name/two"), { umask: 0o077, env: other });
  for (const [i, { name, hash }] of first.entries()) {
    const again = second[i];
    const isEqual = again?.name === name && again.hash === hash;
    say(`${isEqual ? "equal" : "DIFFERENT"}  ${hash}  ${name}${isEqual ? "" : ` (then ${again?.hash})`}`);
    if (!isEqual) process.exitCode = 1;
  }
  if (first.length === 0 || first.length !== second.length)
    throw new Error("The two builds made other files.");
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

// Checks everything about the packages in dist/ that has to be right before they are published, and prints the commands that upload
// them. It uploads nothing: node scripts/releaseCheck.mjs [--pre-release]
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { repositoryAddress } from "./lib/address.mjs";
import { released } from "./lib/nativePackage.mjs";
import { must, root, run } from "./lib/process.mjs";
import { releaseProblems, uploadCommands } from "./lib/releaseProblems.mjs";
import { vsixFacts } from "./lib/vsixFacts.mjs";

const say = (line) => process.stdout.write(`${line}\n`);
const textOf = (path) => readFileSync(join(root, path), "utf8");

/** The size of a PNG, which stands in its first chunk. */
function sizeOf(path) {
  const bytes = existsSync(join(root, path)) ? readFileSync(join(root, path)) : Buffer.alloc(0);
  if (bytes.subarray(1, 4).toString("latin1") !== "PNG") return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function npmFacts(file) {
  if (!existsSync(file)) return undefined;
  const tar = (...args) => execFileSync("tar", args, { encoding: "utf8" });
  return {
    manifest: JSON.parse(tar("-xzOf", file, "package/package.json")),
    files: tar("-tzf", file).trim().split("\n"),
    megabytes: statSync(file).size / 1e6,
  };
}

async function main() {
  const { values } = parseArgs({ options: { "pre-release": { type: "boolean", default: false } } });
  const preRelease = values["pre-release"];
  const manifest = JSON.parse(textOf("package.json"));
  const dist = readdirSync(join(root, "dist"));
  const named = new RegExp(
    String.raw`^evotrainer-${manifest.version.replaceAll(".", String.raw`\.`)}-.*\.vsix$`,
  );
  const files = dist.filter((name) => named.test(name)).map((name) => join(root, "dist", name));
  const extensions = [];
  for (const file of files)
    extensions.push({
      ...(await vsixFacts(file)),
      ...{ file: relative(root, file), megabytes: statSync(file).size / 1e6 },
    });
  const npmFile = `dist/evotrainer-${manifest.version}.tgz`;
  const status = await must("git status", "git", ["status", "--porcelain"]);
  const tags = await run("git", ["tag", "--points-at", "HEAD"]);
  const problems = releaseProblems({
    ...{ manifest, preRelease, extensions, platforms: released },
    changelog: textOf("CHANGELOG.md"),
    address: repositoryAddress(manifest),
    icon: sizeOf(manifest.icon ?? ""),
    git: { isClean: status.trim() === "", tags: tags.output.trim().split("\n") },
    npm: npmFacts(join(root, npmFile)),
    hasSbom: dist.includes(`evotrainer-${manifest.version}.cdx.json`),
  });
  for (const problem of problems) say(`- ${problem}`);
  if (problems.length > 0) {
    say(
      `${problems.length} ${problems.length === 1 ? "thing speaks" : "things speak"} against publishing ${manifest.version}.`,
    );
    process.exitCode = 1;
    return;
  }
  say(`Nothing speaks against publishing ${manifest.version}. Nothing was uploaded; these commands do it:`);
  for (const command of uploadCommands({ extensions, npmFile, preRelease })) say(`  ${command}`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

// `npm run site [-- --serve]`: makes the site of the documentation in out/site, to be read without a network, and checks its links.
import { spawnSync } from "node:child_process";
import { existsSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { assemble } from "./assemble.ts";
import { deadLinks } from "./deadLinks.ts";

const root = join(import.meta.dirname, "..");
const out = join(root, "out", "site");
const source = join(out, "source");
const built = join(out, "pages");
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

function run(program: string, args: readonly string[], cwd: string): void {
  const { status, error } = spawnSync(program, args, { cwd, stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

// VitePress is installed here alone: nothing that people install needs it.
if (!existsSync(join(import.meta.dirname, "node_modules", "vitepress")))
  run("npm", ["ci", "--no-audit", "--no-fund"], import.meta.dirname);
rmSync(out, { recursive: true, force: true });
const pages = assemble(root, source);
// Pages import Vue, which is looked for beside them.
symlinkSync(join(import.meta.dirname, "node_modules"), join(out, "node_modules"), "junction");
say(`site: ${pages} pages from the documentation`);
const vitepress = join(import.meta.dirname, "node_modules", "vitepress", "bin", "vitepress.js");
run(process.execPath, [vitepress, "build", import.meta.dirname], import.meta.dirname);
const dead = deadLinks(built);
for (const { page, link } of dead) say(`site: ${page} links to ${link}, which is not there`);
if (dead.length > 0) process.exit(1);
say(`site: done, in ${built}`);
if (process.argv.includes("--serve"))
  run(process.execPath, [vitepress, "preview", import.meta.dirname], import.meta.dirname);

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Unpacks the project that release 0.1.0 left behind (test/stored). */
export function storedProject(): string {
  const root = mkdtempSync(join(tmpdir(), "evo-stored-"));
  execFileSync("tar", ["xzf", join(import.meta.dirname, "../stored/release-0.1.0.tar.gz"), "-C", root]);
  const git = (...args: string[]): unknown => execFileSync("git", args, { cwd: root, stdio: "pipe" });
  git("init", "--quiet", "--initial-branch=unborn");
  git("config", "user.name", "t");
  git("config", "user.email", "t@example.invalid");
  git("fetch", "--quiet", "project.bundle", "refs/*:refs/*");
  rmSync(join(root, "project.bundle"));
  git("checkout", "--quiet", "main");
  return root;
}

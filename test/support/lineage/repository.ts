import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A throw-away git repository for tests, made with plain git. */
export interface TestRepository {
  readonly root: string;
  git(...args: string[]): string;
  write(path: string, content: string | Uint8Array): void;
  commit(message?: string): string;
  dispose(): void;
}

/** The user's git configuration must not decide what a test sees. */
export const testEnvironment: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"))),
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_OPTIONAL_LOCKS: "0",
};

/** Makes a repository with one commit that holds `files`. */
export function makeTestRepository(
  files: Readonly<Record<string, string>> = { "a.txt": "one\n" },
): TestRepository {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "evotrainer test ")));
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: root, env: testEnvironment, encoding: "utf8", stdio: "pipe" }).trimEnd();
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  const commit = (message = "work") => {
    git("add", "--all");
    git("commit", "--quiet", "--allow-empty", "-m", message);
    return git("rev-parse", "HEAD");
  };
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Test User");
  git("config", "user.email", "test@example.org");
  for (const [path, content] of Object.entries(files)) write(path, content);
  if (Object.keys(files).length > 0) commit("first");
  return { root, git, write, commit, dispose: () => rmSync(root, { recursive: true, force: true }) };
}

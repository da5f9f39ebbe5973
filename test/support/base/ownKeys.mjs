// Mocha loads this first: what a test signs is signed with a key of its own, and its user's folder stays as it is.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

if (process.env.EVOTRAINER_KEYS === undefined) {
  const folder = mkdtempSync(join(tmpdir(), "evo-keys-"));
  process.env.EVOTRAINER_KEYS = folder;
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
}

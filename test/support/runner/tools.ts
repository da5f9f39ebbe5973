import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/** Where scripts/setup.mjs unpacks programs for the tests of hosts: an SSH server and other people's shells. */
export const hostTools =
  process.env["EVOTRAINER_HOST_TOOLS"] ??
  join(
    process.env["EVOTRAINER_CACHE"] ??
      join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "evotrainer"),
    "host-tools",
  );

/** The path of a program that only tests need, or undefined where this machine has none. */
export function hostTool(name: string): string | undefined {
  const folders = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    "/usr/sbin",
    ...["usr/sbin", "usr/bin", "bin"].map((folder) => join(hostTools, folder)),
  ];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const preload = resolve(import.meta.dirname, "refuseConnections.cjs");

/**
 * The environment in which a program of Node, and all that it starts, can connect to nothing but sockets in the file system.
 * `attempts` lists what they tried, a line each.
 * @param folder where the attempts are written
 */
export function withoutConnections(folder: string): {
  readonly env: Readonly<Record<string, string>>;
  readonly attempts: () => string[];
} {
  const file = join(folder, "connections.txt");
  return {
    env: { NODE_OPTIONS: `--require ${JSON.stringify(preload)}`, EVOTRAINER_CONNECTIONS: file },
    attempts: () => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []),
  };
}

import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { serviceNames } from "../shared/protocol/services.ts";

const engine = "server/src/engine";
/** The file with the table of the services that each function defines. */
const tables = { defineService: "services.ts", definePlainService: "plainServices.ts" } as const;
const [open, close] = ["// services: written by npm run protocol\n", "// /services"];

/** The work of a service, where a file exports it: its own name, how it is defined, and the name in the contract. */
const definition = /^export const (\w+) = (defineService|definePlainService)\("([\w.]+)"/gm;

/** Every file of the engine that is no test, from the engine's folder. */
const files = (root: string): string[] =>
  readdirSync(join(root, engine), { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .sort();

/**
 * The tables of the services with a line for every one that a file of the engine does, in the order of the contract. What is
 * only in the contract gets no line, and then the table does not compile.
 */
export function serviceTables(root: string): readonly { readonly path: string; readonly text: string }[] {
  const found = files(root).flatMap((file) =>
    [...readFileSync(join(root, engine, file), "utf8").matchAll(definition)].map(
      ([, own = "", define = "", name = ""]) => ({ file, own, define, name }),
    ),
  );
  return Object.entries(tables).map(([define, table]) => {
    const path = posix.join(engine, "services", table);
    const before = readFileSync(join(root, path), "utf8");
    const [start, end] = [before.indexOf(open), before.indexOf(close)];
    if (start === -1 || end < start) throw new Error(`${path} has lost the marks of its table.`);
    const lines = serviceNames.flatMap((name) =>
      found
        .filter((work) => work.define === define && work.name === name)
        .map(({ own, file }) => `"${name}": async () => (await import("../${file}")).${own},\n`),
    );
    return { path, text: `${before.slice(0, start)}${open}${lines.join("")}${before.slice(end)}` };
  });
}

import { createRequire } from "node:module";
import type * as DuckDb from "@duckdb/node-api";
import type * as Bindings from "@duckdb/node-bindings";

/** In the bundle of the engine: gives the library, whose 120 files take as long to find and compile as all else to start. */
declare const bundledDuckDb: (() => unknown) | undefined;

/**
 * Loads the database library when it is first needed. By `require`, because importing this CommonJS package from ESM
 * first parses all its files for their export names, which takes longer than all the rest of opening an archive.
 */
export function loadDuckDb(): typeof DuckDb {
  const loaded = typeof bundledDuckDb === "function" ? bundledDuckDb() : load("@duckdb/node-api");
  if (!isDuckDb(loaded)) throw new Error("@duckdb/node-api is not the expected library.");
  return loaded;
}

/** The engine's C interface below the library, for what has to be fast. */
export function loadBindings(): typeof Bindings {
  const loaded = load("@duckdb/node-bindings");
  if (!isBindings(loaded)) throw new Error("@duckdb/node-bindings is not the expected library.");
  return loaded;
}

function load(name: string): unknown {
  // A CommonJS bundle has __filename and no import.meta.url; sources that run as ESM have it the other way round.
  const require = createRequire(typeof __filename === "string" ? __filename : import.meta.url);
  const loaded: unknown = require(name);
  return loaded;
}

function isDuckDb(value: unknown): value is typeof DuckDb {
  return (
    typeof value === "object" && value !== null && "DuckDBInstance" in value && "DuckDBDataChunk" in value
  );
}

function isBindings(value: unknown): value is typeof Bindings {
  return typeof value === "object" && value !== null && "copy_data_to_vector" in value;
}

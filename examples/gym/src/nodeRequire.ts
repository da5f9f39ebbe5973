import { createRequire } from "node:module";

/** The Node build of yaml requires built-in modules; a bundled ES module has no `require` unless it is given one first. */
Object.assign(globalThis, { require: createRequire(import.meta.url) });

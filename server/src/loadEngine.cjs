"use strict";
// Loads the bundle of the engine, with the code that V8 made of it when it was built: half of what starting takes is saved.
// The code counts only for this bundle, byte for byte, and for the V8 that made it; otherwise the bundle is loaded as usual.
const { createHash } = require("node:crypto");
const { readFileSync } = require("node:fs");
const { createRequire, wrap } = require("node:module");
const { dirname, join } = require("node:path");
const { Script } = require("node:vm");

const digestOf = (source) => createHash("sha256").update(source).digest();
const digestLength = 32;

/** The script of the bundle at `file`; `code` is what V8 made of it before, if anything. */
function scriptOf(file, source, code) {
  return new Script(wrap(source.toString("utf8")), {
    filename: file,
    ...(code === undefined ? {} : { cachedData: code }),
  });
}

/** Runs the script as Node runs a module. @returns what it exports */
function exportsOf(script, file) {
  const module = { exports: {} };
  script
    .runInThisContext()
    .call(module.exports, module.exports, createRequire(file), module, file, dirname(file));
  return module.exports;
}

/** @returns what the bundle at `file` exports */
function loadEngine(file = join(__dirname, "engine.cjs"), cache = join(__dirname, "engine.cache")) {
  let kept;
  try {
    kept = readFileSync(cache);
  } catch {
    return require(file);
  }
  const source = readFileSync(file);
  if (!kept.subarray(0, digestLength).equals(digestOf(source))) return require(file);
  const script = scriptOf(file, source, kept.subarray(digestLength));
  return script.cachedDataRejected ? require(file) : exportsOf(script, file);
}

/** Why this Node does not run the engine, if it does not: an error about what it lacks would be taken for a mistake of ours. */
function refusedNode(version = process.versions.node) {
  const [major, minor] = version.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return undefined;
  return `EvoTrainer needs Node.js 20.19 or newer; this is ${version}.`;
}

/** Starts the command line. */
function startCommandLine() {
  const refused = refusedNode();
  if (refused === undefined) return loadEngine().cli();
  process.stderr.write(`${refused}\n`);
  process.exitCode = 2;
}

module.exports = { loadEngine, startCommandLine, scriptOf, exportsOf, digestOf };

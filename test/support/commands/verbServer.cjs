"use strict";
// Tests run this as a program (sharedVerbs.ts): it runs verbs of the built command line one after another, so that only the
// first pays for the start. A verb has ended when nothing is left that Node would wait for, as a process ends.
const { readFileSync, readSync, renameSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");

const [dist, folder] = process.argv.slice(2);
const asked = 3;
/** Beyond this a new process takes less than what is left of earlier verbs. */
const mostMemory = 800e6;
const commandLine = require(join(dist, "loadEngine.cjs")).loadEngine().commandLine();

let last = 0;
let runs = false;

/** The parent waits for this file, which says whether there is a next verb for this process. */
function ended(code, isLast = true) {
  if (!runs) return;
  runs = false;
  writeFileSync(join(folder, `${last}.partial`), isLast ? `${code} last` : String(code));
  renameSync(join(folder, `${last}.partial`), join(folder, `${last}.ended`));
}

/** Waits until the parent asks; false when it never will, because it has ended. */
function isAsked() {
  for (;;)
    try {
      return readSync(asked, Buffer.alloc(1)) === 1;
    } catch (e) {
      if (e.code !== "EAGAIN") throw e;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
}

async function run({ cwd, words }) {
  const { runCommandLine } = await commandLine;
  await runCommandLine(words, {
    cwd,
    examples: join(dist, "examples"),
    serveEditor: () => Promise.reject(new Error("No editor is served here.")),
    exitWith: (code) => {
      process.exitCode = code;
    },
  });
}

function next() {
  const isLast = process.memoryUsage.rss() > mostMemory;
  ended(process.exitCode ?? 0, isLast);
  process.exitCode = undefined;
  if (isLast || !isAsked()) process.exit();
  last += 1;
  runs = true;
  const order = JSON.parse(readFileSync(join(folder, `${last}.asked`), "utf8"));
  process.chdir(order.cwd);
  void run(order);
}

process.on("beforeExit", next);
process.on("exit", (code) => ended(code));
next();

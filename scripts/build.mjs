// Bundles client, server, command line, webviews and the example's trainer into dist/.
import { build } from "./lib/bundles.mjs";
import { seconds } from "./lib/process.mjs";

const say = (line) => process.stderr.write(`build: ${line}\n`);
const start = performance.now();
const watch = process.argv.includes("--watch");
try {
  await build({ production: process.argv.includes("--production"), watch, say });
  say(watch ? "watching for changes" : `done in ${seconds(start)}`);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

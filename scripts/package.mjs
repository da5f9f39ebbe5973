// Builds for production and packages the extension into dist/evotrainer.vsix.
import { setup } from "./setup.mjs";

const say = (line) => process.stderr.write(`package: ${line}\n`);
try {
  await setup();
  const { build } = await import("./lib/bundles.mjs");
  const { packageVsix } = await import("./lib/vsix.mjs");
  await build({ production: true, say });
  const { file, megabytes } = await packageVsix();
  say(`${file}, ${megabytes} MB`);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

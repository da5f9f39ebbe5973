// Builds for production and packages the extension into dist/evotrainer.vsix, the command line for npm, and the list of what
// both contain.
// --target <platform>|all: dist/evotrainer-<version>-<platform>.vsix for other machines. --pre-release: for that channel.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "./lib/process.mjs";
import { setup } from "./setup.mjs";

const say = (line) => process.stderr.write(`package: ${line}\n`);
try {
  const { values } = parseArgs({
    options: { target: { type: "string" }, "pre-release": { type: "boolean" } },
  });
  const preRelease = values["pre-release"] ?? false;
  const { refuseUnknownPlatform, released } = await import("./lib/nativePackage.mjs");
  const targets = values.target === undefined ? [] : values.target === "all" ? released : [values.target];
  targets.forEach(refuseUnknownPlatform);
  await setup();
  const { build } = await import("./lib/bundles.mjs");
  const { packageVsix } = await import("./lib/vsix.mjs");
  const { packageForNpm } = await import("./lib/npmPackage.mjs");
  const { writeContents } = await import("./lib/contents.mjs");
  await build({ production: true, say });
  say(await writeContents());
  const told = ({ file, megabytes }) => say(`${file}, ${megabytes.toFixed(1)} MB`);
  told(await packageForNpm());
  if (targets.length === 0) told(await packageVsix({ preRelease }));
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const target of targets)
    told(
      await packageVsix({
        target,
        preRelease,
        file: join(root, `dist/evotrainer-${version}-${target}.vsix`),
      }),
    );
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { keepEngineCode } from "./engineCode.mjs";
import { root } from "./process.mjs";

const at = (...parts) => join(root, ...parts);
/** The examples whose trainer is built here: the same small policy in several domains. */
const gyms = ["swe-gym", "math-gym", "code-gym"];

/** Where metafiles of the bundles are kept: the tests read from them what reached which bundle. */
const metaFile = at("out/meta.json");

/** zod brings its messages in fifty languages, a quarter of a megabyte in every bundle; ours are English. */
const englishOnly = {
  name: "english-only",
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
  },
};

/**
 * JSON schemas of zod's schemas are written by the engine alone: without what makes them a bundle is a tenth smaller and is
 * loaded sooner.
 */
const noJsonSchemas = {
  name: "no-json-schemas",
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]classic[\\/]schemas\.js$/ }, ({ path }) => {
      let contents = readFileSync(path, "utf8");
      const refuse = '() => { throw new Error("JSON schemas are left out of this bundle."); }';
      for (const [part, instead] of [
        [/^ +inst\._zod\.processJSONSchema = .*;$/gm, ""],
        [
          /^import \{ (createStandardJSONSchemaMethod), (createToJSONSchemaMethod) \} from .*;$/m,
          `const $1 = () => ${refuse}, $2 = $1;`,
        ],
      ]) {
        if (contents.search(part) < 0) throw new Error(`${path} makes its JSON schemas in another way.`);
        contents = contents.replace(part, instead);
      }
      return { contents };
    });
  },
};

/** The client of the language server is loaded after the extension is active: it is a bundle of its own. */
const languageLibrary = "node_modules/vscode-languageclient/lib/node/main.js";
const languageApart = {
  name: "language-apart",
  setup(build) {
    build.onResolve({ filter: /^vscode-languageclient\/node$/ }, () => ({
      path: "./client-language.cjs",
      external: true,
    }));
  },
};

/** What speaks to language models is as large as half the engine, and is loaded when one proposes: it is a bundle of its own. */
const modelLibrary = "server/src/proposals/model/languageModels.ts";
const modelsApart = {
  name: "models-apart",
  setup(build) {
    build.onResolve({ filter: /^\.\/languageModels\.ts$/ }, () => ({ path: "./models.cjs", external: true }));
  },
};

/**
 * In the client, schemas are built when one of them is first used: to build them all is most of what loading it takes. What
 * a file of schemas exports is looked up in it at each use, and esbuild runs a file that is required no sooner. The contract of
 * the services takes its schemas in the same way, so that asking for one service builds the schemas of no other.
 */
const schemasWhenUsed = {
  name: "schemas-when-used",
  setup(build) {
    const ofClient = /[\\/]client[\\/]src[\\/]/;
    const ofContract = /[\\/]shared[\\/]protocol[\\/]services[\\/]/;
    const schemas = /[\\/]shared[\\/]protocol[\\/]((results|views)[\\/])?[^\\/]+\.ts$|[\\/]inputSchemas\.ts$/;
    const specs = /[\\/]shared[\\/]spec[\\/][^\\/]+\.ts$/;
    build.onResolve({ filter: /^\..*\.ts$/ }, ({ kind, importer, path: asked, resolveDir }) => {
      const path = join(resolveDir, asked);
      const isSchema = ofContract.test(importer)
        ? schemas.test(path) || specs.test(path)
        : ofClient.test(importer) && schemas.test(path);
      return isSchema && kind === "import-statement" ? { path, namespace: "when-used" } : undefined;
    });
    build.onLoad({ filter: /./, namespace: "when-used" }, async ({ path }) => {
      const { metafile } = await build.esbuild.build({
        entryPoints: [path],
        format: "esm",
        metafile: true,
        write: false,
        outdir: at("out"),
      });
      const names = Object.values(metafile.outputs).flatMap((output) => output.exports);
      const contents = names.map(
        (name) =>
          `Object.defineProperty(exports, "${name}", { enumerable: true, get: () => require(${JSON.stringify(path)}).${name} });`,
      );
      return { contents: contents.join("\n"), resolveDir: root, watchFiles: [path] };
    });
  },
};

/** Our MCP server never asks its client for forms, whose answers alone this validator, an eighth of a megabyte, is for. */
const noForms = {
  name: "no-forms",
  setup(build) {
    build.onLoad({ filter: /[\\/]sdk[\\/]dist[\\/]esm[\\/]validation[\\/]ajv-provider\.js$/ }, () => ({
      contents:
        'export class AjvJsonSchemaValidator { getValidator() { throw new Error("Forms are not used."); } }',
    }));
  },
};

/**
 * One entry per bundle: what it is made from, where it goes, and what stays outside it.
 * Node bundles are CommonJS because that is what an extension host requires; `.cjs` because the package is ESM.
 */
function bundles(production) {
  const common = {
    bundle: true,
    metafile: true,
    plugins: [englishOnly, noForms],
    absWorkingDir: root,
    logLevel: "silent",
    minify: production,
    sourcemap: production ? false : "linked",
    legalComments: "none",
    define: { "process.env.NODE_ENV": production ? '"production"' : '"development"' },
  };
  const node = {
    ...common,
    platform: "node",
    target: "node20",
    format: "cjs",
    mainFields: ["module", "main"],
    // Code that runs both as sources and bundled asks for import.meta only where there is no __filename.
    logOverride: { "empty-import-meta": "silent" },
  };
  const withoutJsonSchemas = [...common.plugins, noJsonSchemas];
  const program = (entry, out, extra = {}) => ({
    ...node,
    entryPoints: [entry],
    outfile: `dist/${out}`,
    ...extra,
  });
  const page = (entry, name) => ({
    ...common,
    platform: "browser",
    target: "es2022",
    format: "iife",
    entryPoints: [entry],
    outfile: `dist/webview-${name}.js`,
    sourcemap: false,
    plugins: withoutJsonSchemas,
  });
  const views = existsSync(at("webview/src"))
    ? readdirSync(at("webview/src")).filter((view) => existsSync(at("webview/src", view, "main.ts")))
    : [];
  return [
    program("client/src/extension.ts", "client.cjs", {
      external: ["vscode"],
      plugins: [...withoutJsonSchemas, languageApart, schemasWhenUsed],
      // Node's own import() does not find all that a minified CommonJS bundle exports.
      supported: { "dynamic-import": false },
    }),
    program(languageLibrary, "client-language.cjs", { external: ["vscode"] }),
    // The language server and the command line share most of what they are: two bundles would double the package.
    program("server/src/entries.ts", "engine.cjs", {
      // Its native part cannot be bundled.
      external: ["@duckdb/node-bindings"],
      inject: [at("scripts/lib/duckDbInBundle.mjs")],
      plugins: [...common.plugins, modelsApart],
      // Code that V8 kept cannot import (see loadEngine.cjs).
      supported: { "dynamic-import": false },
    }),
    // What starts git is small in memory because it loads nothing else.
    program("server/src/lineage/gitProcess/main.ts", "git.cjs"),
    program(modelLibrary, "models.cjs"),
    ...views.map((view) => page(`webview/src/${view}/main.ts`, view)),
    page("webview/src/shared/toolkit.ts", "toolkit"),
    ...gyms.flatMap((gym) => [
      // An example's trainer runs from a checkout without node_modules: everything is inlined.
      program(`examples/${gym}/trainer/src/main.ts`, `examples/${gym}/trainer/trainer.mjs`, {
        format: "esm",
        sourcemap: false,
        plugins: withoutJsonSchemas,
      }),
      program(`examples/${gym}/trainer/src/generateData.ts`, `examples/${gym}.data.cjs`, {
        sourcemap: false,
        plugins: withoutJsonSchemas,
      }),
    ]),
  ];
}

function copyExamples() {
  for (const gym of gyms) {
    const template = at("examples", gym, "template");
    if (!existsSync(template)) continue;
    // `init` makes the data anew, and comes to the same bytes.
    const filter = (path) => path !== join(template, "data");
    cpSync(template, at("dist/examples", gym), { recursive: true, filter });
  }
  cpSync(at("examples/swe-gym/trainer/trainer.py"), at("dist/examples/swe-gym/trainer/trainer.py"));
  cpSync(at("examples/swe-gym/swe-gym.finished"), at("dist/examples/swe-gym.finished"));
  // It shows what a script has to write, so no writer lies beside it.
  cpSync(at("examples/script/template"), at("dist/examples/script"), { recursive: true });
  // `init --command` puts one beside a script of the user's.
  for (const file of ["evidence_writer.py", "write_evidence.sh"])
    cpSync(at("examples/writers", file), at("dist/examples/writers", file));
  copyTemplates();
}

/** Templates for the trainers of others; each gets what it shares and the writers that it uses beside its own files. */
function copyTemplates() {
  const shared = "examples/shared-task";
  const parts = {
    "trl-grpo": { folders: [], writers: ["trl_evidence.py"] },
    "countdown-torch": { folders: [], writers: [] },
    verl: { folders: [shared], writers: [] },
    roll: { folders: [shared], writers: [] },
  };
  for (const [name, { folders, writers }] of Object.entries(parts)) {
    const from = at("examples", name, "template");
    if (!existsSync(from)) continue;
    for (const folder of [...folders.map((part) => at(part)), from])
      cpSync(folder, at("dist/examples", name), {
        recursive: true,
        filter: (path) => !path.includes("__pycache__"),
      });
    for (const file of ["evidence_writer.py", "reward_spec.py", ...writers])
      cpSync(at("examples/writers", file), at("dist/examples", name, "trainer", file));
  }
  // What `init --from` puts beside a launch script of verl.
  for (const file of ["examples/verl/launch/verl_launch.py", "examples/writers/evidence_writer.py"])
    cpSync(at(file), at("dist/examples/verl-launch", basename(file)));
}

/** The diagnostics and the skill for coding agents that come with the product lie beside the bundles that read them. */
function copyLibrary() {
  for (const name of ["library", "agents"])
    if (existsSync(at(name))) cpSync(at(name), at("dist", name), { recursive: true });
}

/** The keeper of jobs is no bundle: hosts run it as it is. Nor is what ssh runs to ask. */
function copyKeeper() {
  mkdirSync(at("dist"), { recursive: true });
  cpSync(at("server/src/runner/ssh/prompts/askpass.cjs"), at("dist/askpass.cjs"));
  cpSync(at("server/src/runner/keeper/keeper.sh"), at("dist/keeper.sh"));
  cpSync(at("server/src/runner/keeper/confine.sh"), at("dist/confine.sh"));
  cpSync(at("server/src/runner/slurm/slurm.sh"), at("dist/slurm.sh"));
}

/** What is started: each begins its part of the one bundle. */
function writePrograms() {
  if (!existsSync(at("server/src/entries.ts"))) return;
  cpSync(at("server/src/loadEngine.cjs"), at("dist/loadEngine.cjs"));
  writeFileSync(at("dist/server.cjs"), 'require("./loadEngine.cjs").loadEngine().server();\n');
  writeFileSync(at("dist/cli.cjs"), '#!/usr/bin/env node\nrequire("./loadEngine.cjs").startCommandLine();\n');
  chmodSync(at("dist/cli.cjs"), 0o755);
}

/**
 * Builds everything whose entry exists into dist/ and writes out/meta.json.
 * @param {{ production?: boolean, watch?: boolean, say: (line: string) => void }} options
 */
export async function build({ production = false, watch = false, say }) {
  const esbuild = await import("esbuild");
  rmSync(at("dist"), { recursive: true, force: true });
  mkdirSync(at("out"), { recursive: true });
  const present = bundles(production).filter((bundle) => {
    const found = existsSync(at(bundle.entryPoints[0]));
    if (!found) say(`no ${bundle.entryPoints[0]}: ${bundle.outfile} is left out`);
    return found;
  });
  if (present.some((bundle) => bundle.outfile.startsWith("dist/examples/"))) copyExamples();
  copyLibrary();
  copyKeeper();
  writePrograms();
  if (watch) {
    for (const bundle of present) await (await esbuild.context({ ...bundle, logLevel: "info" })).watch();
    return;
  }
  const meta = {};
  for (const bundle of present) {
    const result = await esbuild.build(bundle).catch((error) => {
      const messages = esbuild.formatMessagesSync(error.errors ?? [], { kind: "error", color: false });
      throw new Error(
        `building ${bundle.outfile} failed:\n${messages.join("")}${messages.length ? "" : error.message}`,
      );
    });
    for (const text of esbuild.formatMessagesSync(result.warnings, { kind: "warning", color: false }))
      say(text.trimEnd());
    meta[bundle.outfile] = result.metafile;
  }
  writeFileSync(metaFile, JSON.stringify(meta));
  if (existsSync(at("dist/engine.cjs"))) keepEngineCode(at("dist"));
}

/** Bundles the suite that runs inside the extension host: it is loaded there with require. */
export async function buildHostSuite() {
  const esbuild = await import("esbuild");
  const entryPoints = readdirSync(at("test/editor/suite"))
    .filter((file) => file === "index.ts" || file.endsWith(".test.ts"))
    .map((file) => `test/editor/suite/${file}`);
  rmSync(at("out/editor-suite"), { recursive: true, force: true });
  await esbuild.build({
    absWorkingDir: root,
    entryPoints,
    outdir: "out/editor-suite",
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    sourcemap: "inline",
    external: ["vscode", "mocha"],
    logLevel: "warning",
  });
  return at("out/editor-suite/index.cjs");
}

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { builtMetas, shippedPackages } from "../scripts/lib/shipped.mjs";
import { vsixFacts } from "../scripts/lib/vsixFacts.mjs";

const root = new URL("..", import.meta.url).pathname;
const vsix = join(root, "dist/evotrainer.vsix");

const Manifest = z.object({
  main: z.string(),
  contributes: z.object({
    commands: z.array(z.object({ command: z.string() })),
    languages: z.array(
      z.object({ configuration: z.string(), icon: z.object({ light: z.string(), dark: z.string() }) }),
    ),
    grammars: z.array(z.object({ path: z.string() })),
    snippets: z.array(z.object({ path: z.string() })),
  }),
});
const manifest = Manifest.parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));

describe("installed packages", () => {
  // Two copies of the protocol make an error of the one a successful result of the other.
  for (const name of ["vscode-languageserver-protocol", "vscode-jsonrpc"])
    it(`contain one copy of ${name}`, () => {
      const lock = z
        .object({ packages: z.record(z.string(), z.unknown()) })
        .parse(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")));
      const copies = Object.keys(lock.packages).filter((path) => path.endsWith(`node_modules/${name}`));
      assert.deepEqual(copies, [`node_modules/${name}`]);
      const listed = execFileSync("find", [
        "-L",
        join(root, "node_modules"),
        "-type",
        "d",
        "-path",
        `*/node_modules/${name}`,
      ]);
      assert.equal(listed.toString().trim().split("\n").length, 1, listed.toString());
    });

  for (const lock of [
    "package-lock.json",
    "test/editor/host/package-lock.json",
    "test/editor/oldestHost/package-lock.json",
    "bench/language/yamlServer/package-lock.json",
  ])
    it(`${lock} names no registry`, () => {
      assert.doesNotMatch(readFileSync(join(root, lock), "utf8"), /"resolved": "https?:/);
    });
});

describe("dist/evotrainer.vsix", () => {
  let files: string[] = [];
  before(async () => {
    assert.ok(existsSync(vsix), "dist/evotrainer.vsix is missing; run npm run package");
    files = (await vsixFacts(vsix)).files
      .filter((name) => name.startsWith("extension/"))
      .map((name) => name.slice("extension/".length));
  });

  it("contains client, server, webviews and DuckDB's native library", () => {
    for (const file of [
      "package.json",
      "dist/client-language.cjs",
      "dist/client.cjs",
      "dist/server.cjs",
      "dist/engine.cjs",
      "dist/git.cjs",
      "dist/models.cjs",
      "dist/library/prompts/proposer.v1.md",
      "dist/agents/evotrainer/SKILL.md",
      "dist/THIRD-PARTY-NOTICES.txt",
      "media/icon.png",
      "dist/webview-lineage.js",
      "dist/webview-lineage.css",
    ])
      assert.ok(files.includes(file), file);
    assert.ok(files.some((file) => /^node_modules\/@duckdb\/node-bindings-[^/]+\/duckdb\.node$/.test(file)));
    assert.deepEqual(
      files.filter((file) => /^node_modules\/@duckdb\/node-api\/.*\.js$/.test(file)),
      [],
      "it is in the bundle",
    );
    if (existsSync(join(root, "dist/cli.cjs"))) assert.ok(files.includes("dist/cli.cjs"));
    // What runs a job reads its scripts from there.
    for (const file of readdirSync(join(root, "dist")).filter((name) => name.endsWith(".sh")))
      assert.ok(files.includes(`dist/${file}`), file);
    const shipped = readdirSync(join(root, "library/diagnostics")).map(
      (file) => `dist/library/diagnostics/${file}`,
    );
    assert.deepEqual(
      shipped.filter((file) => !files.includes(file)),
      [],
    );
    if (existsSync(join(root, "schemas"))) assert.ok(files.some((file) => file.startsWith("schemas/")));
  });

  it("contains every file that the manifest names", () => {
    const { main, contributes } = manifest;
    const named = [
      main,
      ...contributes.languages.map((l) => l.configuration),
      ...contributes.languages.flatMap((l) => [l.icon.light, l.icon.dark]),
      ...contributes.grammars.map((g) => g.path),
      ...contributes.snippets.map((s) => s.path),
    ];
    for (const file of named) assert.ok(files.includes(file.replace(/^\.\//, "")), file);
  });

  it("contains no sources, tests, maps or other packages", () => {
    const stray = files.filter(
      (file) =>
        (/\.(ts|map|vsix)$|\.test\./.test(file) && !file.startsWith("dist/examples/")) ||
        /^(client|server|webview|shared|scripts|test|bench|out|\.)/.test(file) ||
        (file.startsWith("node_modules/") && !/^node_modules\/(@duckdb|detect-libc)\//.test(file)),
    );
    assert.deepEqual(stray, []);
  });
});

describe("what would make two packages of one commit differ", () => {
  it("is no time: every file of the extension's package has the same one", async () => {
    const { times } = await vsixFacts(vsix);
    assert.equal(new Set(times).size, 1);
  });

  it("is no folder: nothing that is shipped names the one that it was built in", () => {
    const shipped = readdirSync(join(root, "dist"), { recursive: true, encoding: "utf8" }).filter((path) =>
      /\.(?:cjs|mjs|js|css|txt|json)$/.test(path),
    );
    const places = [root.replace(/\/$/, ""), realpathSync(join(root, "node_modules"))];
    assert.ok(shipped.length > 20);
    assert.deepEqual(
      shipped.filter((path) => {
        const text = readFileSync(join(root, "dist", path), "utf8");
        return places.some((place) => text.includes(place));
      }),
      [],
    );
  });
});

describe("what the packages contain of others", () => {
  // The bundles exist once the suite runs.
  let shipped: ReturnType<typeof shippedPackages> = [];
  before(() => {
    shipped = shippedPackages(builtMetas());
  });
  const idOf = ({ name, version }: { name: string; version: string }) => `${name}@${version}`;

  it("has a notice each", () => {
    const notices = readFileSync(join(root, "dist/THIRD-PARTY-NOTICES.txt"), "utf8").split("\n");
    const lacking = shipped.filter(
      ({ name, version, license }) =>
        !name.startsWith("@duckdb/node-bindings-") && !notices.includes(`${name} ${version} (${license})`),
    );
    assert.ok(shipped.length > 50);
    assert.deepEqual(lacking.map(idOf), []);
  });

  it("is all in the list of contents, which names licences and checksums", () => {
    const Listed = z.object({
      bomFormat: z.literal("CycloneDX"),
      components: z.array(
        z.object({
          ...{ name: z.string(), version: z.string(), purl: z.string().startsWith("pkg:npm/") },
          hashes: z.array(z.object({ alg: z.literal("SHA-512"), content: z.string().length(128) })).min(1),
          licenses: z.array(z.unknown()).min(1),
        }),
      ),
    });
    const [file = ""] = readdirSync(join(root, "dist")).filter((name) => name.endsWith(".cdx.json"));
    const { components } = Listed.parse(JSON.parse(readFileSync(join(root, "dist", file), "utf8")));
    assert.deepEqual(components.map(idOf).sort(), shipped.map(idOf).sort());
  });
});

describe("the packages that package.json asks for", () => {
  it("have a line with their reason in docs/dependencies.md, and no other has one", () => {
    const { dependencies, devDependencies } = z
      .object({
        dependencies: z.record(z.string(), z.string()),
        devDependencies: z.record(z.string(), z.string()),
      })
      .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
    const rows = readFileSync(join(root, "docs/dependencies.md"), "utf8").matchAll(
      /^\| `([^`]+)` +\| (.{10,}?) +\|$/gm,
    );
    assert.deepEqual(
      [...rows].map(([, name]) => name).sort(),
      [...Object.keys(dependencies), ...Object.keys(devDependencies)].sort(),
    );
  });
});

describe("the bundles", () => {
  const Meta = z.record(z.string(), z.object({ inputs: z.record(z.string(), z.unknown()) }));
  const inputs = (bundle: string) => {
    const meta = Meta.parse(JSON.parse(readFileSync(join(root, "out/meta.json"), "utf8")));
    return Object.keys(meta[bundle]?.inputs ?? {});
  };

  it("keep client, server and webview apart", () => {
    const outside: Readonly<Record<string, RegExp>> = {
      "dist/client.cjs": /^(server|webview)\//,
      "dist/engine.cjs": /^(client|webview)\//,
      "dist/webview-lineage.js": /^(client|server)\//,
    };
    for (const [bundle, others] of Object.entries(outside)) {
      assert.ok(inputs(bundle).length > 0, bundle);
      assert.deepEqual(
        inputs(bundle).filter((file) => others.test(file)),
        [],
        bundle,
      );
    }
  });

  it("include the readers of foreign files only where an archive can be owned", () => {
    const readers = ["csv-parse", "yauzl", "fzstd", "@bufbuild/protobuf"].map(
      (name) => `node_modules/${name}/`,
    );
    const held = (bundle: string) =>
      readers.filter((reader) => inputs(bundle).some((file) => file.includes(reader)));
    // Who has the archive answers every request about it, that of another process for an import too.
    assert.deepEqual(held("dist/engine.cjs"), readers);
    assert.deepEqual(held("dist/client.cjs"), []);
  });

  it("include the library for language models only where it is loaded when a model proposes", () => {
    const held = (bundle: string) => inputs(bundle).some((file) => file.includes("node_modules/ai/"));
    assert.ok(held("dist/models.cjs"));
    assert.ok(!held("dist/engine.cjs"));
  });

  it("include the code that makes JSON schemas only in the engine", () => {
    // Of a file that is left out a few bytes can stay that run nothing.
    const makers = /[\\/]zod[\\/]v4[\\/]core[\\/]to-json-schema\.js$/;
    const Written = z.object({
      outputs: z.record(
        z.string(),
        z.object({ inputs: z.record(z.string(), z.object({ bytesInOutput: z.number() })) }),
      ),
    });
    const metas = z
      .record(z.string(), Written)
      .parse(JSON.parse(readFileSync(join(root, "out/meta.json"), "utf8")));
    const carrying = Object.entries(metas)
      .filter(([, { outputs }]) =>
        Object.values(outputs).some((output) =>
          Object.entries(output.inputs).some(
            ([file, { bytesInOutput }]) => bytesInOutput > 1000 && makers.test(file),
          ),
        ),
      )
      .map(([bundle]) => bundle);
    // The library for language models brings its own.
    assert.deepEqual(carrying, ["dist/engine.cjs", "dist/models.cjs"]);
  });

  it("build no schema while the client loads", () => {
    // zod keeps its registry where a second copy of it finds it: it is there once any zod has been run.
    const script = `
      const { Module } = require("node:module");
      const load = Module._load;
      Module._load = (name, ...rest) => (name === "vscode" ? {} : load(name, ...rest));
      const isRun = () => "__zod_globalRegistry" in globalThis;
      const client = require("./dist/client.cjs");
      const loaded = isRun();
      require("zod");
      process.stdout.write(JSON.stringify([typeof client.activate, loaded, isRun()]));`;
    const said = execFileSync(process.execPath, ["-e", script], { cwd: root }).toString();
    assert.deepEqual(JSON.parse(said), ["function", false, true]);
  });

  it("include the database's library in the engine alone, and nowhere its native part, which cannot be bundled", () => {
    const parts = (bundle: string): string[] => [
      ...new Set(inputs(bundle).flatMap((file) => /@duckdb\/([^/]+)/.exec(file)?.[1] ?? [])),
    ];
    assert.deepEqual(parts("dist/client.cjs"), []);
    assert.deepEqual(parts("dist/engine.cjs"), ["node-api"]);
  });
});

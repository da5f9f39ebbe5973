import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./process.mjs";

/** Where the bundled tests lie; test/support/base/program.ts looks here too. */
export const bundleFolder = join(root, "out/tests");
export const bundleOf = (file) => join(bundleFolder, relative(root, file).replace(/\.ts$/, ".mjs"));

/** Fixtures and scripts are found beside the sources, wherever the bundle lies. */
const placesOfSources = {
  name: "places-of-sources",
  setup(build) {
    // The scripts that tests import know the root of the clone by their own place.
    build.onLoad({ filter: /\.ts$|[\\/]scripts[\\/]lib[\\/]\w+\.mjs$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      if (!text.includes("import.meta.")) return undefined;
      const places = { url: pathToFileURL(path).href, dirname: dirname(path), filename: path };
      const contents = text.replace(/\bimport\.meta\.(url|dirname|filename)\b/g, (_, place) =>
        JSON.stringify(places[place]),
      );
      return { contents, loader: "ts" };
    });
  },
};

/** Outside the editor its interface is what tests put in its place (inFakeEditor.ts, which does the same without bundles). */
const fakeEditor = {
  name: "fake-editor",
  setup(build) {
    const path = join(root, "test/support/editor/fakeVscode.ts");
    build.onResolve({ filter: /^vscode$/ }, () => ({ path }));
  },
};

const folders = ["server", "shared", "client", "webview", "examples", "bench", "scripts", "site", "test"];
/** What files say that tests start in processes besides their own. */
const program = "Tests run this as a program.";

function sources() {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !/[\\/](?:node_modules|editor[\\/]suite)[\\/]/.test(file)),
  );
}

/**
 * Bundles all tests, and the programs that they start, once: what they share is compiled once and loaded from few files.
 * A worker that compiles it by itself takes twice as long to begin.
 */
export async function bundleTests() {
  const esbuild = await import("esbuild");
  const entryPoints = sources().filter(
    (file) => file.endsWith(".test.ts") || readFileSync(file, "utf8").includes(program),
  );
  rmSync(bundleFolder, { recursive: true, force: true });
  await esbuild.build({
    absWorkingDir: root,
    entryPoints,
    outdir: bundleFolder,
    outbase: root,
    outExtension: { ".js": ".mjs" },
    chunkNames: "chunks/[hash]",
    bundle: true,
    splitting: true,
    packages: "external",
    platform: "node",
    target: "node20",
    format: "esm",
    sourcemap: "linked",
    sourcesContent: false,
    plugins: [placesOfSources, fakeEditor],
    logLevel: "warning",
    // The fake editor has as much of the interface as tests use.
    logOverride: { "import-is-undefined": "silent" },
  });
}

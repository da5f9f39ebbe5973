// Builds wasm/kernels.ts into src/kernels/kernelModule.ts (base64). `node build.mjs --print` writes the module text to stdout instead.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

const here = path.dirname(fileURLToPath(import.meta.url));
const folder = await mkdtemp(path.join(tmpdir(), "kernels-"));
const out = path.join(folder, "kernels.wasm");
try {
  const { error, stderr } = await asc.main([
    path.relative(process.cwd(), path.join(here, "kernels.ts")),
    "-O3",
    "--enable",
    "simd",
    "--importMemory",
    "--runtime",
    "stub",
    "--noAssert",
    "--outFile",
    path.relative(process.cwd(), out),
  ]);
  if (error) throw new Error(`asc failed: ${error.message}\n${stderr.toString()}`);
  const bytes = await readFile(out);
  const text = [
    "/** Compiled from wasm/kernels.ts by wasm/build.mjs; do not edit. */",
    "export const kernelModule =",
    `  "${bytes.toString("base64")}";`,
    "",
  ].join("\n");
  if (process.argv.includes("--print")) process.stdout.write(text);
  else await writeFile(path.join(here, "..", "src", "kernels", "kernelModule.ts"), text);
} finally {
  await rm(folder, { recursive: true, force: true });
}

import { createRequire } from "node:module";
import { join } from "node:path";
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { TextDocument } from "vscode-languageserver-textdocument";
import { z } from "zod";
import { diagnose } from "../../server/src/language/features/diagnostics.ts";
import { allRules } from "../../server/src/language/checks/ruleSet.ts";
import { parseSpec } from "../../server/src/language/syntax/parseSpec.ts";
import { longDiagnostic, longProject } from "./languageSpecs.ts";
import { least, median, type BenchRow } from "../row.ts";

type LanguageService = {
  configure: (settings: object) => void;
  doValidation: (document: TextDocument, isKubernetes: boolean) => Promise<readonly unknown[]>;
};
const Exports = z.object({
  getLanguageService: z.custom<(parameters: object) => LanguageService>(
    (value) => typeof value === "function",
  ),
});

/**
 * T9b: everything that is checked in a spec of 200 lines, over what yaml-language-server's own service takes for the same
 * text and our JSON Schema. Both in this process, in turns, parsing included.
 */
export async function benchValidation(options: {
  readonly modules: string;
  readonly rounds: number;
}): Promise<BenchRow> {
  const results: { ratio: number; detail: string }[] = [];
  for (const [kind, text] of [
    ["diagnostic", longDiagnostic()],
    ["project", longProject()],
  ] as const) {
    const theirs = await theirValidation(options.modules, kind, text);
    const ours = () => diagnose({ spec: parseSpec(kind, text), project: undefined }, allRules).length;
    const [found, foundByThem] = [ours(), await theirs()];
    if (found === 0 || foundByThem === 0)
      throw new Error(`Nothing is wrong with the ${kind} for one of the two.`);
    const times: { readonly ours: number[]; readonly theirs: number[] } = { ours: [], theirs: [] };
    for (let round = -20; round < options.rounds; round++) {
      let start = performance.now();
      ours();
      const own = performance.now() - start;
      start = performance.now();
      await theirs();
      const other = performance.now() - start;
      if (round < 0) continue; // The first rounds are those of the compiler.
      times.ours.push(own);
      times.theirs.push(other);
    }
    results.push({
      ratio: median(times.ours) / median(times.theirs),
      detail: `${kind} ${median(times.ours).toFixed(1)} (least ${least(times.ours).toFixed(1)}, ${found} findings) against ${median(times.theirs).toFixed(1)} ms (${least(times.theirs).toFixed(1)}, ${foundByThem})`,
    });
  }
  return {
    name: "T9b validation of 200 lines / yaml-language-server's",
    measured: Math.max(...results.map(({ ratio }) => ratio)),
    target: 1,
    unit: "ratio",
    detail: results.map(({ detail }) => detail).join("; "),
  };
}

async function theirValidation(modules: string, kind: string, text: string): Promise<() => Promise<number>> {
  const require = createRequire(join(modules, "here.cjs"));
  const { getLanguageService } = Exports.parse(
    require("yaml-language-server/lib/umd/languageservice/yamlLanguageService.js"),
  );
  const schema = await readFile(new URL(`../../schemas/${kind}.schema.json`, import.meta.url), "utf8");
  const uri = pathToFileURL(`/bench/${kind}.schema.json`).href;
  const service = getLanguageService({
    schemaRequestService: () => Promise.resolve(schema),
    workspaceContext: { resolveRelativePath: (path: string) => path },
  });
  service.configure({ validate: true, yamlVersion: "1.2", schemas: [{ uri, fileMatch: ["*"] }] });
  let version = 0;
  return async () => {
    const document = TextDocument.create(`file:///bench/long.${kind}.yaml`, "yaml", ++version, text);
    return (await service.doValidation(document, false)).length;
  };
}

import { z } from "zod";
import { LibraryUse } from "../../../../shared/spec/project.ts";
import { libraryProblems } from "../../project/library.ts";
import { defineRule } from "../rule/rule.ts";
import { locate, spanFor } from "../syntax/parseSpec.ts";
import { similar } from "../../base/similar.ts";

const Data = z.object({
  path: z.array(z.string()),
  place: z.enum(["key", "value"]),
  near: z.array(z.string()),
});

export const library = defineRule({
  meta: {
    id: "library",
    severity: "error",
    kinds: ["project"],
    docs: "The library settings of a project name only diagnostics and parameters that exist.",
    example: {
      wrong: `library: { params: { echo-trap-rule: { rize: 3 } } }`,
      right: `library: { use: [dead-group, kl-spike] }`,
    },
  },
  data: Data,
  *check({ spec }) {
    const use = z.looseObject({ library: LibraryUse }).safeParse(spec.value).data?.library;
    if (use === undefined) return;
    for (const { path, message, known } of libraryProblems(use)) {
      const place = path[1] === "use" ? "value" : "key";
      const near = similar(path.at(-1) === undefined ? "" : wordAt(use, path), known);
      yield { span: spanFor(spec, path, place), message, data: { path: [...path], place, near } };
    }
  },
  fix({ spec }, { path, place, near }) {
    const found = locate(spec, path);
    const span = place === "key" ? found.key : found.value;
    return span ? near.map((word) => ({ title: `Change to "${word}"`, edits: [{ span, text: word }] })) : [];
  },
});

/** The word that is wrong: an element of `use`, otherwise the last step of its path. */
function wordAt({ use }: LibraryUse, path: readonly string[]): string {
  const last = path.at(-1) ?? "";
  return path[1] === "use" && typeof use !== "string" ? (use[Number(last)] ?? "") : last;
}

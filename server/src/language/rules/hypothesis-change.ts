import { isPatch, type Edit } from "../../../../shared/spec/edit.ts";
import { HarnessError } from "../../base/errors.ts";
import { readPatch } from "../../project/patch/readPatch.ts";
import { z } from "zod";
import { listed } from "../../base/similar.ts";
import { defineRule } from "../rule/rule.ts";
import { locate, spanFor } from "../syntax/parseSpec.ts";
import { interventionIn } from "../syntax/typedSpec.ts";

const Data = z.object({ paths: z.array(z.string()) });

/** Whether one of two paths is the other, or a part of a config that holds it. */
const overlap = (a: string, b: string): boolean => a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);

/** What an edit changes: the path of a value, or the files of a patch. */
function placesOf(edit: Edit): string[] {
  if (!isPatch(edit)) return [edit.path];
  try {
    return readPatch(edit.patch).map(({ path }) => path);
  } catch (e) {
    if (HarnessError.is(e, "badInput")) return [];
    throw e;
  }
}

export const hypothesisChange = defineRule({
  meta: {
    id: "hypothesis-change",
    severity: "warning",
    kinds: ["intervention"],
    docs: "The hypothesis of an intervention names a value that one of its edits changes. Otherwise the lineage describes a different change from the one that was trained.",
    example: {
      wrong: `hypothesis: { change: sampling.top_p, … }
edit: [{ file: harness/train.yaml, path: sampling.temperature, from: 1, to: 1.2 }]`,
      right: `hypothesis: { change: sampling.temperature, … }
edit: [{ file: harness/train.yaml, path: sampling.temperature, from: 1, to: 1.2 }]`,
    },
  },
  data: Data,
  *check({ spec }) {
    const intervention = interventionIn(spec);
    if (!intervention) return;
    const { change } = intervention.hypothesis;
    const paths = [...new Set(intervention.edit.flatMap(placesOf))];
    // A patch that cannot be read gets a message of its own.
    if (paths.length === 0) return;
    if (paths.some((path) => overlap(path, change))) return;
    yield {
      span: spanFor(spec, ["hypothesis", "change"]),
      message: `The hypothesis says that ${change} changes, but the edits change ${listed(paths, "and")}. Name what the edits change.`,
      data: { paths },
    };
  },
  fix({ spec }, { paths }) {
    const span = locate(spec, ["hypothesis", "change"]).value;
    return span ? paths.map((path) => ({ title: `Change to ${path}`, edits: [{ span, text: path }] })) : [];
  },
});

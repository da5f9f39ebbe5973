import { z } from "zod";
import { perProject } from "../project/perProject.ts";
import { foldersMissed } from "../project/specFolders.ts";
import { defineRule, type NamedSpec } from "../rule/rule.ts";
import { spanFor } from "../syntax/parseSpec.ts";

export const duplicateName = defineRule({
  meta: {
    id: "duplicate-name",
    severity: "error",
    kinds: ["diagnostic", "intervention", "skill"],
    docs: "No two specs of the same kind have the same name: a reference to the name would mean both, and only the first is used.",
    example: {
      wrong: `# echo-trap-2.diagnostic.yaml, copied from echo-trap.diagnostic.yaml\nname: echo-trap`,
      right: `name: echo-trap-2`,
    },
  },
  data: z.null(),
  *check({ spec, project, path }) {
    if (!project?.spec || path === undefined) return;
    const own = namesakes(project).find((list) => list.some((s) => s.path === path));
    const other = own?.find((s) => s.path !== path);
    if (!other) return;
    yield {
      span: spanFor(spec, ["name"]),
      message: `${other.path} also has the name ${other.name}; rename one of them.`,
      data: null,
    };
  },
});

/** Specs that share a kind and a name. One that lies where nobody reads it takes no name from another. */
const namesakes = perProject((project): readonly (readonly NamedSpec[])[] => {
  const found = new Map<string, NamedSpec[]>();
  for (const named of project.specs()) {
    const { kind } = named.spec;
    if (project.spec && foldersMissed(project.spec, kind, named.path) !== undefined) continue;
    if (named.name === "" || (kind !== "diagnostic" && kind !== "intervention" && kind !== "skill")) continue;
    const key = `${kind} ${named.name}`;
    const list = found.get(key) ?? [];
    list.push(named);
    found.set(key, list);
  }
  return [...found.values()].filter((list) => list.length > 1);
});

import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { folded, frozenBy } from "./frozenPaths.ts";
import { noLinks, type Links } from "./links.ts";

type Declared = Pick<ProjectSpec, "evaluation" | "frozen"> & { readonly trainer?: ProjectSpec["trainer"] };

/** Says why no patch may change a file, as a clause; undefined for one that it may. */
export type Untouchable = (file: string) => string | undefined;

/**
 * What no version may change as a text, whatever surface covers it: the evaluation and the splits, frozen files, what git
 * and EvoTrainer read themselves, and submodules, whose files no version holds.
 */
export function untouchable(project: Declared, links: Links = noLinks): Untouchable {
  const { splits } = project.evaluation;
  const measured = frozenBy(project, links);
  const trained = frozenBy(
    { evaluation: { splits: { ...splits, selection: splits.train, audit: splits.train }, files: [] } },
    links,
  );
  const frozen = project.frozen.map((keys) => folded(keys.file));
  // What tries a patch is not changed by it.
  const smoke = project.trainer?.smoke?.command ?? [];
  const submodules = (links.held?.("") ?? []).filter(({ kind }) => kind === "submodule");
  return (file) => {
    const own = ownName(file);
    if (own !== undefined) return own;
    const because = measured(file);
    if (because !== undefined) return because;
    if (trained(file) !== undefined) return "it is the train split";
    const name = folded(file);
    if (frozen.some((path) => name === path || name.startsWith(`${path}/`)))
      return "evotrainer.yaml freezes it, or values in it";
    if (smoke.some((word) => folded(word.replace(/^\.\//, "")) === name)) return "trainer.smoke runs it";
    const submodule = submodules.find(({ path }) => file === path || file.startsWith(`${path}/`));
    return submodule === undefined ? undefined : `it lies in the submodule ${submodule.path}`;
  };
}

/** Names that git or EvoTrainer itself reads, in any spelling that some file system takes for them. */
function ownName(file: string): string | undefined {
  const steps = file
    .normalize("NFKC")
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g, "")
    .toLowerCase()
    .split("/")
    .map((step) => step.replace(/(?:[. ]+|:.*)$/, ""));
  if (steps.some((step) => step.startsWith(".git") || /^git~\d$/.test(step)))
    return "git reads files with such names itself";
  if (steps.some((step) => step === ".evotrainer")) return "EvoTrainer keeps its records there";
  const name = steps.at(-1) ?? "";
  if (name === "evotrainer.yaml") return "it says how versions are measured";
  return /\.(intervention|diagnostic|skill|evidence)\.ya?ml$/.test(name)
    ? "it is a spec that only EvoTrainer reads"
    : undefined;
}

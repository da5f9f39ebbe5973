import type { Scalar } from "../../../../shared/spec/common.ts";
import type { ValueEdit } from "../../../../shared/spec/edit.ts";
import type { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import type { SkillEdit, SkillSpec } from "../../../../shared/spec/skill.ts";
import { listed } from "../../base/similar.ts";
import { frozenBy } from "../../project/frozen/frozenPaths.ts";
import type { FileSource } from "../../project/source.ts";
import { factorsAt, isFrozen, valueSurfaces } from "../../project/surfaces.ts";
import { configValue } from "../../project/configs/configText.ts";
import type { SkillRecord } from "./record.ts";

export type Fit =
  | { readonly type: "fits"; readonly edit: readonly ValueEdit[] }
  | { readonly type: "unfit"; readonly reason: string };

export interface FitGround {
  /** The files of the version that would be changed. */
  readonly parent: FileSource;
  /** What the project declares now. */
  readonly declared: ProjectSpec;
}

/**
 * Where a skill would change the files of a version, or why it cannot, in a sentence that names it. A skill of another project
 * is matched by factor and path: the file may have another name. What is refused here never gets to be a draft.
 */
export async function fitSkill(
  skill: Pick<SkillSpec, "name" | "factor" | "edit" | "domains">,
  ground: FitGround,
): Promise<Fit> {
  const { declared } = ground;
  const unfit = (why: string): Fit => ({ type: "unfit", reason: `${skill.name} does not fit: ${why}` });
  if (skill.domains !== undefined && !skill.domains.includes(declared.domain))
    return unfit(`it is for ${listed(skill.domains, "and")}, and this is the domain ${declared.domain}.`);
  const files = filesOf(skill, declared);
  if (files.length === 0)
    return unfit(`this project declares no surface of values for the factor ${skill.factor}.`);
  const edits: ValueEdit[] = [];
  for (const edit of skill.edit) {
    const placed = await placeOf(edit, { ...ground, files, factor: skill.factor });
    if (typeof placed === "string") return unfit(placed);
    edits.push(placed);
  }
  return { type: "fits", edit: edits };
}

/** Files with values of the skill's factor. */
function filesOf({ factor }: Pick<SkillSpec, "factor">, declared: ProjectSpec): string[] {
  return [...new Set(valueSurfaces(declared).flatMap((s) => (s.factor === factor ? [s.file] : [])))];
}

async function placeOf(
  { file, path, from, to }: SkillEdit,
  {
    parent,
    declared,
    files,
    factor,
  }: FitGround & Pick<SkillSpec, "factor"> & { readonly files: readonly string[] },
): Promise<ValueEdit | string> {
  const by = frozenBy(declared, await parent.links?.());
  const holding: { readonly file: string; readonly now: Scalar }[] = [];
  for (const one of files) {
    const place = { file: one, path };
    if (!factorsAt(declared, place).includes(factor) || isFrozen(declared, place, by)) continue;
    const text = await parent.read(one);
    const now = text === undefined ? undefined : configValue(one, text, path);
    if (now !== undefined) holding.push({ file: one, now });
  }
  const [first, second] = holding;
  const found = holding.find((one) => one.file === file) ?? first;
  if (found === undefined)
    return `no surface of ${factor} has a value at ${path} (looked in ${listed(files, "and")}).`;
  if (second !== undefined && found.file !== file)
    return `${path} is in ${listed(
      holding.map((one) => one.file),
      "and",
    )}; write the file that is meant into the skill.`;
  return whyNotHere({ path, from, to }, found) ?? { file: found.file, path, from: found.now, to };
}

function whyNotHere(
  { path, from, to }: Pick<SkillEdit, "path" | "from" | "to">,
  { file, now }: { readonly file: string; readonly now: Scalar },
): string | null {
  const said = `${path} in ${file} is ${JSON.stringify(now)}`;
  if (Object.is(now, to)) return `${said} already.`;
  if (typeOf(now) !== typeOf(to) && (from === undefined || typeOf(now) !== typeOf(from)))
    return `${said}, and the skill sets it to ${JSON.stringify(to)}, which is of another type.`;
  if (
    typeof from === "number" &&
    typeof to === "number" &&
    typeof now === "number" &&
    Math.sign(to - from) !== Math.sign(to - now)
  )
    return `${said}; the skill ${to > from ? "raised" : "lowered"} it from ${from} to ${to}, and here it would do the opposite.`;
  return null;
}

const typeOf = (value: Scalar): string => (value === null ? "null" : typeof value);

/** What applying a skill claims, as an intervention says it: decided on the same terms as any other. */
export function interventionOf(
  skill: SkillSpec,
  { edit, record }: { readonly edit: readonly ValueEdit[]; readonly record: SkillRecord },
): InterventionSpec {
  const { name, when, factor, expects, guardrails } = skill;
  return {
    apiVersion: "evotrainer/v1",
    kind: "Intervention",
    name,
    hypothesis: {
      change: edit[0]?.path ?? name,
      metric: expects.metric,
      direction: expects.direction,
      because: becauseOf(skill, record),
    },
    targets: [...when.targets],
    factor,
    edit: [...edit],
    predicts: { fixes: [], risks: [] },
    success: { metric: expects.metric, atLeast: expects.atLeast ?? 0, confidence: 0.95 },
    guardrails: [...guardrails],
    rollback: "revert",
  };
}

function becauseOf({ name, when }: SkillSpec, { cameTrue, used, domains, alike }: SkillRecord): string {
  const before = used === 0 ? "it was not used before" : `it came true in ${cameTrue} of ${used} uses`;
  const where = domains.length === 0 ? "" : `, confirmed in ${listed(domains, "and")}`;
  const others = alike.map((one) => `, ${one.name}, which is alike, in ${listed(one.domains, "and")}`);
  return `the skill ${name} says so (${before}${where}${others.join("")})${when.because === undefined ? "" : `: ${when.because}`}`;
}

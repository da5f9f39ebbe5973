import type { Scalar } from "../../../../shared/spec/common.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { GroupFilter, RewardComponent, type RewardSpec } from "../../../../shared/spec/reward.ts";
import type { ValueSurface } from "../../../../shared/spec/surface.ts";
import { isBookkeeping } from "../../project/bookkeeping.ts";
import { configScalars, isConfig } from "../../project/configs/configText.ts";
import { frozenBy } from "../../project/frozen/frozenPaths.ts";
import { loadReward } from "../../project/project.ts";
import { factorsAt, isFrozen, valueSurfaces } from "../../project/surfaces.ts";
import { HarnessError } from "../../base/errors.ts";
import type { CandidateIdea, IdeaGround } from "./candidateIdea.ts";

/** Another value of a setting, and what is done to get it, as a part of a name. */
interface Move {
  readonly to: Scalar;
  readonly name: string;
}

/** A value that a surface declares and that stands in its file. */
interface Setting {
  readonly file: string;
  readonly path: string;
  readonly factor: ValueSurface["factor"];
  readonly now: Scalar;
}

/** Each of a reward's new terms is at most this share of all its other terms together. */
const newTermShares = [0.25, 0.5] as const;
/** Findings that a move may answer; the worst ones come first. */
const mostTargets = 8;

/**
 * General moves: a number is halved or doubled, a switch is switched, a reward's shape or filter is another one, a term that
 * is off is switched on. They know nothing of what a value means, so they promise nothing.
 */
export async function fromMoves(ground: IdeaGround): Promise<CandidateIdea[]> {
  if (ground.findings.length === 0) return [];
  const { project, parent } = ground;
  const reward = await rewardOf(ground);
  return (await settingsOf(project.spec, ground)).flatMap((setting) =>
    movesOf(setting, setting.file === project.spec.reward ? reward : undefined).map((move) =>
      ideaOf(setting, move, { ...ground, parent }),
    ),
  );
}

async function rewardOf({ project, parent }: IdeaGround): Promise<RewardSpec | undefined> {
  try {
    return await loadReward(parent, project.spec);
  } catch (e) {
    if (HarnessError.is(e)) return undefined;
    throw e;
  }
}

async function settingsOf(spec: ProjectSpec, { parent }: IdeaGround): Promise<Setting[]> {
  const by = frozenBy(spec, await parent.links?.());
  const found = new Map<string, Setting>();
  for (const file of new Set(valueSurfaces(spec).map((surface) => surface.file))) {
    const text = isConfig(file) ? await parent.read(file) : undefined;
    for (const [path, now] of (text === undefined ? undefined : configScalars(file, text)) ?? []) {
      const [factor, ...others] = factorsAt(spec, { file, path });
      if (factor === undefined || others.length > 0) continue;
      if (isBookkeeping(path) || isFrozen(spec, { file, path }, by)) continue;
      if (/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/.test(path))
        found.set(`${file} ${path}`, { file, path, factor, now });
    }
  }
  return [...found.values()];
}

function movesOf({ path, now }: Setting, reward: RewardSpec | undefined): Move[] {
  const inReward = reward === undefined ? undefined : rewardMoves(path, reward);
  if (inReward !== undefined) return inReward.filter(({ to }) => !Object.is(to, now));
  if (typeof now === "boolean") return [{ to: !now, name: now ? "off" : "on" }];
  return typeof now === "number" ? scaled(now) : [];
}

/** Half and twice a number; of a share above a half, half and twice what it lacks of 1. A 0 has neither. */
function scaled(now: number): Move[] {
  const isShare = now > 0.5 && now < 1;
  const values: readonly (readonly [string, number])[] = isShare
    ? [
        ["up", 1 - (1 - now) / 2],
        ["down", 1 - (1 - now) * 2],
      ]
    : [
        ["up", now * 2],
        ["down", now / 2],
      ];
  return values.flatMap(([name, value]) => {
    const to = Number.isInteger(now) && Math.abs(now) > 1 ? Math.round(value) : Number(value.toPrecision(3));
    return to === now || to === 0 || !Number.isFinite(to) ? [] : [{ to, name }];
  });
}

/** Moves of a value of the reward file; undefined where it is a number or a switch like any other. */
function rewardMoves(path: string, { components, filter }: RewardSpec): Move[] | undefined {
  const [part = "", term = "", key = ""] = path.split(".");
  if (part === "filter") {
    if (term === "kind") return GroupFilter.shape.kind.unwrap().options.map(named);
    // What a filter would do that is off.
    if (filter.kind === "none") return [];
    return term === "mode" ? GroupFilter.shape.mode.unwrap().options.map(named) : undefined;
  }
  const component = part === "components" ? components[term] : undefined;
  if (component === undefined) return undefined;
  if (key === "weight" && component.weight === 0) {
    const total = Object.values(components).reduce((sum, { weight }) => sum + Math.abs(weight), 0);
    return newTermShares.map((share) => ({
      to: Number((share * total).toPrecision(3)),
      name: `on-${Math.round(share * 100)}`,
    }));
  }
  // A term that is off has no shape that anybody sees.
  if (component.weight === 0) return [];
  return key === "shape" ? RewardComponent.shape.shape.unwrap().options.map(named) : undefined;
}

const named = (to: string): Move => ({ to, name: to });

function ideaOf(
  { file, path, factor, now }: Setting,
  { to, name }: Move,
  { project, findings }: IdeaGround,
): CandidateIdea {
  const { metric, testing } = project.spec;
  const said = (value: Scalar): string => (typeof value === "string" ? value : JSON.stringify(value));
  return {
    origin: "move",
    declared: null,
    isOpenEnded: true,
    spec: {
      apiVersion: "evotrainer/v1",
      kind: "Intervention",
      name: nameOf(path, name),
      hypothesis: {
        change: path,
        metric: metric.name,
        direction: "increase",
        because: `${said(to)} may do better than ${said(now)}. This is a trial: no intervention of the project says what ${path} does.`,
      },
      targets: findings.slice(0, mostTargets).map((finding) => finding.name),
      factor,
      edit: [{ file, path, from: now, to }],
      predicts: { fixes: [], risks: [] },
      success: { metric: metric.name, atLeast: testing.margin, confidence: 0.95 },
      guardrails: [],
      rollback: "revert",
    },
  };
}

/** The last words of a path and the move: components.edit_then_test.weight, on-25 → edit_then_test-weight-on-25. */
function nameOf(path: string, move: string): string {
  const words = path.split(".").slice(-2).join("-");
  const plain = words
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replace(/^[^a-z0-9]+/, "");
  return `${plain.slice(0, 40)}-${move.toLowerCase()}`;
}

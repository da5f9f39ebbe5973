import type { Factor } from "../../../shared/spec/common.ts";
import { isValueEdit } from "../../../shared/spec/edit.ts";
import type { SkillSpec } from "../../../shared/spec/skill.ts";
import type { KnownSkill } from "../memory/skills/record.ts";
import { noLinks } from "../project/frozen/links.ts";
import type { Project } from "../project/project.ts";
import type { FileSource } from "../project/source.ts";
import { draftOf, problemsText, type Draft } from "./draft.ts";
import { keyOf, type CandidateIdea } from "./search/candidateIdea.ts";
import type { ChosenIdea, RankedIdea, RefusedIdea, SearchTrace } from "./search/ranked.ts";
import { search, type SearchQuestion } from "./search/search.ts";
import { asSet } from "./search/settings.ts";
import { skillIdeas } from "./skillIdeas.ts";

/** What the search is asked: which changes of a version answer what was found. */
export interface Question extends Omit<SearchQuestion, "skills"> {
  /** The skills of the project, of the user's library and of kept versions. */
  readonly skills: readonly KnownSkill[];
  /** How many versions each finding has called for so far. */
  readonly answered: Readonly<Record<string, number>>;
  /** The factors that may change; all where it is left out. */
  readonly factors?: readonly Factor[];
}

export interface Chosen {
  readonly drafts: readonly Draft[];
  /** What the project's interventions would have been chosen for and were refused, a sentence each. */
  readonly passedOver: readonly string[];
  /** What the search did. */
  readonly trace: SearchTrace & { readonly chosen: readonly ChosenIdea[] };
}

/**
 * The search's drafts, the first choice first. The idea with the most expected improvement per cost goes first; a finding
 * that was answered, and a value that was chosen, leave the next place to others. What a check refuses makes room.
 */
export async function chooseDrafts(asked: Question): Promise<Chosen> {
  const parent = readOnce(asked.parent);
  const set = asSet(asked);
  const { project, findings, count } = set;
  const question = { ...set, parent, skills: await ideasOf(set, parent) };
  const found = await search(question);
  let open = found.ranked.filter(
    ({ spec }) => question.factors === undefined || question.factors.includes(spec.factor),
  );
  const answered = new Map(Object.entries(question.answered));
  const places = new Map<string, number>();
  const drafts: Draft[] = [];
  const chosen: ChosenIdea[] = [];
  const refused: RefusedIdea[] = [];
  while (drafts.length < count) {
    const next =
      project.spec.search.ranking === "random"
        ? firstOf(open)
        : nextChoice(
            open,
            findings.map(({ name }) => name),
            { answered, places },
          );
    if (next === null) break;
    const { ranked, finding } = next;
    open = open.filter((one) => one !== ranked);
    const because = reasonOf(findings.find(({ name }) => name === finding)?.message ?? "", ranked);
    const { skill, joins } = ranked;
    const spec = ranked.isOpenEnded ? triedFor(finding, ranked.spec) : ranked.spec;
    const idea = {
      spec,
      because,
      finding,
      ...(skill === undefined ? {} : { skill }),
      ...(joins === undefined ? {} : { joins }),
    };
    const drafted = await draftOf(idea, { parent, declared: project.spec });
    if (drafted.type === "refused") {
      refused.push({ idea: ranked, stage: "check", why: problemsText(drafted.problems) });
      continue;
    }
    drafts.push(drafted.draft);
    chosen.push(next);
    open = open.filter((one) => keyOf(one.spec) !== keyOf(ranked.spec));
    answered.set(finding, (answered.get(finding) ?? 0) + 1);
    for (const place of placesOf(ranked)) places.set(place, (places.get(place) ?? 0) + 1);
  }
  const told = [...found.refused.filter(({ stage }) => stage === "backtest"), ...refused];
  return {
    drafts,
    passedOver: told
      .filter(({ idea }) => idea.origin === "intervention")
      .map(({ idea, why }) => `${idea.spec.name} is skipped: ${why}`),
    trace: { ...found, refused: [...found.refused, ...refused], chosen },
  };
}

/** The skills that answer what was found and fit the version, as the search looks at ideas. */
async function ideasOf(
  { skills, findings, project }: Pick<Question, "skills" | "findings" | "project">,
  parent: FileSource,
): Promise<CandidateIdea[]> {
  const { ideas } = await skillIdeas(skills, findings, { parent, declared: project.spec });
  return ideas.map(({ spec, skill }) => ({
    origin: "skill",
    spec: { ...spec, edit: spec.edit.filter(isValueEdit) },
    declared:
      spec.hypothesis.metric === project.spec.metric.name ? (skill?.expected?.difference ?? null) : null,
    isOpenEnded: false,
    ...(skill === undefined ? {} : { skill }),
  }));
}

/** What was found says why something is tried, and not why it should be this, where nobody says what this does. */
const reasonOf = (found: string, { isOpenEnded }: CandidateIdea): string =>
  isOpenEnded
    ? `${found} This is a trial: no intervention of the project says what the setting does.`.trim()
    : found;

/** A general move promises nothing of any finding, so that only the choice tells which one it is tried for. */
function triedFor(finding: string, spec: CandidateIdea["spec"]): CandidateIdea["spec"] {
  const { hypothesis } = spec;
  return {
    ...spec,
    hypothesis: { ...hypothesis, because: `${hypothesis.because} It is tried for the finding ${finding}.` },
  };
}

/** The next in an order that nothing else may change. */
function firstOf([ranked]: readonly RankedIdea[]): ChosenIdea | null {
  const [finding] = ranked?.answers ?? [];
  return ranked === undefined || finding === undefined ? null : { ranked, finding };
}

/** What is worth the most after each finding and each value had its turns. */
function nextChoice(
  open: readonly RankedIdea[],
  findings: readonly string[],
  turns: { readonly answered: ReadonlyMap<string, number>; readonly places: ReadonlyMap<string, number> },
): ChosenIdea | null {
  let best: {
    readonly ranked: RankedIdea;
    readonly finding: string;
    readonly worth: number;
    readonly severity: number;
  } | null = null;
  for (const ranked of open) {
    const again = Math.max(0, ...placesOf(ranked).map((place) => turns.places.get(place) ?? 0));
    for (const [severity, finding] of findings.entries()) {
      if (!ranked.answers.includes(finding)) continue;
      const worth = ranked.worth / (1 + (turns.answered.get(finding) ?? 0)) / (1 + again);
      const isEqual = best !== null && Math.abs(worth - best.worth) <= best.worth * 1e-3;
      // Of equals the one for the worse finding is taken, then the one that is ranked higher.
      if (best === null || (isEqual ? severity < best.severity : worth > best.worth))
        best = { ranked, finding, worth, severity };
    }
  }
  return best;
}

const placesOf = ({ spec }: RankedIdea): string[] =>
  spec.edit.map((edit) => ("patch" in edit ? edit.patch : `${edit.file} ${edit.path}`));

/** The skills of a project's own files. */
export const skillsOf = ({ skills }: Project): SkillSpec[] => skills.map(({ spec }) => spec);

/** The seed of a project's search: that of its first training. */
export function seedOf({ spec }: Project): number {
  return spec.trainer.seeds[0] ?? 1;
}

/** Every draft is checked against the same files of the parent: each is read once. */
function readOnce(source: FileSource): FileSource {
  const [texts, lists] = [
    new Map<string, Promise<string | undefined>>(),
    new Map<string, Promise<readonly string[]>>(),
  ];
  let links: ReturnType<NonNullable<FileSource["links"]>> | undefined;
  return {
    name: source.name,
    links: () => (links ??= source.links?.() ?? Promise.resolve(noLinks)),
    read: (path) => remembered(texts, path, () => source.read(path)),
    list: (folder) => remembered(lists, folder, () => source.list(folder)),
  };
}

function remembered<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}

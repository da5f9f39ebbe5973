import { placedEdits } from "../../../shared/spec/edit.ts";
import type { Scalar } from "../../../shared/spec/common.ts";
import type { Finding } from "../diagnosis/rules.ts";
import type { Project } from "../project/project.ts";
import { noLinks } from "../project/frozen/links.ts";
import type { FileSource } from "../project/source.ts";
import { readValue } from "../project/values.ts";
import { proposeFromCatalogue } from "./catalogue.ts";
import { draftOf, problemsText, type Draft } from "./draft.ts";

/** What a proposer is asked: which changes of a version answer what was found. */
export interface Question {
  readonly project: Project;
  /** The files of the version to change. */
  readonly parent: FileSource;
  readonly findings: readonly Finding[];
  /** Names of interventions that are not to be proposed again. */
  readonly tried: ReadonlySet<string>;
  /** How many versions each finding has called for so far. */
  readonly answered: Readonly<Record<string, number>>;
  /** How many drafts at most. */
  readonly count: number;
}

export interface Chosen {
  readonly drafts: readonly Draft[];
  /** What would have been chosen and was refused by a check, a sentence each. */
  readonly passedOver: readonly string[];
}

/** The catalogue's drafts, the first choice first. What a check refuses makes room for the next. */
export async function chooseDrafts(question: Question): Promise<Chosen> {
  const { project, findings, tried, answered, count } = question;
  const parent = readOnce(question.parent);
  const current = await valuesOf(project, parent);
  const sound = new Map<string, Draft>();
  const refused = new Map<string, string>();
  for (;;) {
    const chosen = proposeFromCatalogue({
      findings,
      interventions: project.interventions.map((i) => i.spec).filter(({ name }) => !refused.has(name)),
      ...{ tried, answered, current },
    }).slice(0, count);
    const next = chosen.find(({ intervention }) => !sound.has(intervention.name));
    if (next === undefined) {
      // A later refusal may have moved a choice to another finding.
      const drafts = chosen.flatMap(({ intervention, finding }) => {
        const draft = sound.get(intervention.name);
        return draft === undefined ? [] : [{ ...draft, finding: finding.name, because: finding.message }];
      });
      return { drafts, passedOver: [...refused.values()] };
    }
    const { intervention: spec, finding } = next;
    const idea = { spec, because: finding.message, finding: finding.name };
    const drafted = await draftOf(idea, { parent, declared: project.spec });
    if (drafted.type === "sound") sound.set(spec.name, drafted.draft);
    else refused.set(spec.name, `${spec.name} is skipped: ${problemsText(drafted.problems)}`);
  }
}

/** The values that the project's interventions would change, as the parent has them. */
async function valuesOf(
  { interventions }: Project,
  parent: FileSource,
): Promise<(file: string, path: string) => Scalar | undefined> {
  const texts = new Map<string, string | undefined>();
  for (const [, { file }] of interventions.flatMap((i) => placedEdits(i.spec.edit)))
    if (!texts.has(file)) texts.set(file, await parent.read(file));
  return (file, path) => {
    const text = texts.get(file);
    return text === undefined ? undefined : readValue(text, path);
  };
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

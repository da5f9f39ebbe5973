import { z } from "zod";
import { plural } from "../../../../shared/words/numbers.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { listed } from "../../base/similar.ts";
import { configScalars } from "../../project/configs/configText.ts";
import { evaluationFiles } from "../../project/frozen/frozenPaths.ts";
import { itemsIn, sharedItems } from "../project/itemList.ts";
import { projectIn } from "../syntax/typedSpec.ts";
import { defineRule, type Finding, type ProjectContext } from "../rule/rule.ts";
import { spanFor, type ParsedSpec } from "../syntax/parseSpec.ts";

type Found = Finding<null>;

export const splitOverlap = defineRule({
  meta: {
    id: "split-overlap",
    severity: "error",
    kinds: ["project", "config"],
    archive: "part",
    docs: "Nothing is used both for training and for evaluation: no two splits share a file or an item, and no training data of a config is evaluation data.",
    example: {
      wrong: `splits: { train: data/items.jsonl, selection: data/items.jsonl, audit: data/audit.jsonl }`,
      right: `splits: { train: data/train.jsonl, selection: data/selection.jsonl, audit: data/audit.jsonl }`,
    },
  },
  data: z.null(),
  *check({ spec, project }) {
    if (!project) return;
    const declared = spec.kind === "project" ? projectIn(spec) : project.spec;
    if (!declared) return;
    if (spec.kind === "project") {
      yield* betweenSplits(spec, declared, project);
      yield* inScripts(spec, declared, project);
    } else yield* inConfig(spec, declared);
  },
});

const pairs = [
  ["train", "selection"],
  ["train", "audit"],
  ["selection", "audit"],
] as const;

function* betweenSplits(
  spec: ParsedSpec,
  { evaluation }: ProjectSpec,
  project: ProjectContext,
): Iterable<Found> {
  const { splits } = evaluation;
  for (const [one, other] of pairs) {
    const finding = (message: string): Found => ({
      span: spanFor(spec, ["evaluation", "splits", other]),
      message,
      data: null,
    });
    const [a, b] = [plain(splits[one]), plain(splits[other])];
    if (a === b) {
      yield finding(`${b} is both the ${one} and the ${other} split.`);
      continue;
    }
    const [left, right] = [project.text(a), project.text(b)];
    const shared =
      left === undefined || right === undefined ? [] : sharedItems(itemsIn(left), itemsIn(right));
    const archived = one === "train" && other === "selection" ? (project.facts?.sharedItems ?? []) : [];
    if (shared.length > 0) yield finding(`${described(shared)} of ${b} ${verb(shared)} in ${a} as well.`);
    else if (archived.length > 0)
      yield finding(
        `${described(archived)} ${verb(archived)} in archived rollouts of both the train and the selection split.`,
      );
  }
}

const described = (ids: readonly string[]): string =>
  ids.length === 1
    ? `The item ${ids[0] ?? ""}`
    : `${ids.length} items (${listed([...ids.slice(0, 3), ...(ids.length > 3 ? ["…"] : [])], "and")})`;
const verb = (ids: readonly string[]): string => plural(ids.length, "is", "are");

/** A path as it is compared: without what leads to the same place. */
const plain = (path: string): string =>
  path
    // What stands for a folder that only the trainer knows; the rest is compared from the end.
    .replace(/^.*\$\{[^}]*\}\/*/, "")
    .replace(/^(file:\/\/)?(\.\/)+/, "")
    .split("/")
    .filter((step, i) => step !== "." && (step !== "" || i === 0))
    .join("/");

/** Names of training data, and what evaluation data beside them is called: verl, TRL, OpenRLHF, slime. */
const trains = /(^|[_-])(train|prompt)(ing)?([_-]?(data|files?|paths?|sets?|datasets?))*$/i;
const evaluates =
  /(^|[_-])(val|valid|validation|eval|evaluation|test)([_-]?(data|files?|paths?|sets?|datasets?))*$/i;

/** In each mapping of a config: training data that the project evaluates on, or that the config itself does. */
function* inConfig(spec: ParsedSpec, declared: ProjectSpec): Iterable<Found> {
  const evaluated = evaluationFiles(declared)
    .map(plain)
    .filter((file) => file !== plain(declared.evaluation.splits.train));
  for (const { path, value } of mappingsIn(spec.value)) {
    const entries = Object.entries(value);
    const own = entries
      .filter(([key]) => evaluates.test(key))
      .flatMap(([key, at]) => filesIn(at).map((file) => ({ key, file: plain(file.text) })));
    for (const [key, at] of entries) {
      if (!trains.test(key)) continue;
      for (const { text, index } of filesIn(at)) {
        const file = plain(text);
        const twin = own.find((other) => other.file === file);
        const split = evaluated.find((other) => file === other || file.endsWith(`/${other}`));
        if (split === undefined && twin === undefined) continue;
        yield {
          span: spanFor(spec, [...path, key, ...(index === undefined ? [] : [index])]),
          message:
            split === undefined
              ? `${text} is training data here, and evaluation data as ${twin?.key ?? ""}.`
              : `${text} is training data here, but versions are evaluated on ${split}.`,
          data: null,
        };
      }
    }
  }
}

/** In the launch scripts that the project names: the settings of their command, which is no spec of the editor. */
function* inScripts(
  spec: ParsedSpec,
  { trainer, surfaces }: ProjectSpec,
  project: ProjectContext,
): Iterable<Found> {
  const named = surfaces.flatMap((surface) => ("file" in surface ? [surface.file] : []));
  const scripts = new Set([...trainer.command, ...named].filter((file) => /\.(sh|bash)$/.test(file)));
  for (const script of scripts) {
    const settings = [...(configScalars(script, project.text(plain(script)) ?? "") ?? [])].flatMap(
      ([key, value]) => filesIn(value).map(({ text }) => ({ key, last: key.split(".").at(-1) ?? key, text })),
    );
    for (const { key, text } of settings.filter(({ last }) => trains.test(last))) {
      const twin = settings.find((other) => evaluates.test(other.last) && plain(other.text) === plain(text));
      if (twin !== undefined)
        yield {
          span: spanFor(spec, ["trainer", "command"]),
          message: `${script} trains on ${text} (${key}) and evaluates on it (${twin.key}).`,
          data: null,
        };
    }
  }
}

type Mapping = { readonly path: readonly string[]; readonly value: object };

function mappingsIn(value: unknown, path: readonly string[] = []): Mapping[] {
  if (typeof value !== "object" || value === null || Array.isArray(value) || path.length > 12) return [];
  return [
    { path, value },
    ...Object.entries(value).flatMap(([key, child]) => mappingsIn(child, [...path, key])),
  ];
}

/** Texts that are names of files: with a folder or an ending. */
function filesIn(value: unknown): { readonly text: string; readonly index: number | undefined }[] {
  const texts = Array.isArray(value)
    ? value.map((text: unknown, index) => ({ text, index }))
    : [{ text: value, index: undefined }];
  return texts.flatMap(({ text, index }) =>
    typeof text === "string" && /[/.]/.test(text.replace(/\$\{[^}]*\}/g, "")) ? [{ text, index }] : [],
  );
}

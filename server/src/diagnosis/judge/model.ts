import type { ModelSpec } from "../../../../shared/spec/project.ts";
import { defaultModel } from "../../../../shared/spec/labelSource.ts";
import { didYouMean } from "../../base/similar.ts";
import type { Model } from "./ask.ts";

/** The environment variables that are the model `default` where the project has none of that name. */
const modelVariables = {
  url: "EVOTRAINER_MODEL_URL",
  name: "EVOTRAINER_MODEL",
  key: "EVOTRAINER_MODEL_KEY",
} as const;

/** A model with how it is asked. */
export interface ReadyModel {
  readonly model: Model;
  readonly timeoutSeconds: number;
  readonly parallel: number;
}

/** The model that a judge names, with its key; a sentence when there is none, or no key. */
export function modelNamed(
  name: string,
  models: Readonly<Record<string, ModelSpec>>,
  environment: Readonly<Record<string, string | undefined>>,
): ReadyModel | string {
  const spec = Object.hasOwn(models, name) ? models[name] : undefined;
  if (spec === undefined) return name === defaultModel ? fromEnvironment(environment) : unknown(name, models);
  const { provider, url, model, keyFrom, timeoutSeconds, parallel } = spec;
  const key = keyFrom === undefined ? undefined : environment[keyFrom];
  if (keyFrom !== undefined && (key ?? "") === "")
    return `the environment variable ${keyFrom}, which holds the key of the model ${name}, is not set.`;
  return {
    model: { provider, url, name: model, ...(key === undefined ? {} : { key }) },
    timeoutSeconds,
    parallel,
  };
}

function unknown(name: string, models: Readonly<Record<string, ModelSpec>>): string {
  return `evotrainer.yaml has no model ${name} under models.${didYouMean(name, Object.keys(models))}`;
}

function fromEnvironment(environment: Readonly<Record<string, string | undefined>>): ReadyModel | string {
  const [url, name, key] = [modelVariables.url, modelVariables.name, modelVariables.key].map(
    (variable) => environment[variable] ?? "",
  );
  if (url === undefined || name === undefined || url === "" || name === "")
    return `no model is set up; name one under models in evotrainer.yaml, or set ${modelVariables.url} and ${modelVariables.name}.`;
  if (!URL.canParse(url)) return `${modelVariables.url} is not an address: ${url}.`;
  return {
    model: { provider: "openai", url, name, ...(key === undefined || key === "" ? {} : { key }) },
    timeoutSeconds: 120,
    parallel: 4,
  };
}

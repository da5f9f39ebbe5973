import { schemaFileOf } from "../../project/surfaces.ts";
import { z } from "zod";
import { listed, similar } from "../../base/similar.ts";
import { knownPlaces, placesOf, type KnownPlaces } from "../project/configSchema.ts";
import { defineRule, type Finding, type ProjectContext } from "../rule/rule.ts";
import { locate, spanFor, type ParsedSpec } from "../syntax/parseSpec.ts";

const Data = z.object({ path: z.array(z.string()), near: z.array(z.string()) });
type Data = z.infer<typeof Data>;

export const configKey = defineRule<Data>({
  meta: {
    id: "config-key",
    severity: "warning",
    kinds: ["config"],
    docs: "A config uses only keys that its trainer knows: those of the schema that its surface names in evotrainer.yaml, or otherwise those of the parent's config. Most trainers ignore a misspelt key silently and train with its default.",
    example: {
      wrong: `actor_rollout_ref: { actor: { entropy_coef: 0.001 } }`,
      right: `actor_rollout_ref: { actor: { entropy_coeff: 0.001 } }`,
    },
  },
  data: Data,
  *check({ spec, project, path: file }) {
    if (!project || file === undefined || spec.problems.length > 0) return;
    const declared = declaredKeys(project, file);
    if (declared) {
      yield* unknownKeys(spec, declared.places, (name) => `${declared.file} does not know the key ${name}.`);
      return;
    }
    const parent = project.parent;
    const before = parent?.read(file);
    // A key that the parent lacks may be new; one that is nearly that of a key which has gone is misspelt.
    if (parent && before?.problems.length === 0)
      yield* unknownKeys(spec, placesOf(before.value), (name) => `${parent.name} has no key ${name} here.`, {
        onlyRenamed: true,
      });
  },
  fix({ spec }, { path, near }) {
    const span = locate(spec, path).key;
    return span ? near.map((name) => ({ title: `Change to ${name}`, edits: [{ span, text: name }] })) : [];
  },
});

function declaredKeys(
  project: ProjectContext,
  file: string,
): { readonly file: string; readonly places: KnownPlaces } | undefined {
  const schema = schemaFileOf(project.spec, file);
  const text = schema === undefined ? undefined : project.read(schema);
  const places = text && knownPlaces(text);
  return schema === undefined || !places ? undefined : { file: schema, places };
}

function* unknownKeys(
  spec: ParsedSpec,
  places: KnownPlaces,
  message: (name: string) => string,
  { onlyRenamed = false } = {},
): Iterable<Finding<Data>> {
  const visit = function* (value: unknown, path: readonly string[]): Iterable<Finding<Data>> {
    if (typeof value !== "object" || value === null || Array.isArray(value) || path.length > 20) return;
    const place = places(path);
    const known = place?.keys;
    for (const [key, child] of Object.entries(value)) {
      if (!known || known.includes(key)) {
        yield* visit(child, [...path, key]);
        continue;
      }
      const missing = known.filter((name) => !Object.hasOwn(value, name));
      const isOpen = onlyRenamed || !place.closed;
      const near = similar(key, isOpen ? missing : known);
      // Short words resemble each other without being misspelt.
      if (isOpen && (near.length === 0 || key.length < 4)) continue;
      yield {
        span: spanFor(spec, [...path, key], "key"),
        message: `${message(key)}${near.length > 0 ? ` Did you mean ${listed(near)}?` : ""}`,
        data: { path: [...path, key], near },
      };
    }
  };
  yield* visit(spec.value, []);
}

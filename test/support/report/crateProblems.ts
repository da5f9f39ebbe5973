import { z } from "zod";

const Reference = z.strictObject({ "@id": z.string() });
const Entity = z.looseObject({ "@id": z.string(), "@type": z.union([z.string(), z.array(z.string())]) });
type Entity = z.infer<typeof Entity>;
const Crate = z.strictObject({ "@context": z.array(z.url()), "@graph": z.array(Entity) });

/** Addresses of things that are known without a description in the crate. */
const wellKnown = /^https:\/\/w3id\.org\/ro\/|^http:\/\/schema\.org\//;

/** What breaks RO-Crate 1.1 or the Process Run Crate profile 0.5, as far as both can be checked without a network. */
export function crateProblems(value: unknown): string[] {
  const parsed = Crate.safeParse(value);
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  const { "@context": context, "@graph": graph } = parsed.data;
  const byId = new Map(graph.map((entity) => [entity["@id"], entity]));
  const problems: string[] = [];
  const need = (holds: boolean, problem: string): void => {
    if (!holds) problems.push(problem);
  };
  need(context[0] === "https://w3id.org/ro/crate/1.1/context", "The context is not that of RO-Crate 1.1.");
  need(byId.size === graph.length, "Two entities have one @id.");
  const descriptor = byId.get("ro-crate-metadata.json");
  need(isA(descriptor, "CreativeWork"), "There is no descriptor.");
  need(idOf(descriptor?.["conformsTo"]) === "https://w3id.org/ro/crate/1.1", "The descriptor's conformsTo.");
  const root = byId.get(idOf(descriptor?.["about"]) ?? "");
  need(root?.["@id"] === "./" && isA(root, "Dataset"), "The root is no Dataset ./.");
  for (const name of ["name", "description", "datePublished", "license"])
    need(root?.[name] !== undefined && root[name] !== "", `The root has no ${name}.`);
  need(!Number.isNaN(Date.parse(String(root?.["datePublished"]))), "datePublished is no date.");
  need(
    isA(byId.get(idOf(root?.["conformsTo"]) ?? ""), "CreativeWork"),
    "The profile is no CreativeWork of the graph.",
  );
  const mentioned = new Set(referencesIn(root?.["mentions"]));
  for (const entity of graph) {
    for (const [property, held] of Object.entries(entity))
      for (const id of property.startsWith("@") ? [] : referencesIn(held))
        need(
          byId.has(id) || wellKnown.test(id),
          `${entity["@id"]}: ${property} refers to ${id}, which is not there.`,
        );
    if (isA(entity, "File"))
      need(!/[\s\\]|^\/|^#|\.\.\//.test(entity["@id"]), `${entity["@id"]} is no path of a file.`);
    if (isA(entity, "CreateAction") || isA(entity, "ActivateAction")) {
      const tool = byId.get(idOf(entity["instrument"]) ?? "");
      need(isA(tool, "SoftwareApplication"), `${entity["@id"]}: its instrument is no software.`);
      need(!Number.isNaN(Date.parse(String(entity["endTime"]))), `${entity["@id"]}: endTime.`);
      need(mentioned.has(entity["@id"]), `${entity["@id"]} is not mentioned by the root.`);
      need(
        entity["error"] === undefined || /Failed/.test(String(idOf(entity["actionStatus"]))),
        `${entity["@id"]}: error.`,
      );
    }
    if (isA(entity, "CreateAction"))
      need(referencesIn(entity["result"]).length > 0, `${entity["@id"]}: no result.`);
    if (isA(entity, "SoftwareApplication"))
      need(typeof entity["name"] === "string", `${entity["@id"]}: software without a name.`);
  }
  const reached = reachedFrom("./", byId);
  for (const entity of graph)
    if (entity !== descriptor)
      need(reached.has(entity["@id"]), `${entity["@id"]} cannot be reached from the root.`);
  return problems;
}

const isA = (entity: Entity | undefined, type: string): boolean =>
  entity !== undefined && [entity["@type"]].flat().includes(type);

const idOf = (value: unknown): string | undefined => Reference.safeParse(value).data?.["@id"];

const referencesIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((one: unknown) => idOf(one) ?? []);

function reachedFrom(start: string, byId: ReadonlyMap<string, Entity>): Set<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (reached.has(id)) continue;
    reached.add(id);
    open.push(...Object.values(byId.get(id) ?? {}).flatMap(referencesIn));
  }
  return reached;
}

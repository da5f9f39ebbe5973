import { stringify } from "yaml";
import { apiVersion } from "../../../../shared/spec/common.ts";
import {
  migrations as allMigrations,
  migrationsFrom,
  type Migration,
} from "../../../../shared/spec/migration.ts";
import type { SpecAction } from "../actions/action.ts";
import { locate, treeAt, type ParsedSpec } from "../syntax/parseSpec.ts";

/** Brings a spec of an older version of the format to the current one; comments and order stay. */
export function migrate(
  spec: ParsedSpec,
  migrations: readonly Migration[] = allMigrations,
  current = apiVersion,
): SpecAction[] {
  const [written, kind] = ["apiVersion", "kind"].map((key) => {
    const node = treeAt(spec, [key]);
    return node?.type === "scalar" ? node.value : undefined;
  });
  const span = locate(spec, ["apiVersion"]).value;
  if (typeof written !== "string" || written === current || !span) return [];
  const path = migrationsFrom(written, migrations, current);
  const [first, ...later] = path ?? [];
  // Places of a second step are known only after the first: one version at a time.
  if (!first) return [];
  const steps = typeof kind === "string" && Object.hasOwn(first.steps, kind) ? (first.steps[kind] ?? []) : [];
  const edits = steps.flatMap((step) => {
    const place = locate(spec, step.path.split("."));
    const at = step.type === "renameKey" ? place.key : place.value;
    return at ? [{ span: at, text: step.type === "renameKey" ? step.to : stringify(step.to).trim() }] : [];
  });
  const more = later.length > 0 ? `, the first of ${later.length + 1} steps` : "";
  return [
    { title: `Migrate to ${first.to}${more}`, edits: [{ span, text: first.to }, ...edits], creates: [] },
  ];
}

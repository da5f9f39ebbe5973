import { z } from "zod";
import { HarnessError } from "../../base/errors.ts";
import { compileCondition } from "../../diagnosis/compileSql.ts";
import { ensureFeatures } from "../../evidence/features.ts";
import { countRollouts, listRollouts } from "../../evidence/query.ts";
import { OpenSplit, splitOrDefault } from "./openSplit.ts";
import { defineService } from "./service.ts";

/** One page of the rollouts of a version, with the counts of all that the filter lets through. */
export const rolloutsList = defineService({
  name: "rollouts.list",
  repeatable: true,
  params: z.object({
    version: z.string(),
    // The audit split is sealed: it cannot even be named here.
    split: OpenSplit.exactOptional(),
    label: z.string().exactOptional(),
    where: z.string().exactOptional().describe("A CEL condition."),
    orderBy: z.enum(["arrival", "step", "reward", "tokens"]).exactOptional(),
    descending: z.boolean().exactOptional(),
    limit: z.int().min(1).describe("At most 1000 are given."),
    cursor: z.string().exactOptional(),
  }),
  async run({ store }, { where, limit, cursor, orderBy, descending, split: asked, ...rest }) {
    const scope = { ...rest, split: await splitOrDefault(store, rest.version, asked) };
    const filter = {
      ...scope,
      ...(where === undefined ? {} : { where: { sql: `coalesce(${condition(where)}, FALSE)`, params: [] } }),
    };
    if (where !== undefined) await ensureFeatures(store);
    const counts = await countRollouts(store, filter);
    const page = await listRollouts(store, {
      ...filter,
      limit,
      ...(orderBy === undefined ? {} : { orderBy }),
      ...(descending === undefined ? {} : { descending }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    return { version: scope.version, split: scope.split, ...counts, ...page };
  },
});

/** @throws HarnessError badInput with the place of the error */
function condition(text: string): string {
  const compiled = compileCondition(text);
  if (compiled.ok) return compiled.condition.sql;
  const { start, end, message } = compiled.problem;
  throw new HarnessError(
    "badInput",
    `--where: ${message}\n  ${text}\n  ${" ".repeat(start)}${"^".repeat(Math.max(1, end - start))}`,
  );
}

import { walkPaths, type Refuse } from "../../reading/walkFolder.ts";

const byName = new Intl.Collator("en", { numeric: true });

/**
 * The files under the given paths, folders opened, in an order in which 2.jsonl comes before 10.jsonl. A folder that cannot
 * be read is told to `refuse`, and the rest goes on.
 * @throws HarnessError notFound, badInput
 */
export async function* filesUnder(paths: readonly string[], refuse?: Refuse): AsyncGenerator<string, void> {
  for await (const { path } of walkPaths(paths, { compare: byName.compare, refuse })) yield path;
}

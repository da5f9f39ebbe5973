import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { jsonOf } from "../../base/jsonLines.ts";
import { privateFolder, writeFileAtomic } from "../../base/files.ts";
import type { Proposer } from "../../proposals/proposers/proposer.ts";

const Kept = z.array(
  z.object({ spec: InterventionSpec, because: z.string(), finding: z.string().nullable() }),
);

/**
 * A proposer whose answer is written down before it is used. The same question asked again, because the engine was killed
 * before it noted what came of it, has the same answer and is not paid for twice.
 *
 * @param question what tells this question from every other one
 */
export function withKeptAnswer(proposer: Proposer, folder: string, question: readonly unknown[]): Proposer {
  const key = createHash("sha256")
    .update(JSON.stringify([proposer.name, ...question]))
    .digest("hex")
    .slice(0, 32);
  const file = join(folder, "answers", `${key}.json`);
  return {
    name: proposer.name,
    async propose(asked, signal) {
      const kept = Kept.safeParse(jsonOf(await readFile(file, "utf8").catch(() => "")));
      if (kept.success) return kept.data;
      const ideas = await proposer.propose(asked, signal);
      await privateFolder(join(folder, "answers"));
      const told = ideas.map(({ spec, because, finding }) => ({ spec, because, finding }));
      await writeFileAtomic(file, `${JSON.stringify(told, null, 2)}\n`, { mode: 0o600 });
      return ideas;
    },
  };
}

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { GatesSpec } from "../../../../shared/spec/gates.ts";
import { codeOf } from "../../base/errors.ts";
import { writeFileAtomic } from "../../base/files.ts";
import { listed } from "../../base/similar.ts";
import { looserGates } from "../../decision/gates/looserGates.ts";
import type { Repository } from "../../lineage/repository.ts";
import { projectFile } from "../../project/project.ts";

/** The gates that an evolution of this clone went by last, and the commit that has them. */
const GatesSeen = z.object({ schema: z.literal(1), commit: z.string(), gates: GatesSpec });
type GatesSeen = z.infer<typeof GatesSeen>;

const fileOf = (engineFolder: string): string => join(engineFolder, "gates.json");

/**
 * Writes down the gates that count from here. @returns what somebody must know if they let more pass than the ones that
 * counted here before, by whichever commit, such as one that was pulled; null where they do not
 */
export async function seeGates(
  { engineFolder, repository }: { readonly engineFolder: string; readonly repository: Repository },
  { commit, gates }: { readonly commit: string; readonly gates: GatesSpec },
): Promise<string | null> {
  const before = await read(engineFolder);
  if (before?.commit === commit) return null;
  await writeFileAtomic(fileOf(engineFolder), `${JSON.stringify({ schema: 1, commit, gates })}\n`, {
    mode: 0o600,
  });
  const looser = before === undefined ? [] : looserGates(before.gates, gates);
  if (before === undefined || looser.length === 0) return null;
  const by = await changedBy(repository, before.commit, commit);
  return `The gates are less strict than when an evolution last ran here (${by}): ${listed(looser, "and")}. They apply from now on. If you do not want that, change \`gates\` in evotrainer.yaml and commit.`;
}

async function read(engineFolder: string): Promise<GatesSeen | undefined> {
  try {
    return GatesSeen.safeParse(JSON.parse(await readFile(fileOf(engineFolder), "utf8"))).data;
  } catch (e) {
    // A file that cannot be read is as good as none: what it says is for a sentence, and gates count by commits alone.
    if (e instanceof SyntaxError || codeOf(e) === "ENOENT") return undefined;
    throw e;
  }
}

/** Which commit changed the project's settings last, and whose it is. */
async function changedBy(repository: Repository, before: string, now: string): Promise<string> {
  const range = await repository.git
    .text(["log", "-1", "--format=%h%x00%an%x00%as", `${before}..${now}`, "--", projectFile])
    .catch(() => "");
  const [hash = "", name = "", day = ""] = range.trim().split("\0");
  return hash === "" ? `see commit ${now.slice(0, 12)}` : `changed by commit ${hash} of ${name}, ${day}`;
}

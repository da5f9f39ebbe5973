import { counted } from "../../../../shared/words/numbers.ts";
import type { VersionReport } from "../../../../shared/ledger/lineage.ts";
import { decisionLooks } from "../../../../shared/words/decisions.ts";
import { readLineageReport } from "../../engine/versions/lineageReport.ts";
import { findProjectRoot } from "../../engine/workspace/workspace.ts";
import { paint, printResult, type Io } from "../terminal/io.ts";
import { wrap } from "../terminal/table.ts";

type Difference = NonNullable<VersionReport["wouldDiffer"]>[number];

/** The decisions that would be different since a harness version, under the version that it is since. */
interface Since {
  readonly since: string;
  readonly title: string;
  readonly admitted: boolean;
  readonly differences: readonly Difference[];
}

/** `evotrainer lineage --differences`: decisions that would be different now. Nothing is changed by looking at them. */
export async function differences(io: Io, cwd: string, domain?: string): Promise<void> {
  const { versions } = await readLineageReport(await findProjectRoot(cwd), domain);
  const found = versions.flatMap((v): Since[] =>
    v.wouldDiffer === undefined
      ? []
      : [
          {
            ...{ since: v.name, title: v.title, admitted: v.decision === "keep" },
            differences: v.wouldDiffer,
          },
        ],
  );
  printResult(io, found, (all) =>
    all.length === 0
      ? "No decision would be different with the diagnostics that were admitted since."
      : all.map((one) => render(io, one)).join("\n\n"),
  );
}

function render(io: Io, { since, title, admitted, differences }: Since): string {
  const what = `Since ${since} ${admitted ? "came into force" : "took a change back"} (${title}), ${counted(differences.length, "decision")} would be different; none was changed:`;
  return [
    ...wrap(what, io.columns, "").split("\n"),
    ...differences.flatMap(({ version, was, wouldBe, because }) => [
      `${paint(io, "bold", version)}: ${decisionLooks[was].word}, would be ${decisionLooks[wouldBe].word}`,
      wrap(because, io.columns - 2, "  "),
    ]),
  ].join("\n");
}

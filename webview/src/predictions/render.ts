import type { ServiceResult } from "../../../shared/protocol/editorServices.ts";
import type { versions } from "../../../shared/protocol/services/versions.ts";
import { unforeseenOf, unmeasuredText } from "../../../shared/words/foreseen.ts";
import { percent, value } from "../../../shared/words/numbers.ts";
import { element, linkButton } from "../shared/dom.ts";
import { foreseenCell } from "../shared/foreseen.ts";
import type { ServiceViewDrawing, ServiceViewHost } from "../shared/serviceView.ts";
import { tableOf, type Cell } from "../shared/table.ts";
import { visibleText } from "../shared/visibleText.ts";

type Predictions = ServiceResult<"lineage.predictions">;
type Checked = Predictions["versions"][number];
type Tally = Predictions["proposers"][number]["fixes"];

/** Whether to believe what proposers predict: the record of each, and below it what came of every prediction, the newest first. */
export function createPredictions(
  app: HTMLElement,
  { ask, showEvidence }: ServiceViewHost<(typeof versions)["lineage.predictions"]["params"]>,
): ServiceViewDrawing<Predictions> {
  const said = element("p", "quiet", "Reading…");
  const content = element("div");
  app.append(element("h1", "", "Predictions"), said, content);
  const again = (): void => ask({});
  again();

  const rowsOf = (checked: Checked): Cell[][] => {
    const { version, measured, fixes, risks } = checked;
    const unforeseen = unforeseenOf(checked);
    const row = (label: string, foreseen: string, found: Cell): Cell[] => [
      visibleText(version),
      { text: linkButton(visibleText(label), () => showEvidence({ version, label })) },
      foreseen,
      measured || foreseen === notForeseen ? found : `? ${visibleText(unmeasuredText(checked))}`,
    ];
    return [
      ...fixes.map(({ label, result }) => row(label, "becomes rarer", foreseenCell(result, "fix"))),
      ...risks.map(({ label, result }) =>
        row(label, "may become more frequent", foreseenCell(result, "risk")),
      ),
      ...unforeseen.fixes.map((label) => row(label, notForeseen, "became rarer")),
      ...unforeseen.risks.map((label) => row(label, notForeseen, "became more frequent")),
    ];
  };
  return {
    show: ({ versions: checked, proposers, problems }) => {
      said.textContent =
        checked.length === 0
          ? "No version has been proposed with a prediction yet."
          : "What proposers predicted about labels, and what the rollouts of both versions say. Each share says how many it is a share of.";
      content.replaceChildren(
        ...(checked.length === 0
          ? []
          : [
              element("h2", "", "Proposers"),
              tableOf("Record of every proposer", recordHead, proposers.flatMap(recordRows)),
              element("h2", "", "Versions"),
              tableOf(
                "What came of every prediction",
                ["version", "label", "predicted", "found"],
                [...checked].reverse().flatMap(rowsOf),
              ),
            ]),
        ...problems.map((problem) => element("p", "quiet", `Left out: ${visibleText(problem)}`)),
      );
    },
    refuse: (message) => {
      said.textContent = message;
      content.replaceChildren();
    },
    changed: again,
  };
}

const notForeseen = "not predicted";

const recordHead = ["proposer", "versions", "predicted", "came true", "of what changed", "by chance"];

function recordRows({
  proposer,
  versions: all,
  measured,
  fixes,
  risks,
}: Predictions["proposers"][number]): Cell[][] {
  const row = (kind: string, { hits, predicted, unforeseen, byChance }: Tally): Cell[] => [
    visibleText(proposer),
    `${measured} of ${all} measured`,
    kind,
    shareOf(hits, predicted),
    shareOf(hits, hits + unforeseen),
    predicted === 0 ? "–" : `${value(byChance)} hits`,
  ];
  return [row("fixes", fixes), row("risks", risks)];
}

/** Of few a percentage would say more than is known. */
const shareOf = (hits: number, of: number): string =>
  of === 0 ? "–" : of < 10 ? `${hits} of ${of}` : `${percent(hits / of)} of ${of}`;

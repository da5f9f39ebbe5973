import type { ServiceResult } from "../../../shared/protocol/editorServices.ts";
import type { versions } from "../../../shared/protocol/services/versions.ts";
import { counted, plural } from "../../../shared/words/numbers.ts";
import { decisionLooks } from "../../../shared/words/decisions.ts";
import { noArchive } from "../../../shared/words/refusals.ts";
import { createButton } from "../shared/button.ts";
import { element, linkButton } from "../shared/dom.ts";
import type { ServiceViewDrawing, ServiceViewHost } from "../shared/serviceView.ts";
import { signElement } from "../shared/outcomes.ts";
import { tableOf, type Cell } from "../shared/table.ts";
import { visibleText } from "../shared/visibleText.ts";

type Items = ServiceResult<"versions.items">;
type Counts = NonNullable<Items["items"][number]["cells"][number]>;

/** Items that are asked for at first, and with every click on the button below them. */
const page = 100;

/** Items as rows, versions as columns, and in each cell how many of the rollouts passed; what went back and forth comes first. */
export function createItems(
  app: HTMLElement,
  { ask, showEvidence }: ServiceViewHost<(typeof versions)["versions.items"]["params"]>,
): ServiceViewDrawing<Items> {
  let limit = page;
  const again = (): void => ask({ limit });
  const said = element("p", "quiet", "Reading…");
  const content = element("div", "content");
  const top = element("div", "top");
  top.append(element("h1", "", "Items"), said);
  app.append(top, content);
  again();

  const cellOf = (item: string, version: string, counts: Counts | null, isVoid: boolean): Cell => {
    if (counts === null) return "–";
    const { passes, known, rollouts } = counts;
    const unknown = rollouts - known;
    const open = linkButton(`${passes}/${known}${unknown > 0 ? "?" : ""}`, () =>
      showEvidence({ version, item }),
    );
    open.title = `${passes} of ${counted(known, "rollout")} passed${unknown > 0 ? `, ${unknown} unknown` : ""}${isVoid ? ", which does not count: the version is not valid" : ""}`;
    return { text: open, className: isVoid ? "struck" : shade(counts) };
  };
  return {
    show: ({ versions: names, invalid, older, split, total, items }) => {
      said.textContent =
        total === 0
          ? `${noArchive.cause} ${noArchive.advice}`
          : `Rollouts that passed, of those whose outcome is known; ${split} split. Items that changed most often come first.${older > 0 ? ` ${counted(older, "older version")} ${plural(older, "is", "are")} not shown.` : ""}`;
      const rows = items.map(({ item, changes, cells }) => [
        visibleText(item),
        changes === 0 ? "" : String(changes),
        ...cells.map((counts, i) => cellOf(item, names[i] ?? "", counts, invalid.includes(names[i] ?? ""))),
      ]);
      const more = createButton(
        `Show ${Math.min(page, total - items.length)} more`,
        () => {
          limit += page;
          again();
        },
        "secondary",
      );
      content.replaceChildren(
        ...(total === 0
          ? []
          : [
              tableOf(
                "Items by version",
                ["item", "changes", ...names.map((name) => headOf(name, invalid.includes(name)))],
                rows,
              ),
            ]),
        ...(items.length < total ? [more] : []),
      );
    },
    refuse: (message) => {
      said.textContent = message;
      content.replaceChildren();
    },
    changed: again,
  };
}

/** The name of a version; one that is not valid has the sign of what is not to be trusted. */
function headOf(name: string, isVoid: boolean): Cell {
  if (!isVoid) return visibleText(name);
  const made = element("span");
  made.append(
    signElement(decisionLooks.invalid.mark, `colour-${decisionLooks.invalid.colour}`),
    ` ${visibleText(name)}`,
  );
  made.title = "not valid: what it solved does not count";
  return { text: made };
}

/** Darker the more of the rollouts passed; the numbers say the same. */
function shade({ passes, known }: Counts): string {
  return known === 0 ? "" : `share-${Math.round((4 * passes) / known)}`;
}

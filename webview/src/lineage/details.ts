import type { LineageVersion } from "../../../shared/protocol/lineage.ts";
import { element } from "../shared/dom.ts";
import { decisionTexts, intervalText, labelsText, scoreText } from "./text.ts";

/** Everything known about one version, as words. */
export function detailsOf(version: LineageVersion): HTMLElement {
  const section = element("section", "details");
  section.setAttribute("aria-label", `Details of ${version.name}`);
  section.append(element("h2", "", version.name));
  if (version.title !== "") section.append(element("p", "change", version.title));
  const list = element("dl");
  const entry = (term: string, text: string) => {
    if (text !== "") list.append(element("dt", "", term), element("dd", "", text));
  };
  entry("Decision", decisionTexts[version.decision]);
  entry("Reason", version.reason);
  entry(
    "Score",
    version.score === null ? "none yet" : `${scoreText(version)} ${intervalText(version)}`.trim(),
  );
  entry("Factor", version.factor ?? "");
  entry("Parent", version.parent ?? "");
  entry("Failure labels", labelsText(version));
  entry("Commit", version.commit.slice(0, 12));
  entry("Made", version.at);
  section.append(list);
  return section;
}

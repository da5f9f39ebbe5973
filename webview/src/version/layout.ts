import { flowKinds } from "../../../shared/model/flowKinds.ts";
import { createButton } from "../shared/button.ts";
import { element } from "../shared/dom.ts";
import { choice, option } from "../shared/select.ts";
import { flowTexts } from "./pair.ts";
import { createFold, createSection } from "./parts.ts";

export type PageHandlers = {
  readonly diff: () => void;
  readonly add: () => void;
  readonly lineage: () => void;
  readonly b: (name: string) => void;
  readonly a: (name: string) => void;
  readonly by: (kind: (typeof flowKinds)[number]) => void;
  readonly metric: (name: string) => void;
};

/** A choice that the first, empty line of leaves as it is. */
const chooser = (text: string, change: (value: string) => void) =>
  choice(text, "choice", (value) => value !== "" && change(value));

/** The elements of the page, empty: its head, who is compared with whom, and a section for each part. */
export function createPage(on: PageHandlers) {
  const title = element("h1", "", "Version");
  const tools = element("div", "tools");
  const diff = createButton("Open Changes", on.diff, "primary");
  tools.append(
    diff,
    createButton("Show Beside…", on.add, "secondary"),
    createButton("Show in Lineage", on.lineage, "secondary"),
  );
  const header = element("header", "top");
  header.append(title, tools);
  const message = element("section", "message");
  message.setAttribute("role", "status");

  const chooseB = chooser("Version", on.b);
  const chooseA = chooser("compared with", on.a);
  const pairing = element("div", "chooser");
  pairing.append(chooseB.label, chooseA.label);
  const by = chooser("Items and rollouts", (value) =>
    on.by(flowKinds.find((kind) => kind === value) ?? "outcome"),
  );
  for (const kind of flowKinds) by.select.append(option(kind, flowTexts[kind]));
  const metric = chooser("Add a metric", on.metric);

  const banner = element("section", "banner");
  banner.setAttribute("aria-label", "Answer");
  const pairs = createSection("pairs", "Every pair");
  const overview = createFold("overview", "Everything measured");
  const labels = createSection("labels", "Labels");
  const curves = createSection("curves", "Training curves", metric.label);
  const rewards = createSection("rewards", "Reward, term by term");
  const afterCurves = {
    flips: createSection("flips", "Items that flipped"),
    predictions: createSection("predictions", "Predictions"),
    change: createSection("change", "Changed files"),
    flow: createFold("flow", "Where items and rollouts went", by.label),
    comparison: createFold("comparison", "How they were compared"),
  };
  const sections = [pairs, labels, rewards, curves, ...Object.values(afterCurves), overview];
  const body = element("div", "parts");
  body.append(banner, pairing, ...sections.map(({ node }) => node));
  /** The parts that are about two versions. */
  const pair = { labels, ...afterCurves };
  return {
    nodes: [header, message, body],
    ...{ title, tools, diff, message, body, pairing, chooseA, chooseB, by, metric },
    ...{ banner, pairs, overview, rewards, curves },
    pair,
    /** Takes away what is there of other versions. */
    hideParts: () => {
      for (const part of [rewards, curves, pairs, ...Object.values(pair)]) part.hide();
    },
  };
}

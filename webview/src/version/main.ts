import * as z from "zod";
import { flowKinds } from "../../../shared/model/flowKinds.ts";
import {
  partAnswers,
  ToVersionPanel,
  versionProtocol,
  VersionUiState,
  type FromVersionPanel,
  type PairedComparison,
  type PanelQuestion,
  type Part,
  type PartAnswers,
  type ShownVersion,
} from "../../../shared/protocol/version.ts";
import { element, linkButton } from "../shared/dom.ts";
import { connectHost } from "../shared/host.ts";
import { createButton } from "../shared/button.ts";
import { visibleText } from "../shared/visibleText.ts";
import "../shared/base.css";
import "./version.css";
import { curvesOf } from "./curves.ts";
import { overviewOf, type Known } from "./overview.ts";
import { comparisonOf, flipsOf, flowOf, flowTexts, labelsOf, predictionsOf, type Pair } from "./pair.ts";
import { createSection } from "./parts.ts";

// The strict policy of the page forbids code from texts; without this zod tries once and the console shows it.
z.config({ jitless: true });

type Unsent<T> = T extends unknown ? Omit<T, "protocol"> : never;
type Waiting = {
  readonly key: string;
  readonly take: (value: unknown) => void;
  readonly refuse: (message: string) => void;
};

function start(app: HTMLElement): void {
  const versions = new Map<string, ShownVersion>();
  const diagnosed = new Map<string, PartAnswers["diagnosed"]>();
  const waiting = new Map<number, Waiting>();
  let asked = 0;

  const host = connectHost<FromVersionPanel, VersionUiState>((raw) => {
    const message = ToVersionPanel.safeParse(raw).data;
    if (!message) return;
    switch (message.type) {
      case "show": {
        show({ root: message.root, names: message.names, a: null, b: null });
        return;
      }
      case "changed":
        askAll();
        return;
      case "answer":
      case "refused": {
        const found = waiting.get(message.id);
        waiting.delete(message.id);
        if (message.type === "answer") found?.take(message.value);
        else found?.refuse(message.message);
      }
    }
  });
  let ui: VersionUiState = VersionUiState.safeParse(host.kept).data ?? {
    version: 1,
    root: null,
    names: [],
    a: null,
    b: null,
    by: "outcome",
    metrics: null,
  };
  const post = (message: Unsent<FromVersionPanel>): void =>
    host.post({ protocol: versionProtocol, ...message });

  /** Asks for a part; an answer that a later question of the same kind has overtaken is dropped. */
  function ask<P extends Part>(
    question: Extract<PanelQuestion, { part: P }>,
    part: P,
    take: (value: PartAnswers[P]) => void,
    refuse: (message: string) => void,
  ): void {
    const key = "version" in question ? `${part} ${question.version}` : part;
    for (const [id, other] of waiting) if (other.key === key) waiting.delete(id);
    const id = ++asked;
    waiting.set(id, {
      key,
      refuse,
      take: (value) => {
        const schema: z.ZodType = partAnswers[part];
        const parsed = schema.safeParse(value);
        // The schema is the part's own.
        if (parsed.success) take(parsed.data as PartAnswers[P]);
        else refuse("The answer could not be read; reload the window.");
      },
    });
    post({ type: "ask", id, root: ui.root, question });
  }

  const title = element("h1", "", "Version");
  const tools = element("div", "tools");
  const header = element("header", "top");
  header.append(title, tools);
  const message = element("section", "message");
  message.setAttribute("role", "status");
  const diff = createButton(
    "Open Changes",
    () => pair && post({ type: "diff", root: ui.root, version: pair.b, against: pair.a }),
    "primary",
  );
  const add = createButton(
    "Set Beside…",
    () => post({ type: "add", root: ui.root, names: ui.names }),
    "secondary",
  );
  const lineage = createButton(
    "Show in Lineage",
    () => pair && post({ type: "lineage", name: pair.b }),
    "secondary",
  );
  tools.append(diff, add, lineage);

  const chooseB = selectOf("Version", (b) => show({ b }));
  const chooseA = selectOf("compared with", (a) => show({ a }));
  const chooser = element("div", "chooser");
  chooser.append(chooseB.label, chooseA.label);

  const by = selectOf("Items and rollouts", (value) =>
    show({ by: flowKinds.find((kind) => kind === value) ?? "outcome" }),
  );
  for (const kind of flowKinds) by.select.append(option(kind, flowTexts[kind]));
  const metric = selectOf("Add a metric", (name) => show({ metrics: [...new Set([...shownMetrics, name])] }));
  const parts = {
    overview: createSection("overview", "Versions"),
    comparison: createSection("comparison", "Comparison"),
    labels: createSection("labels", "Label shift"),
    flow: createSection("flow", "Flow", by.label),
    flips: createSection("flips", "Flips"),
    curves: createSection("curves", "Training curves", metric.label),
    predictions: createSection("predictions", "Predictions"),
    change: createSection("change", "Changed files"),
  };
  const body = element("div", "parts");
  body.append(
    parts.overview.node,
    chooser,
    ...[
      parts.comparison,
      parts.labels,
      parts.flow,
      parts.flips,
      parts.curves,
      parts.predictions,
      parts.change,
    ].map(({ node }) => node),
  );
  app.replaceChildren(header, message, body);

  let pair: Pair | undefined;
  let shownMetrics: readonly string[] = [];
  const handlers = {
    evidence: (query: Extract<FromVersionPanel, { type: "evidence" }>["query"]) =>
      post({ type: "evidence", root: ui.root, query }),
    rollout: ({ run, id }: { run: string; id: string }) => post({ type: "rollout", root: ui.root, run, id }),
    rollouts: (a: { run: string; id: string }, b: { run: string; id: string }) =>
      post({ type: "rollouts", root: ui.root, a, b }),
  };

  function show(part: Partial<VersionUiState>): void {
    ui = { ...ui, ...part };
    host.keep(ui);
    askAll();
  }

  /** Names the versions that are there: a single one stands beside its parent. */
  function namesShown(): string[] {
    const [only] = ui.names;
    const parent = ui.names.length === 1 && only !== undefined ? versions.get(only)?.parent : undefined;
    return only !== undefined && parent != null ? [parent, only] : [...ui.names];
  }

  function askAll(): void {
    const isEmpty = ui.names.length === 0;
    message.hidden = !isEmpty;
    body.hidden = tools.hidden = isEmpty;
    if (isEmpty)
      message.replaceChildren(
        element("p", "cause", "No version is chosen."),
        element("p", "", "Choose one, or mark several in the lineage and compare them."),
        createButton("Choose a Version", () => post({ type: "add", root: ui.root, names: [] }), "primary"),
      );
    for (const name of namesShown()) askVersion(name);
    if (isEmpty) return;
    parts.overview.wait();
    draw();
  }

  function askVersion(name: string): void {
    ask(
      { part: "version", version: name },
      "version",
      (version) => {
        const isNew = !versions.has(name);
        versions.set(name, version);
        if (isNew) for (const other of namesShown()) if (!versions.has(other)) askVersion(other);
        if (version.score === null && version.measured === null)
          ask(
            { part: "diagnosed", version: name },
            "diagnosed",
            (found) => {
              diagnosed.set(name, found);
              drawOverview();
            },
            () => undefined,
          );
        draw();
      },
      (said) => parts.overview.refuse(said),
    );
  }

  function drawOverview(): void {
    const known = namesShown().flatMap((name): Known[] => {
      const version = versions.get(name);
      return version === undefined ? [] : [{ version, diagnosed: diagnosed.get(name) }];
    });
    if (known.length === 0) return;
    parts.overview.show(
      overviewOf(known, {
        evidence: (version, label) =>
          handlers.evidence({ version, ...(label === undefined ? {} : { label }) }),
        remove: (name) => show({ names: ui.names.filter((other) => other !== name), a: null, b: null }),
      }),
    );
  }

  /** Draws what is known; the parts about two versions are asked for when these are others. */
  function draw(): void {
    const names = namesShown();
    const isWhole = names.every((name) => versions.has(name));
    drawOverview();
    if (!isWhole) return;
    const b = ui.b !== null && names.includes(ui.b) ? ui.b : names.at(-1);
    const wanted =
      ui.a !== null && names.includes(ui.a) && ui.a !== b ? ui.a : names.find((name) => name !== b);
    title.textContent = visibleText(
      names.length > 2 ? names.join(", ") : wanted === undefined ? (b ?? "") : `${b ?? ""} against ${wanted}`,
    );
    post({ type: "title", names });
    chooser.hidden = names.length < 3;
    for (const [{ select }, value] of [
      [chooseB, b],
      [chooseA, wanted],
    ] as const) {
      select.replaceChildren(...names.map((name) => option(name, visibleText(name))));
      select.value = value ?? "";
    }
    pair = b === undefined || wanted === undefined ? undefined : { a: wanted, b };
    diff.hidden = pair === undefined;
    askCurves(names);
    askPair();
  }

  function askCurves(names: readonly string[]): void {
    const { curves } = parts;
    curves.wait();
    ask(
      { part: "curves", versions: [...names], names: ui.metrics },
      "curves",
      (found) => {
        shownMetrics = found.shown;
        const others = found.names.filter(({ name, steps }) => steps > 1 && !found.shown.includes(name));
        metric.select.replaceChildren(
          option("", "Choose…"),
          ...others.map(({ name }) => option(name, visibleText(name))),
        );
        metric.label.hidden = others.length === 0;
        curves.show(...curvesOf(found, names));
      },
      (said) => {
        metric.label.hidden = true;
        curves.refuse(said);
      },
    );
  }

  function askPair(): void {
    const { comparison, labels, flow, flips, predictions, change } = parts;
    if (!pair) {
      for (const part of [comparison, labels, flow, flips, predictions, change]) part.hide();
      return;
    }
    const { a, b } = pair;
    const now = pair;
    for (const part of [comparison, labels, flow, flips, predictions, change]) part.wait();
    by.select.value = ui.by;
    ask(
      { part: "comparison", a, b },
      "comparison",
      (found: PairedComparison) => {
        comparison.show(...comparisonOf(found));
        flips.show(...flipsOf(found, now, handlers));
      },
      (said) => {
        comparison.refuse(said);
        flips.hide();
      },
    );
    ask(
      { part: "labels", a, b },
      "labels",
      (found) => labels.show(...labelsOf(found, now, handlers)),
      labels.refuse,
    );
    ask(
      { part: "flow", a, b, by: ui.by },
      "flow",
      (found) => flow.show(...flowOf(found, now, handlers)),
      flow.refuse,
    );
    ask(
      { part: "predictions", version: b },
      "predictions",
      (found) => predictions.show(...predictionsOf(found, b)),
      predictions.refuse,
    );
    ask(
      { part: "change", version: b, against: a },
      "change",
      (found) => {
        const list = element("ul", "files");
        for (const { path, change: how } of found.files) {
          const line = element("li");
          const open = linkButton(visibleText(path), () =>
            post({ type: "diff", root: ui.root, version: b, against: a, path }),
          );
          line.append(open, element("span", "quiet", ` ${how}`));
          list.append(line);
        }
        change.show(
          found.files.length === 0 ? element("p", "quiet", "The files of both are the same.") : list,
        );
      },
      change.refuse,
    );
  }

  askAll();
  post({ type: "ready" });
}

function selectOf(
  text: string,
  change: (value: string) => void,
): { label: HTMLElement; select: HTMLSelectElement } {
  const label = element("label", "choice", `${text} `);
  const select = element("select");
  select.addEventListener("change", () => select.value !== "" && change(select.value));
  label.append(select);
  return { label, select };
}

function option(value: string, text: string): HTMLOptionElement {
  const made = element("option", "", text);
  made.value = value;
  return made;
}

const app = document.getElementById("app");
if (app) start(app);

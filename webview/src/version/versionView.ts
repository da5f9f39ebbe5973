import type {
  FromVersionPanel,
  PartAnswers,
  ToVersionPanel,
  VersionUiState,
} from "../../../shared/protocol/views/version.ts";
import { createButton } from "../shared/button.ts";
import { element } from "../shared/dom.ts";
import { option } from "../shared/select.ts";
import type { Host } from "../shared/startView.ts";
import { visibleText } from "../shared/visibleText.ts";
import { changedFilesOf } from "./change.ts";
import { curvesOf } from "./curves.ts";
import { createPage } from "./layout.ts";
import { decidingLabels } from "../../../shared/model/decidingLabels.ts";
import { Answering } from "./answering.ts";
import { decidedAgainst, distrustIn, groupShifts, shownOr } from "./known.ts";
import { KnownVersions } from "./knownVersions.ts";
import { labelsOf } from "./labelTable.ts";
import { overviewOf } from "./overview.ts";
import { asDecided, mostPaired, pairsOf } from "./pairs.ts";
import { comparisonOf, flipsOf, flowOf, predictionsOf, type Pair, type PairHandlers } from "./pair.ts";
import { Questions } from "./questions.ts";
import { rewardsOf } from "./rewards.ts";

/** One version, or several beside each other; each part is asked for by itself and shown as soon as it is there. */
export class VersionView {
  readonly #host: Host<FromVersionPanel, VersionUiState>;
  readonly #questions: Questions;
  readonly #known: KnownVersions;
  #people: PartAnswers["people"] = [];
  readonly #answering: Answering;
  #pairs: PartAnswers["pairs"] = [];
  #pair: Pair | undefined;
  #shownMetrics: readonly string[] = [];
  readonly #page: ReturnType<typeof createPage>;
  readonly #handlers: PairHandlers;

  constructor(app: HTMLElement, host: Host<FromVersionPanel, VersionUiState>) {
    this.#host = host;
    this.#questions = new Questions(host);
    this.#known = new KnownVersions(this.#questions, {
      came: () => {
        this.#known.askMissing(this.#namesShown());
        this.#draw();
      },
      diagnosed: () => {
        this.#drawOverview();
        this.#drawLabels();
      },
    });
    const root = (): string | null => host.ui.root;
    this.#handlers = {
      evidence: (query) => host.post({ type: "evidence", root: root(), query }),
      rollout: (rollout) => host.post({ type: "rollout", root: root(), ...rollout }),
      rollouts: (a, b) => host.post({ type: "rollouts", root: root(), a, b }),
    };
    this.#page = createPage({
      diff: () => this.#openDiff(this.#pair),
      add: () => host.post({ type: "add", root: root(), names: host.ui.names }),
      lineage: () => this.#pair && host.post({ type: "lineage", root: root(), name: this.#pair.b }),
      b: (b) => this.#show({ b }),
      a: (a) => this.#show({ a }),
      by: (by) => this.#show({ by }),
      metric: (name) => this.#show({ metrics: [...new Set([...this.#shownMetrics, name])] }),
    });
    this.#answering = new Answering(this.#page.banner, this.#questions, this.#handlers);
    app.replaceChildren(...this.#page.nodes);
    this.#askAll();
  }

  receive(message: ToVersionPanel): void {
    switch (message.type) {
      case "show":
        this.#show({ root: message.root, names: message.names, a: null, b: null });
        return;
      case "changed":
        this.#answering.askAgain();
        this.#askAll();
        return;
      case "answer":
      case "refused":
        this.#questions.receive(message);
    }
  }

  #openDiff(pair: Pair | undefined, path?: string): void {
    if (pair)
      this.#host.post({
        type: "diff",
        root: this.#host.ui.root,
        version: pair.b,
        against: pair.a,
        ...(path === undefined ? {} : { path }),
      });
  }

  #show(part: Partial<VersionUiState>): void {
    // What is there of other versions would be read as that of these.
    const { ui } = this.#host;
    const isOfOther = part.root !== undefined && part.root !== ui.root;
    if (isOfOther || (part.names && part.names.join("\n") !== ui.names.join("\n"))) this.#forget(isOfOther);
    this.#host.keep({ ...this.#host.ui, ...part });
    this.#askAll();
  }

  /** Lets go of what is of other versions, and of what is known of all of another project. */
  #forget(isOfOther: boolean): void {
    this.#page.hideParts();
    this.#questions.forget();
    this.#answering.forget();
    this.#pair = undefined;
    [this.#pairs, this.#shownMetrics] = [[], []];
    if (!isOfOther) {
      this.#known.stopAsking();
      return;
    }
    this.#known.forget();
    this.#people = [];
    this.#page.banner.replaceChildren();
    this.#page.overview.show();
  }

  /** Names the versions that are there: a single one stands beside its parent. */
  #namesShown(): string[] {
    const { names } = this.#host.ui;
    const [only] = names;
    const parent = names.length === 1 && only !== undefined ? this.#known.version(only)?.parent : undefined;
    return only !== undefined && parent != null ? [parent, only] : [...names];
  }

  #askAll(): void {
    const { message, body, tools, overview } = this.#page;
    const { names, root } = this.#host.ui;
    const isEmpty = names.length === 0;
    message.hidden = !isEmpty;
    body.hidden = tools.hidden = isEmpty;
    if (isEmpty) {
      const choose = (): void => this.#host.post({ type: "add", root, names: [] });
      message.replaceChildren(
        element("p", "cause", "No version is chosen."),
        element("p", "", "Choose one, or mark several in the lineage and compare them."),
        createButton("Choose a Version", choose, "primary"),
      );
      return;
    }
    for (const name of this.#namesShown()) this.#known.ask(name);
    this.#askPeople();
    overview.wait();
    this.#draw();
  }

  #askPeople(): void {
    this.#questions.ask(
      { part: "people" },
      "people",
      (people) => {
        const isNothing = this.#people.length === 0 && people.length === 0;
        this.#people = people;
        if (isNothing) return;
        this.#drawOverview();
        this.#drawLabels();
      },
      () => undefined,
    );
  }

  #drawLabels(): void {
    const pair = this.#pair;
    const found = this.#answering.shiftsOf(pair);
    if (found === undefined || pair === undefined) return;
    const [a, b] = [this.#known.of(pair.a), this.#known.of(pair.b)];
    const deciding = b === undefined ? [] : decidingLabels(b.version);
    const isTrusted = [a, b].every((known) => known === undefined || distrustIn(known) === undefined);
    const shown = { people: this.#people, groups: groupShifts(a, b), deciding, isTrusted };
    this.#page.pair.labels.show(...labelsOf(found, pair, shown, this.#handlers));
  }

  /** The answer above everything; of several versions no two are chosen silently, so that their pairs are the answer. */
  #drawBanner(): void {
    const { banner } = this.#page;
    const pair = this.#pair;
    const last = this.#known.of(pair?.b ?? this.#namesShown().at(-1) ?? "");
    banner.hidden = last === undefined || (this.#namesShown().length > 2 && pair === undefined);
    if (last === undefined || banner.hidden) return;
    const against = pair === undefined ? undefined : this.#known.of(pair.a);
    this.#answering.draw(last, against, pair);
  }

  #drawPairs(): void {
    const { pairs } = this.#page;
    const names = this.#namesShown();
    if (names.length < 3) {
      pairs.hide();
      return;
    }
    pairs.show(
      ...pairsOf(
        this.#pairs.map((one) => asDecided(one, this.#known.version(one.b))),
        {
          chosen: this.#pair,
          left: names.slice(mostPaired),
          choose: ({ a, b }) => this.#show({ a, b }),
        },
      ),
    );
  }

  #drawOverview(): void {
    this.#drawBanner();
    const known = this.#namesShown().flatMap((name) => this.#known.of(name) ?? []);
    const refused = this.#known.refusals(this.#namesShown());
    if (known.length === 0 && refused.length > 0) this.#page.overview.refuse(refused.join(" "));
    if (known.length === 0) return;
    this.#page.overview.show(
      overviewOf(known, this.#people, {
        evidence: (version, label) =>
          this.#handlers.evidence({ version, ...(label === undefined ? {} : { label }) }),
        remove: (name) => {
          const names = this.#host.ui.names.filter((other) => other !== name);
          this.#show({ names, a: null, b: null });
        },
      }),
      ...refused.map((said) => element("p", "quiet", visibleText(said))),
    );
  }

  /** Draws what is known; the parts about two versions are asked for when these are others. */
  #draw(): void {
    const names = this.#namesShown();
    this.#drawOverview();
    if (!names.every((name) => this.#known.of(name) !== undefined)) return;
    const { ui } = this.#host;
    const chosen = { a: shownOr(ui.a, names), b: shownOr(ui.b, names) };
    // Of several versions a person chooses two; nothing picks the first and the last for them.
    const isOpen = names.length > 2 && (chosen.a === undefined || chosen.b === undefined);
    const b = isOpen ? chosen.b : (chosen.b ?? names.at(-1));
    const a = isOpen
      ? chosen.a
      : chosen.a !== undefined && chosen.a !== b
        ? chosen.a
        : names.find((name) => name !== b);
    this.#pair = a === undefined || b === undefined || a === b ? undefined : { a, b };
    this.#drawHead(names, { a, b });
    this.#askRewards(names);
    this.#askCurves(names);
    this.#askPairs(names);
    this.#drawBanner();
    this.#askPair(this.#pair);
  }

  #askRewards(names: readonly string[]): void {
    const { rewards } = this.#page;
    rewards.wait();
    this.#questions.ask(
      { part: "rewards", versions: [...names] },
      "rewards",
      (found) => rewards.show(...rewardsOf(found)),
      rewards.refuse,
    );
  }

  #askPairs(names: readonly string[]): void {
    this.#drawPairs();
    if (names.length < 3) return;
    this.#page.pairs.wait();
    this.#questions.ask(
      { part: "pairs", versions: names.slice(0, mostPaired) },
      "pairs",
      (found) => {
        this.#pairs = found;
        this.#drawPairs();
      },
      (said) => this.#page.pairs.refuse(said),
    );
  }

  #drawHead(names: string[], { a, b }: { a: string | undefined; b: string | undefined }): void {
    const { title, pairing, chooseA, chooseB, diff } = this.#page;
    title.textContent = visibleText(
      names.length > 2 ? names.join(", ") : a === undefined ? (b ?? "") : `${b ?? ""} against ${a}`,
    );
    this.#host.post({ type: "title", names });
    pairing.hidden = names.length < 3;
    for (const [{ select }, value] of [
      [chooseB, b],
      [chooseA, a],
    ] as const) {
      select.replaceChildren(option("", "Choose…"), ...names.map((name) => option(name, visibleText(name))));
      select.value = value ?? "";
    }
    diff.hidden = this.#pair === undefined;
  }

  #askCurves(names: readonly string[]): void {
    const { curves, metric } = this.#page;
    curves.wait();
    this.#questions.ask(
      { part: "curves", versions: [...names], names: this.#host.ui.metrics },
      "curves",
      (found) => {
        this.#shownMetrics = found.shown;
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

  #askPair(pair: Pair | undefined): void {
    const parts = Object.values(this.#page.pair);
    if (!pair) {
      for (const part of parts) part.hide();
      return;
    }
    for (const part of parts) part.wait();
    const { comparison, labels, flow, flips, predictions } = this.#page.pair;
    const { a, b } = pair;
    const { by } = this.#host.ui;
    this.#page.by.select.value = by;
    this.#questions.ask(
      { part: "comparison", a, b },
      "comparison",
      (found) => {
        this.#answering.compared(found, pair);
        this.#drawBanner();
        comparison.show(...comparisonOf(found, decidedAgainst(this.#known.version(b), a)));
        flips.show(...flipsOf(found, pair, this.#handlers));
      },
      (said) => {
        this.#answering.compared(said, pair);
        this.#drawBanner();
        comparison.refuse(said);
        flips.hide();
      },
    );
    this.#questions.ask(
      { part: "labels", a, b },
      "labels",
      (found) => {
        this.#answering.shifted(found, pair);
        this.#drawBanner();
        this.#drawLabels();
      },
      (said) => {
        this.#answering.shifted(said, pair);
        this.#drawBanner();
        labels.refuse(said);
      },
    );
    this.#questions.ask(
      { part: "flow", a, b, by },
      "flow",
      (found) => flow.show(...flowOf(found, pair, this.#handlers)),
      flow.refuse,
    );
    this.#questions.ask(
      { part: "predictions", version: b },
      "predictions",
      (found) => predictions.show(...predictionsOf(found, pair)),
      predictions.refuse,
    );
    this.#askChange(pair);
  }

  #askChange(pair: Pair): void {
    const { change } = this.#page.pair;
    this.#questions.ask(
      { part: "change", version: pair.b, against: pair.a },
      "change",
      ({ files }) => change.show(changedFilesOf(files, (path) => this.#openDiff(pair, path))),
      change.refuse,
    );
  }
}

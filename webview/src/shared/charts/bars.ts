import { alertLooks } from "../../../../shared/words/decisions.ts";
import { element } from "../dom.ts";
import { placeOn, ticksOf, type Axis, type BarPart } from "./axis.ts";
import "./charts.css";

/** A bar of parts: what it is called, what it comes to in words, and a link or words behind it. */
export type Bar = {
  readonly name: string | Node;
  readonly parts: readonly BarPart[];
  readonly says: string;
  /** A bar that is not to be trusted or does not fit what it stands for, in a few words. */
  readonly flag?: string | undefined;
};

/** Fillings told apart by their hatching as well as by their colour; more parts begin again. */
const fillings = 6;

/**
 * Bars below each other on one axis, each stacked of its parts in their order, away from zero to both sides. A part looks the
 * same in every bar: by the place of its name in `names`.
 */
export function barsOf(bars: readonly Bar[], axis: Axis, names: readonly string[]): HTMLElement {
  const chart = element("div", "bars");
  for (const bar of bars) {
    const line = element("div", "bar-line");
    const name = element("span", "bar-name");
    name.append(bar.name);
    const rail = element("span", "bar-rail");
    rail.setAttribute("role", "img");
    rail.setAttribute(
      "aria-label",
      `${bar.says}${bar.parts.length > 1 ? `: ${bar.parts.map((p) => `${p.name} ${axis.say(p.value)}`).join(", ")}` : ""}`,
    );
    let [left, right] = [0, 0];
    for (const { name: part, value } of bar.parts) {
      if (value === 0) continue;
      const from = value < 0 ? (left += value) : right;
      if (value > 0) right += value;
      rail.append(segmentOf(part, value, { axis, from, filling: names.indexOf(part) }));
    }
    const zero = element("span", "bar-zero");
    zero.style.setProperty("--at", `${placeOn(axis, 0)}%`);
    rail.append(zero);
    const says = element("span", "bar-says", bar.says);
    if (bar.flag !== undefined) says.append(flagOf(bar.flag));
    line.append(name, rail, says);
    chart.append(line);
  }
  const foot = element("div", "bar-line foot");
  const under = element("span", "bar-rail under");
  under.append(ticksOf(axis));
  foot.append(element("span", "bar-name"), under, element("span", "bar-says"));
  chart.append(foot);
  return chart;
}

function segmentOf(
  part: string,
  value: number,
  at: { readonly axis: Axis; readonly from: number; readonly filling: number },
): HTMLElement {
  const segment = element("span", `bar-part filling-${Math.max(0, at.filling) % fillings}`);
  const start = placeOn(at.axis, at.from);
  segment.style.setProperty("--at", `${start}%`);
  segment.style.setProperty("--wide", `${placeOn(at.axis, at.from + Math.abs(value)) - start}%`);
  segment.title = `${part} ${at.axis.say(value)}`;
  return segment;
}

/** What does not fit, with the mark of a warning. */
export function flagOf(text: string): HTMLElement {
  const flag = element("span", "flag");
  const sign = element("span", "sign", `${alertLooks.warning.mark} `);
  sign.setAttribute("aria-hidden", "true");
  flag.append(sign, text);
  return flag;
}

/** Which filling is which part. */
export function legendOf(names: readonly string[]): HTMLElement {
  const legend = element("p", "bar-legend");
  for (const [place, name] of names.entries()) {
    const entry = element("span", "bar-entry");
    const swatch = element("span", `bar-swatch filling-${place % fillings}`);
    swatch.setAttribute("aria-hidden", "true");
    entry.append(swatch, ` ${name}`);
    legend.append(entry);
  }
  return legend;
}

import { metricNames, metricSeries } from "../../evidence/queries/metricSeries.ts";
import { defineService } from "../workspace/service.ts";

/** More metrics than anybody looks at beside each other. */
const mostCharts = 4;
/** What is looked at first, in this order, where a trainer writes it. */
const telling = [/reward/i, /score|accuracy|pass|solve/i, /\bkl\b|_kl|kl_/i, /entropy/i, /loss/i, /length/i];

/** The training curves of versions, downsampled to at most `points` each: those asked for, or the most telling ones. */
export const metricsSeries = defineService("metrics.series", {
  repeatable: true,
  async run({ store }, { versions, names: asked, points }) {
    const names = await metricNames(store, versions);
    const shown = asked ?? tellingOf(names.filter(({ steps }) => steps > 1).map(({ name }) => name));
    return { names, shown, series: await metricSeries(store, { versions, names: shown, points }) };
  },
});

function tellingOf(names: readonly string[]): string[] {
  const first = telling.flatMap((word) => names.filter((name) => word.test(name)).slice(0, 1));
  return [...new Set([...first, ...names])].slice(0, mostCharts);
}

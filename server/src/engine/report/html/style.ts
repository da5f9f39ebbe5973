/** The style of the report: dark or light as the reader's system is, and readable when printed. */
export const style = `
:root { color-scheme: light dark; --ink: #1c2024; --quiet: #5a626b; --paper: #ffffff; --panel: #f4f6f8; --line: #d5dae0;
  --keep: #1a7f37; --reject: #b42318; --invalid: #9a5b00; --other: #0b61c4; --bar: #8fb8ea; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --quiet: #a3acb5; --paper: #14171a; --panel: #1d2125;
  --line: #3a4149; --keep: #5fcb7b; --reject: #ff8f84; --invalid: #e5b25d; --other: #7db7ff; --bar: #3d638f; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.2rem; margin: 2.25rem 0 .5rem; }
h3 { font-size: 1rem; margin: 0; } h4 { font-size: .9rem; margin: .9rem 0 .2rem; color: var(--quiet); font-weight: 600; }
p { margin: .35rem 0; } ul { margin: .35rem 0; padding-left: 1.25rem; }
a { color: var(--other); } .quiet { color: var(--quiet); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(10.5rem, 1fr)); gap: .5rem; margin: 1rem 0; padding: 0; }
.facts div { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .5rem .7rem; }
.facts dt { color: var(--quiet); font-size: .8rem; } .facts dd { margin: 0; font-size: 1.05rem; font-variant-numeric: tabular-nums; }
.warnings { border-left: 4px solid var(--invalid); background: var(--panel); padding: .5rem .9rem; border-radius: 0 6px 6px 0; }
.warnings h2 { margin-top: 0; }
.wide { overflow-x: auto; } .wide td:last-child { min-width: 11rem; } .wide td.number:last-child { min-width: 0; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--quiet); font-weight: 600; } td.number, th.number { text-align: right; white-space: nowrap; }
td.name { white-space: nowrap; } code { font: .85em ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
article { border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem; margin: .8rem 0; }
article > header { display: flex; flex-wrap: wrap; gap: .2rem .8rem; align-items: baseline; }
.decision { font-weight: 600; } .reason { margin: .4rem 0; }
.keep, .base { color: var(--keep); } .reject, .prune { color: var(--reject); } .invalid { color: var(--invalid); }
.edit, .merge, .revert, .pending { color: var(--other); }
svg { display: block; max-width: 100%; height: auto; } svg text { fill: var(--ink); font-size: 13px; }
svg .quiet { fill: var(--quiet); } svg .edge { stroke: var(--quiet); stroke-width: 1.5; fill: none; }
svg .rule { stroke: var(--line); } svg .bar { stroke: var(--bar); stroke-width: 7; } svg .point { fill: var(--ink); }
svg .mark { font-size: 15px; text-anchor: middle; } svg .halo { fill: var(--paper); }
svg .keep, svg .base { fill: var(--keep); } svg .reject, svg .prune { fill: var(--reject); } svg .invalid { fill: var(--invalid); }
svg .edit, svg .merge, svg .revert, svg .pending { fill: var(--other); }
@media (max-width: 36rem) { body { font-size: 14px; padding: 1rem .75rem 3rem; } article { padding: .7rem .75rem; } }
@media print { :root { --ink: #000; --quiet: #444; --paper: #fff; --panel: #fff; --line: #bbb; --bar: #bbb; }
  body { max-width: none; padding: 0; font-size: 10pt; } article { break-inside: avoid; } h2, h3 { break-after: avoid; }
  .wide { overflow: visible; } a { color: inherit; text-decoration: none; } }
`;

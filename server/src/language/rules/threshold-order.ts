import { z } from "zod";
import type { DiagnosticSpec, ParamValues } from "../../../../shared/spec/diagnostic.ts";
import { inDomain, shippedDiagnostics } from "../../project/library.ts";
import { diagnosticIn, projectIn } from "../syntax/typedSpec.ts";
import { defineRule, type Finding } from "../rule/rule.ts";
import { locate, spanFor, type ParsedSpec, type Path } from "../syntax/parseSpec.ts";

const Keys = z.array(z.union([z.string(), z.number()]));
/** Where the two thresholds are written down; swapping is offered when both are. */
const Data = z.object({ above: Keys, critical: Keys });
type Data = z.infer<typeof Data>;

type Alert = NonNullable<DiagnosticSpec["alert"]>;

export const thresholdOrder = defineRule<Data>({
  meta: {
    id: "threshold-order",
    severity: "error",
    kinds: ["diagnostic", "project"],
    docs: "An alert becomes critical above its first threshold, not below it. Its first threshold can be exceeded: a rate is never above 1.",
    example: {
      wrong: `alert: { above: 0.25, critical: 0.1 }`,
      right: `alert: { above: 0.1, critical: 0.25 }`,
    },
  },
  data: Data,
  *check({ spec }) {
    if (spec.kind === "diagnostic") {
      const diagnostic = diagnosticIn(spec);
      if (!diagnostic?.alert) return;
      yield* misordered(spec, diagnostic.alert, ["alert"], Object.keys(diagnostic.alert));
      for (const [domain, given] of Object.entries(diagnostic.domainParams))
        yield* replaced(spec, diagnostic, ["domainParams", domain], given);
      return;
    }
    const library = projectIn(spec)?.library;
    if (!library) return;
    const places: readonly (readonly [Path, Readonly<Record<string, ParamValues>>])[] = [
      [["library", "params"], library.params],
      ...Object.entries(library.domains).map(
        ([domain, values]) => [["library", "domains", domain], values] as const,
      ),
    ];
    for (const [path, values] of places)
      for (const [name, given] of Object.entries(values)) {
        const shipped = shippedDiagnostics().find((s) => s.spec.name === name)?.spec;
        if (shipped) yield* replaced(spec, shipped, [...path, name], given);
      }
  },
  fix({ spec }, { above, critical }) {
    const [first, second] = [locate(spec, above).value, locate(spec, critical).value];
    if (!first || !second) return [];
    const textOf = ({ start, end }: typeof first) => spec.text.slice(start, end);
    return [
      {
        title: "Swap the thresholds",
        edits: [
          { span: first, text: textOf(second) },
          { span: second, text: textOf(first) },
        ],
      },
    ];
  },
});

function* replaced(
  spec: ParsedSpec,
  of: DiagnosticSpec,
  path: Path,
  given: ParamValues,
): Iterable<Finding<Data>> {
  const { alert } = inDomain({ ...of, domainParams: {} }, "", [given]);
  if (alert) yield* misordered(spec, alert, path, Object.keys(given));
}

function* misordered(
  spec: ParsedSpec,
  { above, critical }: Alert,
  path: Path,
  written: readonly string[],
): Iterable<Finding<Data>> {
  const data = { above: [...path, "above"], critical: [...path, "critical"] };
  if (written.includes("above") && above >= 1)
    yield {
      span: spanFor(spec, data.above),
      message: "A rate is never above 1, so that this alert is never raised.",
      data,
    };
  else if (
    critical !== undefined &&
    critical < above &&
    (written.includes("above") || written.includes("critical"))
  )
    yield {
      span: spanFor(spec, written.includes("critical") ? data.critical : data.above),
      message: `This alert is critical above ${critical}, which is below ${above}, where it is first raised.`,
      data,
    };
}

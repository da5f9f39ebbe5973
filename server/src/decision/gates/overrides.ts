import { gateNames, type GatesSpec } from "../../../../shared/spec/gates.ts";

/** What the command line says about the gates of one run. */
export interface GateOverrides {
  readonly autonomy?: "full" | "human_gated" | undefined;
  /** Who approved the gates of this run in advance; null where nobody did. */
  readonly approvedBy: string | null;
}

/**
 * The gates of a run. The promotion never becomes easier by an option: it opens the audit split, which cannot be sealed
 * again, so that it goes by what is committed.
 */
export function withOverride(gates: GatesSpec, autonomy: GateOverrides["autonomy"]): GatesSpec {
  if (autonomy === undefined) return gates;
  const { diagnosis: _diagnosis, design: _design, backtest: _backtest, completion, ...rest } = gates;
  if (autonomy === "human_gated") return { ...gates, autonomy, design: "human", completion: "human" };
  const committed = completion ?? (gates.autonomy === "human_gated" ? "human" : undefined);
  return { ...rest, autonomy, ...(committed === undefined ? {} : { completion: committed }) };
}

/** What the command line overrides, one sentence each; empty where it changes nothing. */
export function overrideTexts(gates: GatesSpec, { autonomy, approvedBy }: GateOverrides): string[] {
  const texts: string[] = [];
  if (autonomy === "full" && JSON.stringify(withOverride(gates, autonomy)) !== JSON.stringify(gates))
    texts.push(
      `--autonomy full overrides ${settingsText(gates)} in evotrainer.yaml for this run: the rule answers every gate except the promotion, which goes by what is committed.`,
    );
  if (
    autonomy === "human_gated" &&
    (gates.autonomy === "full" || gates.design !== undefined || gates.completion !== undefined)
  )
    texts.push(
      `--autonomy human_gated overrides ${settingsText(gates)} in evotrainer.yaml for this run: a person answers design and completion.`,
    );
  if (approvedBy !== null)
    texts.push(
      `--approve approves the gates of this run in advance, including the promotion. After ${failures(gates.escalateAfterFailures)} it still waits for a person.`,
    );
  return texts;
}

const failures = (n: number): string => (n === 1 ? "a failure" : `${n} failures in a row`);

function settingsText(gates: GatesSpec): string {
  const named = gateNames.flatMap((gate) => (gates[gate] === undefined ? [] : [`${gate}: ${gates[gate]}`]));
  return `\`gates: { ${[`autonomy: ${gates.autonomy}`, ...named].join(", ")} }\``;
}

const texts: Readonly<Record<string, string>> = {
  hit: "✓ came true",
  within_noise: "≈ within the noise",
  opposite: "✗ the opposite",
  not_measured: "? not measured",
};

/** A risk that came true is no success of anybody, and its opposite no failure. */
const riskTexts: typeof texts = {
  hit: "△ came true",
  opposite: "↓ the opposite: rarer",
};

/** What came of a label that was predicted to change, in words with a sign. */
export const foreseenText = (result: string, kind: "fix" | "risk"): string =>
  (kind === "risk" ? riskTexts[result] : undefined) ?? texts[result] ?? result;

type Checked = {
  readonly version: string;
  readonly parent: string;
  readonly fixes: readonly { readonly label: string }[];
  readonly risks: readonly { readonly label: string }[];
  readonly unforeseenFixes: readonly string[];
  readonly unforeseenRisks: readonly string[];
};

/** What happened to labels that nothing was said of: one that was to fall and rose is told where it was to fall. */
export function unforeseenOf({ fixes, risks, unforeseenFixes, unforeseenRisks }: Checked): {
  readonly fixes: readonly string[];
  readonly risks: readonly string[];
} {
  const said = new Set([...fixes, ...risks].map(({ label }) => label));
  const others = (labels: readonly string[]) => labels.filter((label) => !said.has(label));
  return { fixes: others(unforeseenFixes), risks: others(unforeseenRisks) };
}

/** Why the predictions of a version were not measured: names only what is to blame. */
export function unmeasuredText({
  version,
  parent,
  lacking = [version, parent],
  notValid = [],
}: {
  readonly version: string;
  readonly parent: string;
  readonly lacking?: readonly string[] | undefined;
  readonly notValid?: readonly string[] | undefined;
}): string {
  if (notValid.length > 0)
    return `${notValid.join(" and ")} ${notValid.length === 1 ? "is" : "are"} not valid`;
  return `there are no rollouts of ${lacking.join(" or of ")}`;
}

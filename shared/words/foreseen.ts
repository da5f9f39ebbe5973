const texts: Readonly<Record<string, string>> = {
  hit: "✓ came true",
  within_noise: "≈ within the noise",
  opposite: "✗ the opposite",
  not_measured: "? not measured",
};

/** What came of a label that was predicted to change, in words with a sign. */
export const foreseenText = (result: string): string => texts[result] ?? result;

/** Texts of `extra` are cut here: it explains a rollout, it does not repeat it. */
const maxTextChars = 4000;
const maxValueChars = 32_000;

/** A value of a foreign record as it may stand in `extra`: long texts cut, and all of it cut when it is still large. */
function clipped(value: unknown): unknown {
  const short = shortened(value);
  const text = JSON.stringify(short) as string | undefined;
  return text === undefined || text.length <= maxValueChars ? short : clippedText(text);
}

function shortened(value: unknown): unknown {
  if (typeof value === "string") return clippedText(value);
  if (Array.isArray(value)) return value.map(shortened);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]));
}

function clippedText(text: string, chars = maxTextChars): string {
  return text.length <= chars ? text : `${text.slice(0, chars)}… (${text.length} characters)`;
}

/** The entries that have a value, each clipped. */
export function extraOf(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => !isEmpty(value))
      .map(([name, value]) => [name, clipped(value)]),
  );
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

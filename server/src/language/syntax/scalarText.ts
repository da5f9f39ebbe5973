import { stringify } from "yaml";
import type { Scalar } from "../../../../shared/spec/common.ts";

/**
 * A value as it may take the place of a written one: quoted as that one was, which a JSON file needs, and wherever it could
 * end a list or a mapping in braces.
 */
export function scalarText(value: Scalar, written: string): string {
  if (typeof value !== "string") return stringify(value).trimEnd();
  if (written.startsWith("'") && !/[\n\r]/.test(value)) return `'${value.replaceAll("'", "''")}'`;
  const plain = stringify(value, { lineWidth: 0 }).trimEnd();
  const needsQuotes = written.startsWith('"') || plain.includes("\n") || /[,[\]{}]/.test(plain);
  return needsQuotes && !/^["']/.test(plain) ? JSON.stringify(value) : plain;
}

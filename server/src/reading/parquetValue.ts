import type * as DuckDb from "@duckdb/node-api";
import type { DuckDBMapType, DuckDBMapValue, DuckDBValueConverter, JS } from "@duckdb/node-api";

/**
 * Turns values of the database into what JSON has, save NaN and infinities, bytes, and integers that a number would
 * round: dates and times become ISO 8601, maps objects.
 */
export function plainValues(duckdb: typeof DuckDb): DuckDBValueConverter<JS> {
  const ids = duckdb.DuckDBTypeId;
  const written = new Set([ids.TIME, ids.TIME_NS, ids.TIME_TZ, ids.INTERVAL]);
  return (value, type, convert) => {
    if (value === null) return null;
    if (written.has(type.typeId)) return String(value);
    if (value instanceof duckdb.DuckDBMapValue && type instanceof duckdb.DuckDBMapType)
      return mapOf(value, type, convert);
    const plain = duckdb.JSDuckDBValueConverter(value, type, convert);
    if (typeof plain === "bigint") return Number.isSafeInteger(Number(plain)) ? Number(plain) : plain;
    if (!(plain instanceof Date)) return plain;
    // Beyond the years that a Date can hold, the database's own text.
    return Number.isNaN(plain.getTime()) ? String(value) : plain.toISOString();
  };
}

function mapOf(map: DuckDBMapValue, type: DuckDBMapType, convert: DuckDBValueConverter<JS>): JS {
  return Object.fromEntries(
    map.entries.map(({ key, value }) => [
      typeof key === "string" ? key : JSON.stringify(convert(key, type.keyType, convert), bigints),
      convert(value, type.valueType, convert),
    ]),
  );
}

const bigints = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);

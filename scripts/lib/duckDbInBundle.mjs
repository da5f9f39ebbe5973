// What the bundle of the engine gets in place of `bundledDuckDb` (see server/src/base/loadDuckDb.ts).
export const bundledDuckDb = () => require("@duckdb/node-api");

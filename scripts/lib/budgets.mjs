/**
 * What packages may weigh at most, in megabytes: the native library is most of an extension. More means that something came in that
 * does not belong there.
 */
export const extensionBudgets = {
  "linux-x64": 30,
  "linux-arm64": 27,
  "darwin-x64": 42,
  "darwin-arm64": 42,
  "win32-x64": 20,
};

/** Of the npm package. DuckDB's native library is a package of its own, which npm chooses by platform. */
export const npmBudget = 4;

// Loaded before a program of Node on another system: from then on it takes the ways that it would take on Windows. DuckDB's native
// library is loaded before, because there is one for this system only. Named pipes become sockets of the same names.
require("@duckdb/node-bindings");
Object.defineProperty(process, "platform", { value: "win32" });

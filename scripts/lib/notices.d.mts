import type { Shipped } from "./shipped.mjs";

export function noticesOf(packages: readonly Shipped[]): string;

import type { Shipped } from "./shipped.mjs";

export interface Sbom {
  readonly serialNumber: string;
  readonly components: readonly { readonly name: string; readonly scope: string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}
export function sbomOf(
  all: unknown,
  packages: readonly Shipped[],
  made: { readonly name: string; readonly seconds: number },
): Sbom;

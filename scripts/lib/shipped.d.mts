export interface Shipped {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly folder: string | undefined;
}
export function shippedPackages(metas: unknown): Shipped[];
export function builtMetas(): unknown;

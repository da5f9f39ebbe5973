export function repositoryAddress(
  manifest: { readonly repository?: string | { readonly url: string } },
  env?: Readonly<Record<string, string | undefined>>,
): string | undefined;
export function addressFields(address: string | undefined): {
  readonly repository?: { readonly type: "git"; readonly url: string };
  readonly bugs?: { readonly url: string };
  readonly homepage?: string;
};
export function linkOptions(address: string | undefined, version: string): string[];

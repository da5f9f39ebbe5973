export function releaseProblems(release: object): string[];
export function uploadCommands(release: {
  readonly extensions: readonly { readonly file: string }[];
  readonly npmFile: string;
  readonly preRelease: boolean;
}): string[];

export function vsixFacts(file: string): Promise<{
  readonly target: string | undefined;
  readonly preRelease: boolean;
  readonly manifest: unknown;
  readonly files: readonly string[];
  readonly times: readonly number[];
}>;

export function registerVersions(_: unknown): { dispose: () => void } {
  return { dispose: () => undefined };
}

import type { runCommandLine } from "./commands/commandLine.ts";

/** The two programs of the one bundle; each is loaded when its own file in dist/ asks for it. */
export const server = (): Promise<unknown> => import("./main.ts");
export const cli = (): Promise<unknown> => import("./cli.ts");

/** The command line for those who run several verbs in one process. */
export const commandLine = async (): Promise<{ readonly runCommandLine: typeof runCommandLine }> =>
  import("./commands/commandLine.ts");

/** What nearly every verb loads beside its own: the build keeps it compiled (scripts/lib/engineCode.mjs). */
export const database = async (): Promise<unknown> => (await import("./base/loadDuckDb.ts")).loadDuckDb();

/** The library of diagnostics as the build keeps it, so that a start need not read it again (scripts/lib/engineCode.mjs). */
export const library = async (): Promise<string> => (await import("./project/library.ts")).readLibrary();

/** The patterns in the conditions of the library, once RE2 has taken each; kept for the same reason. */
export const libraryPatterns = async (): Promise<string> => {
  const [{ shippedDiagnostics }, { usableOf }, { takenPatterns }] = await Promise.all([
    import("./project/library.ts"),
    import("./engine/project/usableDiagnostics.ts"),
    import("./expression/regex.ts"),
  ]);
  const inAnyDomain = shippedDiagnostics().map(({ spec }) => ({ ...spec, domains: undefined }));
  const { problems } = usableOf(inAnyDomain, "");
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return JSON.stringify(takenPatterns());
};

/** The two programs of the one bundle; each is loaded when its own file in dist/ asks for it. */
export const server = async (): Promise<void> => void (await import("./main.ts"));
export const cli = async (): Promise<void> => void (await import("./cli.ts"));

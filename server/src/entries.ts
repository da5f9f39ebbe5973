/** The two programs of the one bundle; each is loaded when its own file in dist/ asks for it. */
export const server = (): Promise<unknown> => import("./main.ts");
export const cli = (): Promise<unknown> => import("./cli.ts");

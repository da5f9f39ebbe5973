import * as z from "zod";

/** The splits that a request can name: the audit split is sealed. */
export const OpenSplit = z.enum(["train", "selection"]);
export type OpenSplit = z.infer<typeof OpenSplit>;

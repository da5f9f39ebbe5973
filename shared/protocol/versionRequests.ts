import * as z from "zod";
import { noteKinds } from "../model/noteKinds.ts";
import { service, type EngineReply } from "./services/service.ts";
import { ShownVersion, VersionChange } from "./views/version.ts";

/** What the editor asks of a version that needs git and no archive. The same helper as for services; none of these is one. */
const all = {
  report: service({
    says: "Everything that the lineage says about one version.",
    editor: true,
    params: () => z.object({ version: z.string() }),
    result: () => ShownVersion,
  }),
  change: service({
    says: "The files in which a version differs from another, by default from its parent.",
    editor: true,
    params: () => z.object({ version: z.string(), against: z.string().exactOptional() }),
    result: () => VersionChange,
  }),
  file: service({
    says: "The text of a file at a commit.",
    editor: true,
    params: () => z.object({ commit: z.string(), path: z.string() }),
    result: () => z.object({ text: z.string() }),
  }),
  note: service({
    says: "Writes a note, a tag, a name or a hint for proposers into the ledger.",
    editor: true,
    params: () => z.object({ version: z.string(), what: z.enum(noteKinds), value: z.string() }),
    result: () => z.object({}),
  }),
};
type All = typeof all;
export type VersionRequest = keyof All;
export type VersionResult<N extends VersionRequest> = z.output<All[N]["result"]>;

/** One question, with the name of what it asks for. */
export type VersionAsk<N extends VersionRequest> = { readonly ask: N } & Readonly<z.input<All[N]["params"]>>;

export const versionRequests: {
  readonly [N in VersionRequest]: Pick<All[N], "says" | "params" | "result"> & {
    readonly reply: z.ZodType<EngineReply<VersionResult<N>>>;
  };
} = all;

export const VersionQuestion = z.discriminatedUnion("ask", [
  all.report.params.extend({ ask: z.literal("report") }),
  all.change.params.extend({ ask: z.literal("change") }),
  all.file.params.extend({ ask: z.literal("file") }),
  all.note.params.extend({ ask: z.literal("note") }),
]);
export type VersionQuestion = z.infer<typeof VersionQuestion>;

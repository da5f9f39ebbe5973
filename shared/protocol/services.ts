import type * as z from "zod";
import { archive } from "./services/archive.ts";
import { backtest } from "./services/backtest.ts";
import { diagnostics } from "./services/diagnostics.ts";
import { evidence } from "./services/evidence.ts";
import { evolution } from "./services/evolution.ts";
import { hosts } from "./services/hosts.ts";
import { jobs } from "./services/jobs.ts";
import { proposals } from "./services/proposals.ts";
import { rollouts } from "./services/rollouts.ts";
import type { EngineReply, Frozen, Service } from "./services/service.ts";
import { versions } from "./services/versions.ts";

/**
 * Every request that the engine of a project answers, whoever asks: the command line, the language server, the editor, its
 * views or an assistant. Both sides take the types of a request from its name. To add one: an entry in the file of its
 * group, the file that does the work, and its line in the table of services; then `npm run protocol`.
 */
const all = {
  ...archive,
  ...backtest,
  ...diagnostics,
  ...evidence,
  ...evolution,
  ...hosts,
  ...jobs,
  ...proposals,
  ...rollouts,
  ...versions,
};
type All = typeof all;

export type ServiceName = keyof All;

/** Services that the editor may ask for. */
export type EditorService = {
  [N in ServiceName]: All[N] extends { readonly editor: true } ? N : never;
}[ServiceName];

/** What a caller passes to a service, and what it gets as a fresh value that it may change. */
export type ServiceParams<N extends ServiceName> = z.input<All[N]["params"]>;
export type ServiceResult<N extends ServiceName> = z.output<All[N]["result"]>;

/** The types of one service: what a caller passes, what the work is given, what it answers, and a part of that. */
export interface ServiceTypes {
  readonly params: unknown;
  readonly given: unknown;
  readonly result: unknown;
  readonly part: unknown;
}

/** The types of a group of services by name. */
export type TypesOf<C extends Readonly<Record<string, Service>>> = {
  readonly [N in keyof C]: {
    readonly params: z.input<C[N]["params"]>;
    readonly given: z.output<C[N]["params"]>;
    readonly result: Frozen<z.output<C[N]["result"]>>;
    readonly part: Frozen<z.output<C[N]["part"]>>;
  };
};

/** A contract as who works through it by name sees it: each schema with the types that belong to the name. */
export type Contract<T extends Readonly<Record<keyof T, ServiceTypes>>> = {
  readonly [N in keyof T]: {
    readonly params: z.ZodType<T[N]["given"], T[N]["params"]>;
    readonly result: z.ZodType<T[N]["result"]>;
    readonly part: z.ZodType<T[N]["part"]>;
  };
};

/** The types of all services by name. */
export type AllServices = TypesOf<All>;

/** The contract by name, for who passes requests on. */
export const contract: Contract<AllServices> = all;

/** The schemas of what the editor gets, by service. */
export const replies: {
  readonly [N in ServiceName]: { readonly reply: z.ZodType<EngineReply<ServiceResult<N>>> };
} = all;

/** The entries of the contract, for who describes them. */
export const entries: Readonly<Record<ServiceName, Service>> = all;

const isEditorService = (name: ServiceName): name is EditorService => all[name].editor;

export const serviceNames: readonly ServiceName[] = Object.keys(all).filter(
  (name): name is ServiceName => name in all,
);
export const editorServices: readonly EditorService[] = serviceNames.filter(isEditorService);

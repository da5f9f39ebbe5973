import type * as z from "zod";
import { editorGroups } from "./editorServices.ts";
import { archive } from "./services/archive.ts";
import { backtest } from "./services/backtest.ts";
import { evidence } from "./services/evidence.ts";
import type { Frozen, Service } from "./services/service.ts";

/**
 * Every request that the engine of a project answers, whoever asks: the command line, the language server, the editor, its
 * views or an assistant. Both sides take the types of a request from its name. To add one: an entry in the file of its
 * group, and the file that does the work; then `npm run protocol` writes the page and the table of services.
 */
const all = { ...editorGroups, ...archive, ...backtest, ...evidence };
type All = typeof all;

export type ServiceName = keyof All;

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

/** The entries of the contract, for the script that writes docs/protocol.md. */
export const entries: Readonly<Record<ServiceName, Service>> = all;

export const serviceNames: readonly ServiceName[] = Object.keys(all).filter(
  (name): name is ServiceName => name in all,
);

import type * as vscode from "vscode";
import type { z } from "zod";

/** What the address of a document of ours says in its query; undefined for one that nobody of ours made. */
export function addressIn<S extends z.ZodType>(uri: vscode.Uri, schema: S): z.output<S> | undefined {
  let query: unknown;
  try {
    query = JSON.parse(uri.query);
  } catch {
    return undefined;
  }
  return schema.safeParse(query).data;
}

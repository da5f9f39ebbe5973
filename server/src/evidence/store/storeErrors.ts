import { HarnessError, messageOf } from "../../base/errors.ts";

/** Whether the database's own words mean that its file cannot be read as it is. */
const isDamage = (message: string): boolean =>
  /not a valid DuckDB database|Corrupt database|checksum|Could not read enough bytes|Serialization Error|storage version|WAL file/i.test(
    message,
  );

/** Whether a failure of the archive is that its file is damaged: no second try will read it. */
export const isDamaged = (e: unknown): boolean =>
  HarnessError.is(e, "storeFailed") && isDamage(messageOf(e.cause));

/** The failure that an error of the database stands for; what is not expected is returned as it is. */
export function storeError(e: unknown, path: string): unknown {
  if (e instanceof HarnessError) return e;
  const message = messageOf(e);
  const because = { cause: e };
  const holder = /Conflicting lock is held in .*?\(PID (\d+)\)/.exec(message)?.[1];
  if (
    holder !== undefined ||
    /Could not set lock on file.*(Resource temporarily unavailable|being used)/is.test(message)
  )
    return storeBusy(path, holder ?? "unknown", because);
  if (/No space left on device|ENOSPC|disk quota exceeded|EDQUOT/i.test(message))
    return new HarnessError(
      "diskFull",
      `The disk is full: could not write the archive ${path}; free some space and run again.`,
      because,
    );
  if (
    /Could not set lock on file|Permission denied|Read-only file system|Operation not permitted/i.test(
      message,
    )
  )
    return new HarnessError(
      "unsupportedFileSystem",
      `The archive ${path} cannot be written or locked here; put the workspace on a local disk that you may write to.`,
      because,
    );
  if (isDamage(message))
    return new HarnessError(
      "storeFailed",
      `The archive ${path} is damaged; run again: EvoTrainer rebuilds it from the JSONL files, which have everything.`,
      because,
    );
  if (/^(IO|FATAL|INTERNAL|Out of Memory|TransactionContext|Invalidated) ?Error/i.test(message))
    return new HarnessError(
      "storeFailed",
      `The archive ${path} failed (${firstLine(message)}); run again, and if it fails again delete it: EvoTrainer rebuilds it from the JSONL files.`,
      because,
    );
  return e;
}

/** What is told when another process holds the archive. */
export function storeBusy(
  path: string,
  holder: number | string,
  because: { readonly cause?: unknown } = {},
): HarnessError {
  return new HarnessError(
    "storeBusy",
    `Another engine (pid ${holder}) owns this workspace's archive ${path}; use that engine, or end it and run again.`,
    because,
  );
}

function firstLine(message: string): string {
  return message.split("\n", 1)[0]?.slice(0, 200) ?? "";
}

import { open } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf } from "../../base/errors.ts";
import { jsonText } from "../../base/plainText.ts";
import { findMeantJob } from "../../engine/jobs/meantJob.ts";
import { lookUpJob } from "../../engine/jobs/lookUp.ts";
import { localExecutor } from "../../engine/workspace/localExecutor.ts";
import { openWorkspace } from "../../engine/workspace/workspace.ts";
import { isOver } from "../../runner/job/executor.ts";
import { printResult, type Io } from "../terminal/io.ts";
import type { AddVerb } from "../terminal/verb.ts";
import { LogPieces } from "./logPieces.ts";

export const addLogs: AddVerb = (program, { io, cwd }) => {
  program
    .command("logs <job>")
    .description("show what a job printed")
    .option("-f, --follow", "keep showing what it prints; with --json as one object a line", false)
    .action(async (job: string, o: { follow: boolean }) => logs(io(), cwd, job, o));
};

type Stream = "stdout" | "stderr";

/**
 * `evotrainer logs <job>`: what it printed, both streams; with `follow` until it is over.
 * @throws HarnessError notFound
 */
async function logs(io: Io, cwd: string, asked: string, { follow }: { follow: boolean }): Promise<void> {
  const workspace = await openWorkspace(cwd);
  const id = await findMeantJob(workspace.root, asked);
  const executor = localExecutor(workspace);
  const printed = { stdout: "", stderr: "" };
  const print = (stream: Stream, text: string): void => {
    if (!io.json) io.out(text);
    else if (!follow) printed[stream] += text;
    else if (text !== "") io.out(`${jsonText({ stream, text })}\n`);
  };
  // Before a folder of that name is looked into.
  let { status } = await lookUpJob(executor, id);
  const streams = (["stdout", "stderr"] as const).map((name) => ({
    name,
    path: join(executor.directoryOf(id), `${name}.log`),
    offset: 0,
    pieces: new LogPieces(),
  }));
  for (;;) {
    ({ status } = await lookUpJob(executor, id));
    for (const stream of streams)
      stream.offset += await readFrom(stream.path, stream.offset, (bytes) =>
        print(stream.name, stream.pieces.text(bytes)),
      );
    if (isOver(status) || !follow) break;
    await delay(300);
  }
  for (const { name, pieces } of streams) print(name, pieces.end());
  if (io.json && !follow) printResult(io, { job: id, isOver: isOver(status), ...printed }, () => "");
}

/** Reads a file from an offset on; returns how many bytes there were. */
async function readFrom(path: string, offset: number, take: (bytes: Buffer) => void): Promise<number> {
  const file = await open(path).catch((e: unknown) => {
    if (codeOf(e) === "ENOENT") return undefined;
    throw e;
  });
  if (file === undefined) return 0;
  try {
    let read = 0;
    const chunk = Buffer.alloc(65_536);
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, offset + read);
      if (bytesRead === 0) return read;
      take(chunk.subarray(0, bytesRead));
      read += bytesRead;
    }
  } finally {
    await file.close();
  }
}

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Network } from "./network.ts";

/** Writes the parameters as a short header and little-endian float32, in one step that a reader never sees half done. */
export function savePolicy(network: Network, mark: string, file: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const body = Buffer.alloc(mark.length + 4 + network.parameters.length * 4);
  body.write(mark, 0, "latin1");
  body.writeUInt32LE(network.parameters.length, mark.length);
  network.parameters.forEach((value, i) => body.writeFloatLE(value, mark.length + 4 + i * 4));
  const partial = `${file}.partial`;
  writeFileSync(partial, body);
  renameSync(partial, file);
}

/** Reads what savePolicy wrote; throws one sentence when the file is not a policy of this shape. */
export function loadPolicy(network: Network, mark: string, file: string): void {
  let body: Buffer;
  try {
    body = readFileSync(file);
  } catch {
    throw new Error(`The policy ${file} cannot be read; check EVO_POLICY_IN.`);
  }
  const count = network.parameters.length;
  const start = mark.length + 4;
  if (
    body.length !== start + count * 4 ||
    body.toString("latin1", 0, mark.length) !== mark ||
    body.readUInt32LE(mark.length) !== count
  )
    throw new Error(`${file} is not a policy of this trainer; check EVO_POLICY_IN.`);
  for (let i = 0; i < count; i++) network.parameters[i] = body.readFloatLE(start + i * 4);
}

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Network } from "./network.ts";

const magic = "swegym1\n";

/** Writes the parameters as a short header and little-endian float32, in one step that a reader never sees half done. */
export function savePolicy(network: Network, file: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const body = Buffer.alloc(magic.length + 4 + network.parameters.length * 4);
  body.write(magic, 0, "latin1");
  body.writeUInt32LE(network.parameters.length, magic.length);
  network.parameters.forEach((value, i) => body.writeFloatLE(value, magic.length + 4 + i * 4));
  const partial = `${file}.partial`;
  writeFileSync(partial, body);
  renameSync(partial, file);
}

/** Reads what savePolicy wrote; throws one sentence when the file is not a policy of this shape. */
export function loadPolicy(network: Network, file: string): void {
  let body: Buffer;
  try {
    body = readFileSync(file);
  } catch {
    throw new Error(`The policy ${file} cannot be read; check EVO_POLICY_IN.`);
  }
  const count = network.parameters.length;
  const start = magic.length + 4;
  if (
    body.length !== start + count * 4 ||
    body.toString("latin1", 0, magic.length) !== magic ||
    body.readUInt32LE(magic.length) !== count
  )
    throw new Error(`${file} is not a policy of this trainer; check EVO_POLICY_IN.`);
  for (let i = 0; i < count; i++) network.parameters[i] = body.readFloatLE(start + i * 4);
}

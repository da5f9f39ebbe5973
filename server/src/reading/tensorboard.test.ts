import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import fc from "fast-check";
import { fuzzRuns } from "../../../test/support/base/fuzz.ts";
import { skipBecause } from "../../../test/support/base/skip.ts";
import { fileBytes } from "./bytes.ts";
import { crc32c, maskedCrc32c } from "./crc32c.ts";
import { readTensorBoard, type TensorBoardItem, type TensorBoardOptions } from "./tensorboard.ts";
import {
  fixtures,
  mutated,
  noFixtures,
  readsOrRefuses,
  refusal,
} from "../../../test/support/reading/readers.ts";

type Write = (w: BinaryWriter) => BinaryWriter;

const message = (w: BinaryWriter, field: number, write: Write): BinaryWriter =>
  write(w.tag(field, WireType.LengthDelimited).fork()).join();
const value =
  (tag: string, write: Write): Write =>
  (w) =>
    message(w, 1, (v) => write(v.tag(1, WireType.LengthDelimited).string(tag)));
const simple =
  (n: number): Write =>
  (v) =>
    v.tag(2, WireType.Bit32).float(n);
const tensor =
  (dtype: number, write: Write): Write =>
  (v) =>
    message(v, 8, (t) => write(t.tag(1, WireType.Varint).int32(dtype)));
const content =
  (...bytes: number[]): Write =>
  (t) =>
    t.tag(4, WireType.LengthDelimited).bytes(Uint8Array.from(bytes));

function event(step: number | bigint, ...values: Write[]): Uint8Array {
  const w = new BinaryWriter()
    .tag(1, WireType.Bit64)
    .double(1700000000.5)
    .tag(2, WireType.Varint)
    .int64(step);
  return message(w, 5, (s) => values.reduce((all, write) => write(all), s)).finish();
}

function record(body: Uint8Array): Buffer {
  const header = Buffer.alloc(12);
  header.writeBigUInt64LE(BigInt(body.length));
  header.writeUInt32LE(maskedCrc32c(header.subarray(0, 8)), 8);
  const footer = Buffer.alloc(4);
  footer.writeUInt32LE(maskedCrc32c(body));
  return Buffer.concat([header, body, footer]);
}

const first = record(
  new BinaryWriter()
    .tag(1, WireType.Bit64)
    .double(1)
    .tag(3, WireType.LengthDelimited)
    .string("brain.Event:2")
    .finish(),
);

async function read(
  bytes: Buffer,
  options: Partial<TensorBoardOptions> = {},
  piece = bytes.length,
): Promise<TensorBoardItem[]> {
  const chunks = Array.from({ length: Math.ceil(bytes.length / Math.max(1, piece)) }, (_, i) =>
    bytes.subarray(i * piece, (i + 1) * piece),
  );
  const items: TensorBoardItem[] = [];
  for await (const item of readTensorBoard(chunks, { name: "events", ...options })) items.push(item);
  return items;
}

const scalar = (step: number, tag: string, n: number) => ({
  type: "scalar",
  step,
  wallTime: 1700000000.5,
  tag,
  value: n,
});

describe("TensorBoard reader", () => {
  it("computes CRC-32C as RFC 3720 does", () => {
    assert.equal(crc32c(Buffer.from("123456789")), 0xe3069283);
    assert.equal(crc32c(Buffer.alloc(32)), 0x8a9136aa);
    assert.equal(crc32c(Buffer.alloc(32, 0xff)), 0x62a8ab43);
  });

  it("reads numbers of every kind, and counts values that are not numbers", async () => {
    const numbers: readonly [name: string, write: Write, expected: number][] = [
      ["simple", simple(0.5), 0.5],
      ["nan", simple(NaN), NaN],
      ["float", tensor(1, (t) => t.tag(5, WireType.Bit32).float(1.5)), 1.5],
      ["packed", tensor(1, (t) => message(t, 5, (p) => p.float(2.5))), 2.5],
      ["double", tensor(2, (t) => t.tag(6, WireType.Bit64).double(0.1)), 0.1],
      ["int", tensor(3, (t) => t.tag(7, WireType.Varint).int32(-7)), -7],
      ["int64", tensor(9, (t) => t.tag(10, WireType.Varint).int64(-8)), -8],
      ["bool", tensor(10, (t) => t.tag(11, WireType.Varint).bool(true)), 1],
      ["half", tensor(19, (t) => t.tag(13, WireType.Varint).int32(0x3e00)), 1.5],
      ["small half", tensor(19, content(1, 0)), 2 ** -24],
      ["bfloat16", tensor(14, content(0xc0, 0x3f)), 1.5],
      ["uint32", tensor(22, (t) => t.tag(16, WireType.Varint).uint32(4e9)), 4e9],
      ["uint64", tensor(23, (t) => t.tag(17, WireType.Varint).uint64(5)), 5],
      ["content float", tensor(1, content(0, 0, 0xc0, 0x3f)), 1.5],
      ["content double", tensor(2, content(0, 0, 0, 0, 0, 0, 0xf8, 0x3f)), 1.5],
      ["content int16", tensor(5, content(0xfe, 0xff)), -2],
      ["content uint8", tensor(4, content(200)), 200],
    ];
    const others: readonly Write[] = [
      (v) => message(v, 4, (i) => i),
      (v) => message(v, 5, (h) => h),
      tensor(7, (t) => t.tag(8, WireType.LengthDelimited).string("text")),
      tensor(1, (t) => message(t, 5, (p) => p.float(1).float(2))),
      tensor(1, content(1, 2, 3)),
      tensor(8, content(1, 2, 3, 4, 5, 6, 7, 8)),
      (v) => v,
    ];
    const bytes = Buffer.concat([
      first,
      record(event(3, ...numbers.map(([tag, write]) => value(tag, write)))),
      record(event(4, ...others.map((write) => value("other", write)))),
    ]);
    for (const piece of [bytes.length, 1, 7])
      assert.deepEqual(await read(bytes, {}, piece), [
        ...numbers.map(([tag, , n]) => scalar(3, tag, n)),
        {
          type: "end",
          offset: bytes.length,
          torn: false,
          records: 3,
          skipped: { image: 1, histogram: 1, text: 1, tensor: 3, other: 1 },
        },
      ]);
  });

  const loss = (step: number): Buffer => record(event(step, value("loss", simple(step / 2))));

  it("stops at a record that is still being written, and continues from there", async () => {
    const whole = Buffer.concat([first, loss(1), loss(2), loss(3)]);
    const at = first.length + loss(1).length;
    for (let end = at + 1; end < at + loss(2).length; end++) {
      const items = await read(whole.subarray(0, end));
      assert.deepEqual(items, [
        scalar(1, "loss", 0.5),
        { type: "end", offset: at, torn: true, records: 2, skipped: {} },
      ]);
    }
    assert.deepEqual(await read(whole.subarray(at), { offset: at }), [
      scalar(2, "loss", 1),
      scalar(3, "loss", 1.5),
      { type: "end", offset: whole.length, torn: false, records: 2, skipped: {} },
    ]);
    assert.deepEqual(await read(Buffer.alloc(0)), [
      { type: "end", offset: 0, torn: false, records: 0, skipped: {} },
    ]);
  });

  it("leaves out a damaged record and continues after it", async () => {
    const bad = Buffer.from(loss(2));
    bad[20] = (bad[20] ?? 0) ^ 1;
    const bytes = Buffer.concat([
      first,
      loss(1),
      bad,
      record(Buffer.from([0xff, 0xff])),
      loss(3),
      record(event(2n ** 60n, value("a", simple(1)))),
    ]);
    const at = first.length + loss(1).length;
    const items = await read(bytes);
    assert.deepEqual(items.slice(0, 2), [
      scalar(1, "loss", 0.5),
      { type: "problem", offset: at, reason: "its checksum is wrong" },
    ]);
    const [, , none, third, large, end] = items;
    assert.ok(
      none?.type === "problem" && /^it is not an event/.test(none.reason) && none.offset === at + bad.length,
    );
    assert.deepEqual(third, scalar(3, "loss", 1.5));
    assert.ok(large?.type === "problem" && /step 1152921504606846976 is too large/.test(large.reason));
    assert.ok(end?.type === "end" && end.offset === bytes.length && end.records === 6);
  });

  it("says where it cannot continue", async () => {
    const bad = Buffer.from(loss(2));
    bad[0] = 1;
    const at = first.length;
    assert.deepEqual(await read(Buffer.concat([first, bad, loss(3)])), [
      { type: "problem", offset: at, reason: "its length is damaged: nothing after it can be read" },
      { type: "end", offset: at, torn: false, records: 1, skipped: {} },
    ]);
  });

  it("skips a record that is too long without holding it in memory", async () => {
    const long = record(event(2, value("x".repeat(5000), simple(1))));
    const bytes = Buffer.concat([first, long, loss(3)]);
    for (const piece of [bytes.length, 100])
      assert.deepEqual(await read(bytes, { maxRecordBytes: 1000 }, piece), [
        { type: "problem", offset: first.length, reason: "it is longer than 1,000 bytes" },
        scalar(3, "loss", 1.5),
        { type: "end", offset: bytes.length, torn: false, records: 3, skipped: {} },
      ]);
  });

  it("refuses other files", async () => {
    for (const bytes of [Buffer.from('{"step": 1, "loss": 2}'), Buffer.alloc(100), loss(1)])
      assert.match(await refusal(() => read(bytes)), /does not begin like a TensorBoard event file/);
  });

  it("reads or refuses damaged files", () => {
    const bytes = Buffer.concat([
      first,
      loss(1),
      record(event(2, value("t", tensor(1, content(1, 2, 3, 4))))),
      loss(3),
    ]);
    return fc.assert(
      fc.asyncProperty(mutated(bytes), async (damaged) => {
        await readsOrRefuses(() => read(damaged, {}, 13));
      }),
      { numRuns: fuzzRuns() },
    );
  });

  it("decodes or refuses any event", () =>
    fc.assert(
      fc.asyncProperty(
        mutated(Buffer.from(event(2, value("t", tensor(1, content(1, 2, 3, 4))), value("s", simple(1))))),
        async (body) => {
          await readsOrRefuses(() => read(Buffer.concat([first, record(body)])));
        },
      ),
      { numRuns: fuzzRuns() },
    ));

  it("reads the real event files", async function () {
    const files = fixtures("metrics_verl_grpo", "").filter((f) => basename(f).includes("tfevents"));
    if (files.length === 0) skipBecause(this, noFixtures);
    assert.equal(files.length, 13);
    for (const name of files) {
      const tags = new Set<string>();
      let scalars = 0;
      for await (const item of readTensorBoard(fileBytes(name), { name })) {
        assert.notEqual(item.type, "problem", name);
        if (item.type === "scalar") {
          scalars++;
          tags.add(item.tag);
        } else if (item.type === "end") assert.equal(item.offset, readFileSync(name).length);
      }
      assert.ok(scalars > 1000 && tags.has("critic/score/mean"), `${name}: ${scalars}`);
    }
  });
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { fuzzRuns } from "../../../test/support/base/fuzz.ts";
import { skipBecause } from "../../../test/support/base/skip.ts";
import {
  fixtures,
  hasProgram,
  mutated,
  noFixtures,
  readsOrRefuses,
  refusal,
  runProgram,
  tempFolder,
} from "../../../test/support/reading/readers.ts";
import { makeZip, zstdFrame, type Part } from "../../../test/support/reading/zip.ts";
import { openZip, type ZipLimits } from "./zip.ts";

async function contents(path: string, limits: Partial<ZipLimits> = {}): Promise<Map<string, string>> {
  const zip = await openZip(path, limits);
  try {
    const all = new Map<string, string>();
    for (const member of zip.members) {
      const parts: Buffer[] = [];
      for await (const chunk of zip.stream(member)) parts.push(chunk);
      all.set(member.name, Buffer.concat(parts).toString("latin1"));
    }
    return all;
  } finally {
    await zip.close();
  }
}

describe("zip reader", () => {
  const folder = tempFolder();
  const check = async (parts: readonly Part[], limits?: Partial<ZipLimits>): Promise<Map<string, string>> =>
    contents(folder.write("a.zip", makeZip(parts)), limits);
  const refused = (parts: readonly Part[], limits?: Partial<ZipLimits>): Promise<string> =>
    refusal(() => check(parts, limits));
  const text = (s: string): Buffer => Buffer.from(s);
  const long = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7919) % 251));

  it("unpacks stored, deflated and zstd members", async () => {
    const all = await check([
      { name: "stored.json", data: text("[1]"), method: 0 },
      { name: "deep/er/deflated.json", data: long },
      { name: "zstd.json", data: long, method: 93, packed: zstdFrame(long) },
      {
        name: "frames.json",
        data: Buffer.concat([long, long]),
        method: 93,
        packed: Buffer.concat([
          zstdFrame(long),
          text("P*M\x18\x02\0\0\0hi"),
          zstdFrame(long, { window: 0x50 }),
        ]),
      },
      { name: "tiny.json", data: text("7"), method: 93, packed: zstdFrame(text("7")) },
      { name: "empty.json", data: text(""), method: 0 },
      { name: "folder/", data: text(""), method: 0 },
    ]);
    assert.deepEqual([...all.keys()].sort(), [
      "deep/er/deflated.json",
      "empty.json",
      "frames.json",
      "stored.json",
      "tiny.json",
      "zstd.json",
    ]);
    assert.equal(all.get("stored.json"), "[1]");
    assert.equal(all.get("tiny.json"), "7");
    assert.equal(all.get("empty.json"), "");
    assert.ok(all.get("deep/er/deflated.json") === long.toString("latin1"));
    assert.ok(all.get("zstd.json") === long.toString("latin1"));
    assert.ok(all.get("frames.json") === long.toString("latin1").repeat(2));
  });

  it("unpacks what the zstd program compresses", async function () {
    if (!hasProgram("zstd")) skipBecause(this, "there is no zstd program here");
    const data = text(
      JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ i, text: `item ${i % 97}` }))),
    );
    for (const level of ["-1", "-3", "-19"]) {
      const packed = runProgram("zstd", ["-c", level], data);
      const all = await check([{ name: "a", data, method: 93, packed }]);
      assert.ok(all.get("a") === data.toString("latin1"), `level ${level}`);
    }
    const ultra = runProgram("zstd", ["-c", "--long=27"], data);
    assert.match(await refused([{ name: "a", data, method: 93, packed: ultra }]), /zstd window of \d+ bytes/);
  });

  it("reads what Python writes, and reports names that occur twice", async function () {
    if (!hasProgram("python3")) skipBecause(this, "there is no python3 here");
    const path = `${folder.path}/python.zip`;
    runProgram(
      "python3",
      ["-W", "ignore", "-"].concat(path),
      [
        "import sys, zipfile",
        "with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as z:",
        "    z.writestr('samples/ä.json', '{\"a\": 1}')",
        "    z.writestr('twice.json', '1')",
        "    z.writestr('twice.json', '22')",
        "    z.writestr('stored.json', 'x' * 10, zipfile.ZIP_STORED)",
        "    with z.open('big.json', 'w', force_zip64=True) as f: f.write(b'y' * 100)",
      ].join("\n"),
    );
    const zip = await openZip(path);
    assert.deepEqual(zip.duplicates, ["twice.json"]);
    assert.deepEqual(
      zip.members.map((m) => [m.name, m.bytes, m.method]),
      [
        ["samples/ä.json", 8, 8],
        ["twice.json", 1, 8],
        ["twice.json", 2, 8],
        ["stored.json", 10, 0],
        ["big.json", 100, 8],
      ],
    );
    await zip.close();
    assert.equal((await contents(path)).get("big.json"), "y".repeat(100));
  });

  const named = (name: string): Part[] => [{ name, data: text("x") }];
  const bomb = { name: "bomb", data: Buffer.alloc(20 * 1024 * 1024) };
  const rle = (count: number, size: number): Buffer => {
    const block = Buffer.from([0, 0, 0, 65]);
    block.writeUIntLE((size << 3) | 2, 0, 3);
    return Buffer.concat([
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x68]),
      ...Array.from({ length: count }, () => block),
      Buffer.from([1, 0, 0]),
    ]);
  };
  const cases: readonly [
    name: string,
    parts: readonly Part[],
    expected: RegExp,
    limits?: Partial<ZipLimits>,
  ][] = [
    [
      "a path that leaves the archive",
      named("a/../../etc/passwd"),
      /"a\/..\/..\/etc\/passwd", which is a path that leaves/,
    ],
    ["an absolute path", named("/etc/passwd"), /an absolute path/],
    ["a drive letter", named("C:evil"), /an absolute path/],
    ["backslashes", named("..\\evil"), /it has backslashes/],
    ["a NUL in a name", named("a\0.json"), /NUL/],
    ["an empty name", named(""), /which is empty/],
    ["an encrypted member", [{ name: "a", data: text("x"), flags: 1 }], /encrypted member "a"/],
    ["an unknown compression method", [{ name: "a", data: text("x"), method: 12 }], /compression method 12/],
    ["a wrong checksum", [{ name: "a", data: text("x"), crc: 5 }], /does not match its checksum/],
    ["less than declared", [{ name: "a", data: text("x"), bytes: 3 }], /ends after 1 of 3 bytes/],
    ["more than declared", [{ name: "a", data: text("xyz"), bytes: 1 }], /more than the 1 bytes/],
    ["bad deflate data", [{ name: "a", data: text("x"), packed: text("\x07garbage") }], /is damaged/],
    [
      "bad zstd data",
      [{ name: "a", data: text("x"), method: 93, packed: text("garbage!") }],
      /not zstd data/,
    ],
    [
      "cut zstd data",
      [{ name: "a", data: long, method: 93, packed: zstdFrame(long).subarray(0, 1000) }],
      /zstd data is cut off/,
    ],
    ["a zip bomb by ratio", [bomb], /zip bomb/, { maxRatio: 100 }],
    [
      "a zip bomb that declares little",
      [{ ...bomb, bytes: 1000 }],
      /unpacks to more than the 1000 bytes that it declares/,
    ],
    [
      "a huge zstd window",
      [{ name: "a", data: text("x"), method: 93, packed: zstdFrame(text("x"), { window: 0xa8 }) }],
      /window of \d+ bytes is larger/,
    ],
    [
      "zstd made of tiny blocks",
      [{ name: "a", data: Buffer.alloc(20_000, 65), method: 93, packed: rle(20_000, 1) }],
      /far too many tiny zstd blocks/,
    ],
    [
      "members that share bytes",
      [
        { name: "a", data: long },
        { name: "b", data: long, same: 0 },
      ],
      /"a" and "b" that share the same bytes/,
    ],
    [
      "a member over the limit",
      [{ name: "a", data: long }],
      /has 293 KiB, more than 1 KiB/,
      { maxMemberBytes: 1024 },
    ],
    [
      "more members than the limit",
      [
        { name: "a", data: long },
        { name: "b", data: long },
      ],
      /more than 1 members/,
      { maxMembers: 1 },
    ],
    [
      "more bytes than the limit",
      [
        { name: "a", data: long },
        { name: "b", data: long },
      ],
      /unpacks to more than 390.6 KiB/,
      { maxTotalBytes: 400_000 },
    ],
  ];
  for (const [name, parts, expected, limits] of cases)
    it(`refuses ${name}`, async () => {
      assert.match(await refused(parts, limits), expected);
    });

  it("refuses a file that is not an archive, and one that is cut off", async () => {
    const whole = makeZip([{ name: "a", data: long }]);
    for (const bytes of [
      Buffer.alloc(0),
      text("hello"),
      whole.subarray(0, -30),
      Buffer.concat([whole, text("x")]),
    ])
      assert.match(await refusal(() => contents(folder.write("b.zip", bytes))), /not a readable zip archive/);
    assert.match(await refusal(() => contents(folder.path)), /not a regular file/);
  });

  it("refuses a directory at an impossible position", async () => {
    const locator = Buffer.alloc(20);
    locator.write("PK\x06\x07", "latin1");
    locator.fill(0xff, 8, 16);
    const whole = makeZip([{ name: "a", data: long }]);
    const bytes = Buffer.concat([whole.subarray(0, -22), locator, whole.subarray(-22)]);
    assert.match(await refusal(() => contents(folder.write("b.zip", bytes))), /it points to byte/);
  });

  it("stops reading a member when the caller stops", async () => {
    const zip = await openZip(folder.write("c.zip", makeZip([{ name: "a", data: long }])));
    for await (const chunk of zip.stream(zip.members[0] ?? assert.fail())) {
      assert.ok(chunk.length > 0);
      break;
    }
    await zip.close();
  });

  it("reads or refuses any damaged archive", async () => {
    const whole = makeZip([
      { name: "a.json", data: text('{"a":1}') },
      { name: "b.json", data: long.subarray(0, 500), method: 93, packed: zstdFrame(long.subarray(0, 500)) },
      { name: "c.json", data: text("stored"), method: 0 },
    ]);
    await fc.assert(
      fc.asyncProperty(mutated(whole), async (bytes) => {
        await readsOrRefuses(() => contents(folder.write("fuzz.zip", bytes)));
      }),
      { numRuns: fuzzRuns() },
    );
  });

  it("reads or refuses damaged zstd data", async function () {
    if (!hasProgram("zstd")) skipBecause(this, "there is no zstd program here");
    const data = text(JSON.stringify(Array.from({ length: 300 }, (_, i) => ({ i, text: `item ${i % 97}` }))));
    const frame = runProgram("zstd", ["-c", "-9"], data);
    await fc.assert(
      fc.asyncProperty(mutated(frame), async (packed) => {
        const file = folder.write("fuzz.zip", makeZip([{ name: "a", data, method: 93, packed }]));
        await readsOrRefuses(() => contents(file));
      }),
      { numRuns: fuzzRuns() },
    );
  });

  it("reads every real Inspect log, and reads or refuses damaged ones", async function () {
    const logs = fixtures("agent_inspect_logs", ".eval");
    if (logs.length === 0) skipBecause(this, noFixtures);
    assert.equal(logs.length, 10);
    for (const log of logs) {
      const all = await contents(log);
      assert.ok(all.size >= 6, log);
      for (const [name, content] of all) if (name.endsWith(".json")) assert.ok(content.length > 1, name);
    }
    const bytes = readFileSync(logs[0] ?? "");
    await fc.assert(
      fc.asyncProperty(mutated(bytes), async (damaged) => {
        await readsOrRefuses(() => contents(folder.write("fuzz.eval", damaged)));
      }),
      { numRuns: fuzzRuns(50) },
    );
  });
});

import assert from "node:assert/strict";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { dataDigest } from "./dataDigest.ts";

describe("the digest of data that git does not have", () => {
  let root = "";
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "evo-data-"));
    mkdirSync(join(root, "corpus/deep"), { recursive: true });
    writeFileSync(join(root, "corpus/a.txt"), "a\n");
    writeFileSync(join(root, "corpus/deep/b.txt"), "b\n");
    symlinkSync("..", join(root, "corpus/deep/loop"));
    symlinkSync("nowhere", join(root, "corpus/dangling"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const digest = (path = "corpus"): Promise<string> =>
    dataDigest(join(root, path), join(root, "cache/one.json"));

  it("is that of the content, whatever its times are", async () => {
    const before = await digest();
    utimesSync(join(root, "corpus/a.txt"), 5, 5);
    assert.equal(await digest(), before);
  });

  const changes: Readonly<Record<string, () => void>> = {
    "a changed file": () => writeFileSync(join(root, "corpus/deep/b.txt"), "c\n"),
    "a new file": () => writeFileSync(join(root, "corpus/c.txt"), ""),
    "a file that is gone": () => rmSync(join(root, "corpus/a.txt")),
    "a file of another name": () => {
      rmSync(join(root, "corpus/a.txt"));
      writeFileSync(join(root, "corpus/A2.txt"), "a\n");
    },
  };
  for (const [what, change] of Object.entries(changes))
    it(`is another with ${what}`, async () => {
      const before = await digest();
      change();
      assert.notEqual(await digest(), before);
    });

  it("is another for a file whose size and time were put back", async () => {
    const file = join(root, "corpus/a.txt");
    const before = await digest();
    writeFileSync(file, "z\n");
    utimesSync(file, 5, 5);
    assert.notEqual(await digest(), before);
  });

  it("reads a content once: what the cache says of an unchanged file holds", async () => {
    const cache = join(root, "cache/one.json");
    const file = join(root, "corpus/a.txt");
    const before = await digest("corpus/a.txt");
    // What was changed just now is read again, because it may change within one tick of the clock.
    assert.match(readFileSync(cache, "utf8"), /"stamp":""/);
    const { stat } = await import("node:fs/promises");
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    const stamp = `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
    writeFileSync(cache, JSON.stringify({ "": { stamp, digest: "0".repeat(64) } }));
    assert.notEqual(await digest("corpus/a.txt"), before);
  });

  it("refuses what is not there", async () => {
    await assert.rejects(digest("nothing"), (e) => HarnessError.is(e, "projectInvalid"));
  });
});

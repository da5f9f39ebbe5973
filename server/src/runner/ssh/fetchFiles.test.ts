import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostSpec } from "../../../../shared/spec/host.ts";
import { HarnessError } from "../../base/errors.ts";
import { Bandwidth } from "./bandwidth.ts";
import { fetchFiles } from "./fetchFiles.ts";
import { HostShell } from "./hostShell.ts";
import { Room } from "./room.ts";

/** A host that answers what it likes. */
class LyingShell extends HostShell {
  answer = "";
  override run(): Promise<Buffer> {
    return Promise.resolve(Buffer.from(this.answer));
  }
}

describe("files that a host says it has", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "evo-fetch-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const fetched = (answer: string, limitBytes = 1000): Promise<unknown> => {
    const shell = new LyingShell({ name: "liar", spec: HostSpec.parse({ local: true }) });
    shell.answer = answer;
    return fetchFiles({
      shell,
      bandwidth: new Bandwidth(undefined),
      room: new Room({ host: "liar", runsDirectory: folder, gigabytes: undefined }),
      from: "/runs/r",
      patterns: ["policy"],
      to: join(folder, "to"),
      limitBytes,
    });
  };

  for (const name of [
    "../../x",
    "policy/../../x",
    "/x",
    "policy//x",
    "policy/./x",
    "policy/a\u001b[2J",
    "x".repeat(1001),
  ])
    for (const kind of ["file 0", "folder 4096"])
      it(`are refused with the name ${JSON.stringify(name.slice(0, 20))} (${kind}), and nothing is made here`, async () => {
        await assert.rejects(
          fetched(`${kind} ./${name}\nlisted\n`),
          (e) => HarnessError.is(e, "jobFailed") && !/\p{Cc}/u.test(e.message),
        );
        assert.deepEqual(readdirSync(folder), []);
      });

  it("are refused beyond the limit, before anything is made", async () => {
    await assert.rejects(fetched("file 600 ./policy/a\nfile 401 ./policy/b\nlisted\n"), (e) =>
      HarnessError.is(e, "diskFull"),
    );
    assert.deepEqual(readdirSync(folder), []);
  });

  it("are not believed when the answer is not whole", async () => {
    assert.deepEqual(await fetched("folder 4096 ./policy\n"), []);
  });
});

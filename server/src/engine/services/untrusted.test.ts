import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makePlace } from "../../../../test/support/owner/ownerProcess.ts";
import { testServices } from "../../../../test/support/owner/services.ts";
import { HarnessError } from "../../base/errors.ts";
import { openOwner } from "../owner/owner.ts";
import { refusedFor } from "../project/labelPrograms.ts";
import { findService, type ServiceContext } from "../workspace/service.ts";
import { plainServices, type PlainServiceName } from "./plainServices.ts";
import { services } from "./services.ts";

describe("in a workspace that is not trusted", () => {
  let root = "";
  before(async () => {
    root = await mkdtemp(join(tmpdir(), "evo-untrusted-"));
  });
  after(() => rm(root, { recursive: true, force: true }));

  const call = { signal: new AbortController().signal, progress: () => undefined };
  const running: Partial<Record<PlainServiceName, unknown>> = {
    "evolution.start": { generations: 1 },
    "evolution.continue": {},
    "evolution.stop": { cancelJobs: false },
    "jobs.rerun": { job: "v1.train.s1" },
    "jobs.cancel": { job: "v1.train.s1" },
    "hosts.candidates": {},
    "hosts.check": { host: "gpu1" },
  };
  for (const [name, params] of Object.entries(running))
    it(`the engine refuses ${name}, before it looks for anything`, async () => {
      const service = await findService(plainServices, name);
      const context: Omit<ServiceContext, "store"> = { root, trusted: false };
      // A service of this table looks at nothing else of its context.
      const run = async (): Promise<unknown> => service.run(context as never, params, call);
      await assert.rejects(
        run(),
        (e) =>
          HarnessError.is(e, "badInput") && /this workspace is not trusted; trust it first/.test(e.message),
      );
    });

  it("neither who asks nor who has the archive has a program of the project run", () => {
    assert.equal(refusedFor({ caller: true, owner: true }), null);
    assert.match(refusedFor({ caller: false, owner: true }) ?? "", /^this workspace is not trusted/);
    assert.match(
      refusedFor({ caller: true, owner: false }) ?? "",
      /^the window that has the archive does not/,
    );
  });

  it("an owner passes on to its services whether somebody said that it may run programs", async () => {
    const at = await makePlace();
    try {
      for (const said of [undefined, true, false]) {
        const options = { role: "verb", ...(said === undefined ? {} : { trusted: said }) } as const;
        const owner = await openOwner(at.place, options);
        try {
          const seen: boolean[] = [];
          const who = await testServices.who();
          const service = {
            name: who.name,
            repeatable: true,
            ...{ params: who.params, result: who.result, part: who.part },
            run: ({ trusted }: ServiceContext) => {
              seen.push(trusted);
              return Promise.resolve({ pid: 1 });
            },
          };
          await owner.run({ name: "who", service, params: {} }, call);
          assert.deepEqual(seen, [said === true]);
        } finally {
          await owner.close();
        }
      }
    } finally {
      await at.remove();
    }
  });
});

describe("a request to the engine", () => {
  for (const name of ["constructor", "toString", "__proto__", "jobs.none"])
    it(`has to name a service: ${name} is none`, () =>
      assert.rejects(
        findService(services, name),
        (e) => HarnessError.is(e, "badInput") && e.message.includes(`no request "${name}"`),
      ));
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { HostBudget, HostPrice, RaySpec } from "../../../../shared/spec/host.ts";
import { fuzzRuns } from "../../../../test/support/base/fuzz.ts";
import { LocalExecutor } from "../local.ts";
import { keeperPath } from "../../../../test/support/runner/jobs.ts";
import { Member, type Books } from "./member.ts";
import { choosePlace, type Place } from "./schedule.ts";
import { gpusPerJob, type RunRecord } from "./spending.ts";

const hour = 3_600_000;

describe("the choice of a place", () => {
  const place = (name: string, more: Partial<Place> = {}): Place => ({
    name,
    slots: 1,
    busy: 0,
    waiting: 0,
    closing: 0,
    price: 0,
    fits: true,
    fitsFrom: undefined,
    awayUntil: 0,
    ...more,
  });
  const cases: [string, Place[], ReturnType<typeof choosePlace>][] = [
    ["the first of equal hosts", [place("a"), place("b")], { type: "place", name: "a" }],
    ["the cheaper host", [place("a", { price: 2 }), place("b", { price: 1 })], { type: "place", name: "b" }],
    [
      "a free host rather than a cheaper full one",
      [place("a", { busy: 1 }), place("b", { price: 9 })],
      { type: "place", name: "b" },
    ],
    [
      "an expensive host rather than a cheap one with waiting jobs",
      [place("a", { slots: 9, busy: 2, waiting: 1 }), place("b", { price: 9 })],
      { type: "place", name: "b" },
    ],
    [
      "the emptier host",
      [place("a", { slots: 4, busy: 2 }), place("b", { slots: 4, busy: 1 })],
      { type: "place", name: "b" },
    ],
    ["never a host that is away", [place("a", { awayUntil: 9 }), place("b")], { type: "place", name: "b" }],
    ["to wait for the host that is away", [place("a", { awayUntil: 9 })], { type: "wait", until: 9 }],
    ["to wait for a job to end", [place("a", { busy: 1 })], { type: "wait", until: undefined }],
    [
      "to wait for the next day",
      [place("a", { fits: false, fitsFrom: 50 }), place("b", { fits: false })],
      { type: "wait", until: 50 },
    ],
    [
      "to wait for the money that running jobs leave",
      [place("a", { fits: false, busy: 1 })],
      { type: "wait", until: undefined },
    ],
    [
      "to wait for the money that a job leaves which is being closed",
      [place("a", { fits: false, closing: 1 })],
      { type: "wait", until: undefined },
    ],
    ["none when the budget is spent", [place("a", { fits: false })], { type: "never" }],
  ];
  for (const [what, places, expected] of cases)
    it(`is ${what}`, () => assert.deepEqual(choosePlace(places, 5), expected));
});

describe("the GPUs of a job", () => {
  const cases: [number, string | undefined, number | undefined, number][] = [
    [2, undefined, undefined, 2],
    [2, undefined, 3, 6],
    [0, "gpu:h100:4", 2, 8],
    [0, "gpu", undefined, 1],
    [0, "gpu:2,nic:1", undefined, 2],
    [1, "nvme:1", undefined, 0],
  ];
  for (const [gpus, gres, nodes, expected] of cases)
    it(`come from ${gpus} on the host, gres ${gres ?? "none"}, ${nodes ?? "no"} nodes`, () =>
      assert.equal(
        gpusPerJob({
          gpus,
          slurm: {
            array: false,
            requeue: false,
            options: [],
            ...(gres === undefined ? {} : { gres }),
            ...(nodes === undefined ? {} : { nodes }),
          },
        }),
        expected,
      ));

  for (const [gpus, asked, expected] of [
    [2, undefined, 2],
    [8, 0.5, 0.5],
    [8, 0, 0],
  ] as const)
    it(`come from ${gpus} on the host, ${asked ?? "none"} asked of Ray`, () =>
      assert.equal(
        gpusPerJob({ gpus, ray: RaySpec.parse(asked === undefined ? {} : { gpus: asked }) }),
        expected,
      ));
});

describe("jobs on hosts with slots, prices, budgets and outages", () => {
  const executor = new LocalExecutor({ runsDirectory: "/nowhere", keeper: keeperPath });
  const world = fc.record({
    hosts: fc.array(
      fc.record({
        slots: fc.integer({ min: 1, max: 3 }),
        gpus: fc.integer({ min: 0, max: 4 }),
        perGpuHour: fc.integer({ min: 0, max: 3 }),
        hours: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
        cost: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
        per: fc.constantFrom("day" as const, "evolution" as const),
        /** Hours at which it goes and comes back. */
        away: fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20 })),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    /** What each job may take, and the share of it that it takes. */
    jobs: fc.array(
      fc.record({ hours: fc.integer({ min: 1, max: 4 }), share: fc.integer({ min: 1, max: 10 }) }),
      { maxLength: 25 },
    ),
  });

  it("keep within every budget, run exactly once, and leave no host idle while a job could run there", () => {
    fc.assert(
      fc.property(world, ({ hosts, jobs }) => {
        const members = hosts.map(({ slots, gpus, perGpuHour, hours, cost, per }, i) => {
          const budget =
            hours === undefined && cost === undefined ? undefined : HostBudget.parse({ hours, cost, per });
          const price = HostPrice.parse({ perGpuHour });
          return new Member({
            host: `h${i}`,
            name: `h${i}`,
            slots,
            gpus,
            budget,
            price,
            inOneGo: false,
            executor,
          });
        });
        const isAway = (i: number, now: number): boolean => {
          const [from = 0, to = 0] = hosts[i]?.away ?? [];
          return now >= from * hour && now < to * hour;
        };
        const waiting = jobs.map((job, i) => ({ ...job, run: `r${i}` }));
        const running = new Set<{ run: string; member: Member; ends: number }>();
        const records = new Map<string, RunRecord>();
        const refused: string[] = [];
        // Half an hour at a time, over four days.
        for (let now = 0; now <= 96 * hour; now += hour / 2) {
          for (const job of running) {
            const record = records.get(job.run);
            if (job.ends > now || record === undefined) continue;
            records.set(job.run, { ...record, ended: job.ends, hours: (job.ends - record.at) / hour });
            job.member.free(job.run);
            running.delete(job);
          }
          for (const [i, member] of members.entries()) member.awayUntil = isAway(i, now) ? now + hour / 2 : 0;
          for (let again = true; again;) {
            again = false;
            for (const [at, job] of waiting.entries()) {
              const books = { runs: [...records.values()], since: 0, now };
              const choice = choosePlace(
                members.map((m) => m.placeFor(job.hours, books)),
                now,
              );
              if (choice.type === "wait") continue;
              waiting.splice(at, 1);
              again = true;
              if (choice.type === "never") refused.push(job.run);
              else {
                const member =
                  members.find(({ spec }) => spec.name === choice.name) ?? assert.fail(choice.name);
                assert.ok(!records.has(job.run), `${job.run} runs once`);
                assert.ok(!isAway(members.indexOf(member), now));
                member.busy++;
                assert.ok(member.busy <= member.spec.slots);
                const { host, gpus } = member.spec;
                records.set(job.run, { run: job.run, host, at: now, ended: null, hours: job.hours, gpus });
                running.add({ run: job.run, member, ends: now + (job.hours * hour * job.share) / 10 });
              }
              break;
            }
          }
          assertSound(members, waiting, { runs: [...records.values()], since: 0, now });
        }
        assert.equal(records.size + refused.length + waiting.length, jobs.length);
        // What still waits after four days waits for a day's budget.
        assert.ok(waiting.length === 0 || members.some(({ spec }) => spec.budget?.per === "day"));
      }),
      { numRuns: fuzzRuns(150) },
    );
  });
});

/** No budget is passed, and a job waits only where no host that answers has both room and money for it. */
function assertSound(
  members: readonly Member[],
  waiting: readonly { readonly run: string; readonly hours: number }[],
  books: Books,
): void {
  for (const member of members) {
    const { budget, name } = member.spec;
    const { hours, cost } = member.spent(books);
    assert.ok(budget?.hours === undefined || hours <= budget.hours + 1e-6, `${name}: ${hours} h`);
    assert.ok(budget?.cost === undefined || cost <= budget.cost + 1e-6, `${name}: ${cost}`);
    for (const job of waiting) {
      const { fits, busy, slots, awayUntil } = member.placeFor(job.hours, books);
      assert.ok(!fits || busy >= slots || awayUntil > books.now, `${job.run} waits beside ${name}`);
    }
  }
}

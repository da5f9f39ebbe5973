import assert from "node:assert/strict";
import { HarnessError } from "../../base/errors.ts";
import type { LoopPorts } from "../ports.ts";
import type { Candidate, LoopState } from "../state.ts";
import { approve, type ApprovalSource, type GateStanding } from "./approve.ts";

/** What `approve` reads of a state and of a candidate, and no more. */
const stateOf = (...versions: string[]): LoopState => ({
  ...({} as LoopState),
  domain: "toy",
  candidates: versions.map((version): Candidate => ({ ...({} as Candidate), version, pruned: null })),
});
const waits: GateStanding = { type: "waits", why: "the project is human-gated", before: 0 };
const approved: GateStanding = { type: "answered", answer: "approve", comment: null };
const ports: LoopPorts = {
  ...({} as LoopPorts),
  acceptProposal: () => Promise.resolve({ commit: "c", title: "t" }),
};
const answering = (standing: Readonly<Record<string, GateStanding>>): ApprovalSource => ({
  ask: ({ version }) => Promise.resolve(standing[version] ?? waits),
  revise: () => Promise.resolve({ type: "none", reason: "" }),
});

describe("the gates before a training", () => {
  it("say which versions are approved and wait for the others of their generation", async () => {
    const asked = approve(stateOf("v2-a", "v3-b"), answering({ "v3-b": approved }), ports);
    await assert.rejects(
      asked,
      (e) =>
        HarnessError.is(e, "gateWaiting") &&
        /^Waiting for approval of v2-a, because .* v3-b is approved, and is trained once all of this generation have an answer\.$/.test(
          e.message,
        ),
    );
  });

  it("let all that are approved be trained", async () => {
    const passed = await approve(
      stateOf("v2-a", "v3-b"),
      answering({ "v2-a": approved, "v3-b": approved }),
      ports,
    );
    assert.deepEqual(
      passed.map(({ version, pruned }) => [version, pruned]),
      [
        ["v2-a", null],
        ["v3-b", null],
      ],
    );
  });
});

import assert from "node:assert/strict";
import { mostTokens } from "../../../../../shared/model/tokenValues.ts";
import { differences, tokenValues } from "./tokenValues.ts";

describe("values per token", () => {
  it("keeps four digits of each list of numbers", () => {
    assert.deepEqual(tokenValues({ token_logprobs: [-0.123456, -12.34567], token_entropies: undefined }), {
      token_logprobs: [-0.1235, -12.35],
    });
  });

  it("leaves out lists that are not numbers throughout, and lists of one value", () => {
    for (const token_logprobs of [[-1, null], [-1, NaN], [-1, "x"], [-1], []])
      assert.deepEqual(tokenValues({ token_logprobs }), {});
  });

  it("leaves out advantages that all tokens share", () => {
    assert.deepEqual(tokenValues({ token_advantages: [0.5, 0.5, 0.5] }), {});
    assert.deepEqual(tokenValues({ token_advantages: [0.5, 0, 0.5] }), { token_advantages: [0.5, 0, 0.5] });
  });

  it("says how many tokens a rollout has that is too long", () => {
    const long = Array.from({ length: mostTokens + 1 }, () => -1);
    assert.deepEqual(tokenValues({ token_logprobs: long }), { token_values_left_out: mostTokens + 1 });
    assert.equal(Object.keys(tokenValues({ token_logprobs: long.slice(1) })).join(), "token_logprobs");
  });

  it("takes the sampler's from the trainer's, token by token", () => {
    assert.deepEqual(differences([-1, -2], [-1.5, -2]), [0.5, 0]);
    assert.deepEqual(differences([-1, null], [-1, -2]), [0, null]);
    assert.equal(differences([-1], [-1, -2]), undefined);
    assert.equal(differences(undefined, [-1]), undefined);
  });
});

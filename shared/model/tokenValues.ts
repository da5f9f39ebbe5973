/**
 * Fields of a rollout's `extra` with one number for each token that the policy generated, in the order of its turns. An
 * adapter fills what its source has; a trainer may write them itself.
 */
export type TokenField =
  | "token_logprobs"
  | "token_entropies"
  | "token_advantages"
  | "trainer_sampler_difference";

/** Field of `extra` that says how many tokens a rollout has whose values were too many to keep. */
export const tokensLeftOut = "token_values_left_out";

/** A rollout of more tokens is kept without values per token: each series is about as large as the text itself. */
export const mostTokens = 16_384;

import type { Factor } from "../../../../../shared/spec/common.ts";
import { isBookkeeping } from "../../../project/bookkeeping.ts";
import { isHardware } from "../../../project/hardware.ts";

/** What a setting of a trainer is for the project, and why. */
export type KnownKey =
  | { readonly type: "surface"; readonly factor: Factor; readonly why: string }
  | { readonly type: "frozen" | "bookkeeping"; readonly why: string }
  | { readonly type: "unknown" };

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/**
 * Last steps of paths, in the words of verl (ppo_trainer.yaml), TRL (GRPOConfig), ROLL (RLVRConfig), prime-rl and verifiers.
 * The name decides, not the place, because all of them nest differently.
 */
const optimisation = words(`
  lr learning_rate beta kl_loss_coef kl_coef init_kl_coef use_kl_loss use_kl_in_reward kl_loss_type entropy_coeff
  entropy_coef entropy_loss_coef clip_ratio clip_ratio_low clip_ratio_high clip_ratio_c epsilon epsilon_high ppo_epochs
  ppo_mini_batch_size num_iterations adv_estimator loss_type loss_agg_mode weight_decay max_grad_norm grad_clip
  lr_warmup_steps lr_warmup_steps_ratio warmup_ratio warmup_steps lr_scheduler_type gamma lam whiten_advantages
  advantage_clip reward_clip norm_adv_by_std_in_grpo scale_rewards importance_sampling_level kl_tau max_async_level`);
const sampling = words(`
  temperature top_p top_k min_p n num_generations rollouts_per_example num_return_sequences_in_group repetition_penalty`);
const budget = words(`
  total_epochs total_training_steps max_steps num_train_epochs train_batch_size rollout_batch_size batch_size
  per_device_train_batch_size gradient_accumulation_steps gen_batch_size seq_len prompt_length response_length
  max_prompt_length max_response_length max_completion_length max_tokens max_new_tokens max_model_len`);
const data = words(`
  train_files val_files train_file dataset_name dataset dataset_config dataset_train_split dataset_test_split prompt_key
  truncation filter_overlong_prompts shuffle file_name env_id`);
const model = words(`model_name_or_path model_name pretrain reward_pretrain model`);

interface Key {
  readonly path: string;
  readonly steps: readonly string[];
  /** The last step, with _ for -. */
  readonly last: string;
}

const under = (key: Key, ...names: readonly string[]): boolean =>
  key.steps.slice(0, -1).some((step) => names.includes(step));
const frozen = (why: string): KnownKey => ({ type: "frozen", why });
const surface = (factor: Factor, why: string): KnownKey => ({ type: "surface", factor, why });

/** The first that holds decides: an evaluation's temperature is no sampling of training. */
const rules: readonly (readonly [(key: Key) => boolean, KnownKey])[] = [
  [
    ({ path, last }) =>
      isBookkeeping(path) || /(^|_)(save|log|logging|eval|test)_(freq|steps|interval|every)$/.test(last),
    { type: "bookkeeping", why: "what is learned does not depend on it" },
  ],
  [
    (key) => under(key, "val_kwargs", "validation", "eval") || /^(val|eval)_/.test(key.last),
    frozen("it says how versions are evaluated"),
  ],
  [
    (key) => under(key, "custom_reward_function", "reward_model") || key.last === "reward_funcs",
    frozen("it says what judges a rollout"),
  ],
  [
    ({ path }) =>
      isHardware(path) ||
      /micro_batch|parallel_size|offload|_gpus?(_|$)|num_processes|num_machines/.test(path),
    frozen("hardware and parallelism"),
  ],
  [({ last }) => data.has(last), frozen("it says which data there is")],
  [({ last }) => budget.has(last), frozen("it says how much a run costs")],
  [
    (key) => model.has(key.last) || (["path", "name"].includes(key.last) && under(key, "model")),
    frozen("it is the policy that training starts from"),
  ],
  [({ last }) => /(^|_)seed$/.test(last), frozen("a seed changes nothing on purpose")],
  [
    (key) => under(key, "filter_groups") || key.last === "filter_groups",
    surface("filter", "it says which groups are trained on"),
  ],
  [({ last }) => optimisation.has(last), surface("optimisation", "it says how the policy is updated")],
  [({ last }) => sampling.has(last), surface("sampling", "it says how rollouts are sampled for training")],
];

/** What is known of a setting by its path. */
export function knownKey(path: string): KnownKey {
  const steps = path.split(".");
  const key = { path, steps, last: (steps.at(-1) ?? "").replaceAll("-", "_") };
  return rules.find(([holds]) => holds(key))?.[1] ?? { type: "unknown" };
}

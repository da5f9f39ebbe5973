/**
 * Last steps of paths that say where a run writes, what it is called and how often it reports, in the words of verl
 * (verl/trainer/config/ppo_trainer.yaml), TRL (TrainingArguments), slime and OpenRLHF: training is the same without them.
 */
const names: ReadonlySet<string> = new Set([
  ...["project_name", "experiment_name", "run_name", "group_name", "wandb_project", "wandb_run_name"],
  ...[
    "output_dir",
    "logging_dir",
    "log_dir",
    "save_path",
    "ckpt_path",
    "default_local_dir",
    "default_hdfs_dir",
  ],
  ...[
    "rollout_data_dir",
    "validation_data_dir",
    "skip_dump_dir",
    "timeline_json_file",
    "hub_model_id",
    "run_id",
  ],
  ...["save_freq", "save_steps", "save_strategy", "save_total_limit", "save_interval", "checkpoint_interval"],
  ...["max_actor_ckpt_to_keep", "max_critic_ckpt_to_keep", "del_local_ckpt_after_load", "async_save"],
  ...[
    "logging_steps",
    "logging_strategy",
    "logging_first_step",
    "log_interval",
    "log_val_generations",
    "log_level",
  ],
  ...[
    "logger",
    "report_to",
    "use_wandb",
    "disable_tqdm",
    "disable_log_stats",
    "log_completions",
    "push_to_hub",
  ],
  ...["num_completions_to_print"],
]);

/** Parts of a config that are only about reporting. */
const parts: ReadonlySet<string> = new Set([
  "logging",
  "wandb",
  "tensorboard",
  "profiler",
  "global_profiler",
  "trace",
]);

/** Whether a value of a config is bookkeeping: it changes nothing about what is learned, and counts as no factor. */
export function isBookkeeping(path: string): boolean {
  const steps = path.split(".");
  return names.has(steps.at(-1) ?? "") || steps.some((step) => parts.has(step));
}

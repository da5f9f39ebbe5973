/** What docs/importing.md says about a format in addition to what its adapter says. */
export interface FormatNote {
  readonly writer: string;
  /** How the files are usually named; their content decides. */
  readonly files: string;
  /** Where outcomes come from; left out for metrics. */
  readonly verdict?: string;
}

const passWhen = "none: `--pass-when`";

/** By the name for `--as`. */
export const formatNotes: Readonly<Record<string, FormatNote>> = {
  verl: {
    writer: "verl, RAGEN: rollout and validation dumps",
    files: "`<step>.jsonl`",
    verdict: "`acc` or `correct` if the reward function returns it; else `--pass-when`",
  },
  trl: {
    writer: "TRL, `log_completions`",
    files: "`completions/completions_<step>.parquet`",
    verdict: passWhen,
  },
  verifiers: {
    writer: "verifiers, `vf-eval`",
    files: "`results.jsonl` beside `metadata.json`",
    verdict: "`pass_threshold` of the metadata; else `--pass-when`",
  },
  "verifiers-v1": {
    writer: "verifiers v1, prime-rl",
    files: "`traces.jsonl`",
    verdict: passWhen,
  },
  "nemo-gym": {
    writer: "NeMo Gym",
    files: "`*rollouts.jsonl`",
    verdict: "the verdict field of the environment; else `--pass-when`",
  },
  "nemo-rl": {
    writer: "NeMo-RL",
    files: "`train_data_step<n>.jsonl`, `val_data_step<n>.jsonl`",
    verdict: passWhen,
  },
  skyrl: {
    writer: "SkyRL, dumps of evaluations",
    files: "`dumped_evals/global_step_<n>_evals/<data source>.jsonl`",
    verdict: passWhen,
  },
  areal: { writer: "AReaL", files: "`rollout/<version>/<task>.jsonl`", verdict: passWhen },
  rllm: {
    writer: "rLLM, episode logger",
    files: "`episodes/<mode>_step_<n>_epoch_<e>/episode_*.json`",
    verdict: "`is_correct` of episodes with one trajectory",
  },
  roll: {
    writer: "ROLL, EvoTrainer's released code",
    files: "`*.pkl`, `detailed_eval_info.json`",
    verdict: "`binary_correctness`; −999 and empty reward records are unknown",
  },
  "tinker-rewardhack": {
    writer: "tinker-cookbook-reward-hacking",
    files: "`rollouts_*.json`",
    verdict: passWhen,
  },
  "swe-agent": {
    writer: "SWE-agent, old and new",
    files: "`*.traj`",
    verdict: "`resolved` of `report.json` or `results.json` beside it",
  },
  "mini-swe-agent": {
    writer: "mini-swe-agent, old and new",
    files: "`*.traj.json`",
    verdict: "`resolved` of a SWE-bench report in the run's folder",
  },
  openhands: {
    writer: "OpenHands, evaluation harness",
    files: "`output.jsonl`",
    verdict: "`resolved` of the row, or of a report beside it",
  },
  "openhands-conversation": {
    writer: "OpenHands SDK",
    files: "`base_state.json` with `events/`, or events as `*.jsonl`",
    verdict: passWhen,
  },
  dgm: {
    writer: "Darwin Gödel Machine, one node",
    files: "`metadata.json` beside reports and transcripts",
    verdict: "its lists of resolved, unresolved and empty patches, checked against the reports",
  },
  "terminal-bench": {
    writer: "Terminal-Bench 1",
    files: "`results.json`",
    verdict: "`is_resolved`",
  },
  inspect: {
    writer: "Inspect",
    files: "`*.eval`, `*.json`",
    verdict: "C, I and booleans if the scores of a sample agree; else `--pass-when`",
  },
  atif: {
    writer: "Harbor and agents that write ATIF 1.0–1.7",
    files: "`trajectory.json`",
    verdict: passWhen,
  },
  harbor: {
    writer: "Harbor",
    files: "`<job>/<trial>/result.json`",
    verdict: "a single reward of 0 or 1; else `--pass-when`",
  },
  "tau-bench": { writer: "tau-bench", files: "`*.json`", verdict: "a reward of 1" },
  tau2: { writer: "tau2, and the state of a tau3 run", files: "`*.json`", verdict: "a reward of 1" },
  "who-and-when": {
    writer: "Who&When: failures with the decisive step annotated",
    files: "`*.json`",
    verdict: "`is_correct`, `is_corrected`",
  },
  "verl-metrics": { writer: "verl, `FileLogger`", files: "`<experiment>.jsonl`" },
  "metrics-jsonl": {
    writer: "prime-rl, and anyone: one flat object with `step` per line",
    files: "`metrics.jsonl`",
  },
  "trl-trainer-state": { writer: "TRL and transformers", files: "`trainer_state.json`" },
  "metrics-csv": { writer: "Lightning, Keras, W&B and TensorBoard exports", files: "`*.csv`, `*.tsv`" },
  tensorboard: { writer: "anyone: scalars", files: "`events.out.tfevents.*`" },
};

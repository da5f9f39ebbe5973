/**
 * Steps of paths that say what a run is computed on and how it is spread over it, in the words of verl
 * (verl/trainer/config/ppo_trainer.yaml), TRL and transformers (TrainingArguments, GRPOConfig), accelerate, Megatron-LM
 * and vLLM. Precision counts as hardware: it changes every number a little.
 */
const names: ReadonlySet<string> = new Set([
  ...["nnodes", "n_gpus_per_node", "num_gpus", "num_nodes", "num_machines", "num_processes", "gpus_per_node"],
  ...[
    "tensor_model_parallel_size",
    "pipeline_model_parallel_size",
    "context_parallel_size",
    "expert_parallel_size",
  ],
  ...[
    "expert_model_parallel_size",
    "virtual_pipeline_model_parallel_size",
    "data_parallel_size",
    "tensor_parallel_size",
  ],
  ...[
    "pipeline_parallel_size",
    "ulysses_sequence_parallel_size",
    "sequence_parallel",
    "vllm_tensor_parallel_size",
  ],
  ...[
    "fsdp",
    "fsdp_size",
    "fsdp_config",
    "deepspeed",
    "zero_stage",
    "param_offload",
    "optimizer_offload",
    "grad_offload",
  ],
  ...[
    "offload_policy",
    "gpu_memory_utilization",
    "vllm_gpu_memory_utilization",
    "device",
    "dtype",
    "torch_dtype",
  ],
  ...["bf16", "fp16", "tf32", "mixed_precision", "attn_implementation", "num_cpus"],
]);

/** Whether a value of a config is about hardware, parallelism or precision, which stay the same in every version. */
export function isHardware(path: string): boolean {
  return path.split(".").some((step) => names.has(step));
}

/**
 * What transformers, PEFT, accelerate and DeepSpeed save of a model and its training, as patterns: it holds no rollout and no
 * metric.
 */
export const checkpointFiles: readonly string[] = [
  ...["optimizer.pt", "optimizer.bin", "scheduler.pt", "scaler.pt", "rng_state*.pth", "random_states_*.pkl"],
  ...["training_args.bin", "latest", "zero_to_fp32.py", "global_step*/*.pt", "pytorch_model_fsdp*"],
  ...["*.safetensors", "*.safetensors.index.json", "pytorch_model*.bin", "*.bin.index.json", "*.gguf"],
  ...["config.json", "generation_config.json", "adapter_config.json", "adapter_model.bin", "README.md"],
  ...["tokenizer.json", "tokenizer.model", "tokenizer_config.json", "special_tokens_map.json", "*.jinja"],
  ...["added_tokens.json", "vocab.json", "vocab.txt", "merges.txt", "spiece.model"],
  ...["preprocessor_config.json", "processor_config.json", "chat_template.json"],
];

"""A tiny Llama with a tokenizer of some words, both made here without any download."""

import os

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from task import CLOSE, OPEN, demonstrations

WORDS = ["<pad>", "<eos>", "<unk>", OPEN, CLOSE, "sort", ":", *(str(digit) for digit in range(10))]


def new_policy(seed):
    """A model with random weights, the same for the same seed, and its tokenizer."""
    backend = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backend, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", padding_side="left"
    )
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(WORDS),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=64,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=None,
    )
    return LlamaForCausalLM(config), tokenizer


def load_policy(folder):
    if not os.path.isfile(os.path.join(folder, "config.json")):
        raise ValueError("EVO_POLICY_IN is %s, which holds no policy of this trainer." % folder)
    model = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True)
    return model, AutoTokenizer.from_pretrained(folder, local_files_only=True)


def save_policy(model, tokenizer, folder):
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def imitate(model, tokenizer, items, warmup, seed):
    """Makes the base policy: trains it on demonstrations, and returns the last loss."""
    pairs = demonstrations(items, warmup["demonstrations"], warmup["skill"], seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=warmup["learning_rate"])
    size = 64
    loss = torch.zeros(())
    model.train()
    for start in range(0, len(pairs) - size + 1, size):
        texts = [prompt + " " + answer + " <eos>" for prompt, answer in pairs[start : start + size]]
        batch = tokenizer(texts, return_tensors="pt", padding=True, padding_side="right")
        labels = batch["input_ids"].masked_fill(batch["attention_mask"] == 0, -100)
        for i, (prompt, _) in enumerate(pairs[start : start + size]):
            labels[i, : len(prompt.split())] = -100
        loss = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


@torch.no_grad()
def sample(model, tokenizer, prompts, temperature, max_new_tokens):
    """One completion per prompt: its text, how many tokens it has, and whether it ended by itself."""
    model.eval()
    batch = tokenizer(prompts, return_tensors="pt", padding=True)
    made = model.generate(
        input_ids=batch["input_ids"],
        attention_mask=batch["attention_mask"],
        do_sample=True,
        temperature=temperature,
        top_k=0,
        max_new_tokens=max_new_tokens,
        pad_token_id=tokenizer.pad_token_id,
    )[:, batch["input_ids"].shape[1] :]
    completions = []
    for row in made.tolist():
        ended = tokenizer.eos_token_id in row
        tokens = row.index(tokenizer.eos_token_id) + 1 if ended else len(row)
        text = tokenizer.decode(row[:tokens], skip_special_tokens=True)
        completions.append((text, tokens, ended))
    return completions

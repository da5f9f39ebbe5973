import assert from "node:assert/strict";
import { completionTurns, hasMarkup, promptTurns } from "./chatMarkup.ts";

describe("texts from a chat template", () => {
  const prompts: readonly (readonly [string, string, readonly string[]])[] = [
    [
      "ChatML",
      "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nU<|im_end|>\n<|im_start|>assistant\n",
      ["system:S", "user:U"],
    ],
    [
      "ChatML with an open thought",
      "<|im_start|>user\nU<|im_end|>\n<|im_start|>assistant\n<think>\n",
      ["user:U"],
    ],
    [
      "Llama 3",
      "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nU<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
      ["user:U"],
    ],
    ["Gemma", "<bos><start_of_turn>user\nU<end_of_turn>\n<start_of_turn>model\n", ["user:U"]],
    ["DeepSeek", "<｜begin▁of▁sentence｜>S<｜User｜>U<｜Assistant｜><think>\n", ["user:S", "user:U"]],
    ["no template", "  What is 2+2?\n", ["user:What is 2+2?"]],
    ["nothing", "", []],
  ];
  for (const [what, text, turns] of prompts)
    it(`are cut into turns: a prompt of ${what}`, () => {
      assert.deepEqual(
        promptTurns(text).map((turn) => `${turn.role}:${turn.text}`),
        turns,
      );
    });

  it("give the policy one turn even if it said nothing", () => {
    assert.deepEqual(completionTurns(""), [{ role: "assistant", text: "" }]);
    assert.deepEqual(completionTurns("<|im_end|>"), [{ role: "assistant", text: "" }]);
  });

  it("are recognised by their marks", () => {
    assert.deepEqual([hasMarkup("<|im_start|>user\nhi"), hasMarkup("hi <|im_end|>")], [true, false]);
  });
});

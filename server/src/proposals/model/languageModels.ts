// The library for language models, as far as proposers use it; a bundle of its own (scripts/lib/bundles.mjs).
export { createAnthropic } from "@ai-sdk/anthropic";
export { createOpenAICompatible } from "@ai-sdk/openai-compatible";
export { generateText, jsonSchema, tool } from "ai";

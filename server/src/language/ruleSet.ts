import { currentValue } from "./rules/current-value.ts";
import { example } from "./rules/example.ts";
import { expression } from "./rules/expression.ts";
import { frozenValue } from "./rules/frozen-value.ts";
import { library } from "./rules/library.ts";
import { oneFactor } from "./rules/one-factor.ts";
import { schema } from "./rules/schema.ts";
import { syntax } from "./rules/syntax.ts";
import type { AnyRule } from "./rule.ts";

/** Every rule that is in force. A new rule is one file and one line here. */
export const allRules: readonly AnyRule[] = [
  syntax,
  schema,
  expression,
  example,
  library,
  oneFactor,
  frozenValue,
  currentValue,
];

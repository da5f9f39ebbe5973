import { setFlagsFromString } from "node:v8";

/**
 * Has V8 compile a function to optimised code after about seven times as much of its work as it does by itself. Most runs of a
 * trainer last half a second to ten: with V8's own setting, an evaluation spent more processor time on such code than the code
 * saved. What a program computes does not depend on it.
 */
setFlagsFromString("--interrupt-budget=500000");

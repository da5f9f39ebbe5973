/** Skips a test, or from a `before` hook all tests of its suite, with the reason in the printed list. */
export function skipBecause(context: Mocha.Context, reason: string): never {
  const note = (test: Mocha.Runnable): void => {
    test.title += ` (${reason})`;
  };
  if (isHook(context.test)) context.test?.parent?.eachTest(note);
  else if (context.test !== undefined) note(context.test);
  return context.skip();
}

const isHook = (test: object | undefined): boolean =>
  test !== undefined && "type" in test && test.type === "hook";

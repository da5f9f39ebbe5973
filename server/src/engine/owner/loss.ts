/** The owner did not begin with a request because it is closing. */
export class OwnerClosing extends Error {
  constructor() {
    super("The engine is closing.");
    this.name = "OwnerClosing";
  }

  static is(e: unknown): e is OwnerClosing {
    return e instanceof Error && e.name === "OwnerClosing";
  }
}

/** The owner went away; it may have begun with the request. */
export class OwnerLost extends Error {
  constructor(cause?: unknown) {
    super("The engine that owned the archive has ended.", cause === undefined ? {} : { cause });
    this.name = "OwnerLost";
  }

  static is(e: unknown): e is OwnerLost {
    return e instanceof Error && e.name === "OwnerLost";
  }
}

import { basename, isAbsolute } from "node:path";
import { HostSpec } from "../../../../shared/spec/host.ts";

/** The Python of a host that is asked for torch, and which key names it. */
export interface AskedPython {
  readonly program: string;
  readonly key: "trainer.command" | "python";
}

const isPython = (word: string): boolean => /^python[\d.]*$/.test(basename(word));

/**
 * The Python that the trainer's command starts, by its path or found in PATH. A path in the checkout, or a command without a
 * Python, says nothing about the host, and then the host's key `python` counts; so it does where somebody has set it.
 */
export function pythonOf(command: readonly string[], spec: HostSpec): AskedPython {
  const started = command.find(isPython);
  const isSet = spec.python !== HostSpec.parse({}).python;
  return isSet || started === undefined || (started.includes("/") && !isAbsolute(started))
    ? { program: spec.python, key: "python" }
    : { program: started, key: "trainer.command" };
}

import type { Git } from "./gitProcess/commands.ts";
import { directGit, gitEnvironment } from "./gitProcess/direct.ts";
import { GitError } from "./gitProcess/gitError.ts";
import { smallProcess } from "./gitProcess/smallProcess.ts";

/**
 * Git bound to `directory`. `config` are further `name=value` settings.
 * @throws HarnessError notFound when the folder does not exist
 */
export function bindGit(directory: string, config: readonly string[] = []): Git {
  const base = gitEnvironment();
  const direct = directGit(directory, config, base);
  const text: Git["text"] = (args, options) => {
    const small = smallProcess();
    return small === undefined
      ? direct.text(args, options)
      : small.text({ directory, config, base, args, ...options });
  };
  return {
    text,
    answer: async (args, options) => {
      try {
        return await text(args, options);
      } catch (e) {
        if (e instanceof GitError && e.exitCode === 1) return undefined;
        throw e;
      }
    },
    bytes: (args, options) => {
      const small = smallProcess();
      return small === undefined
        ? direct.bytes(args, options)
        : small.bytes({ directory, config, base, args, ...options });
    },
    stream: (args, onChunk, options) => {
      const small = smallProcess();
      return small === undefined
        ? direct.stream(args, onChunk, options)
        : small.stream({ directory, config, base, args, ...options }, onChunk);
    },
  };
}

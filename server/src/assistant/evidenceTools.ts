import type { ServiceName } from "../../../shared/protocol/services.ts";
import type { OpenTools } from "../engine/proposals/evidenceTools.ts";
import { services, type ParamsOf, type ResultOf } from "../engine/services/services.ts";
import { runService } from "../engine/workspace/service.ts";
import { callTool, type ToolPlaces } from "./answer.ts";
import { inputSchemaOf, tools } from "./tools.ts";

const readers = tools.filter(({ writes }) => !writes);

/** The tools of assistants that only read, for a proposer that works in the process that has the archive. */
export const openEvidenceTools: OpenTools = ({ root, store }) => {
  const ask: ToolPlaces["ask"] = async <N extends ServiceName>(
    _root: string,
    name: N,
    params: ParamsOf<N>,
    { signal = new AbortController().signal }: { readonly signal?: AbortSignal },
  ): Promise<ResultOf<N>> => {
    const service = await services[name]();
    // A proposer's tools run no program of the project and ask no model.
    return runService(
      service,
      { store, root, trusted: false },
      { signal, progress: () => undefined, params },
    );
  };
  return {
    tools: readers.map((tool) => ({
      name: tool.name,
      description: tool.description,
      input: inputSchemaOf(tool),
    })),
    async call(name, input, signal) {
      if (!readers.some((tool) => tool.name === name))
        return { text: `There is no tool ${JSON.stringify(name)} here.`, isError: true };
      return callTool({ roots: [root], ask }, { name, input, signal });
    },
  };
};

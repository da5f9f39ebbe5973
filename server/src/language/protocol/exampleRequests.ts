import { posix } from "node:path";
import { exampleMethod, ExampleParams, type ExampleReply } from "../../../../shared/protocol/lsp.ts";
import { HarnessError } from "../../base/errors.ts";
import { didYouMean } from "../../base/similar.ts";
import { loadProject } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { addExample } from "../features/addExample.ts";
import { asDocument, asRange, type Session } from "./session/session.ts";

/** Answers which edit makes a rollout an example; the editor makes it, so that it can be undone. */
export function answerExamples(session: Session): void {
  session.connection.onRequest<ExampleReply, unknown>(
    exampleMethod,
    async (given: unknown): Promise<ExampleReply> => {
      await session.ready;
      const asked = ExampleParams.parse(given);
      if (!session.trusted || !session.index.projects.includes(asked.root))
        return { type: "refused", message: `${asked.root} is not a project of a trusted workspace.` };
      try {
        return await exampleReply(session, asked);
      } catch (e) {
        if (!HarnessError.is(e)) throw e;
        return { type: "refused", message: e.message };
      }
    },
  );
}

async function exampleReply(session: Session, asked: ExampleParams): Promise<ExampleReply> {
  const { root, diagnostic, rollout, expect } = asked;
  const { spec, diagnostics } = await loadProject(workTree(root));
  const over = diagnostics.filter((one) => one.spec.over === "rollout");
  const isShipped = (path: string): boolean => path.startsWith("library/");
  if (diagnostic === undefined)
    return {
      type: "choose",
      diagnostics: over.map((one) => ({
        name: one.spec.name,
        description: one.spec.description ?? "",
        shipped: isShipped(one.path),
      })),
    };
  const found = over.find((one) => one.spec.name === diagnostic);
  if (!found) {
    const names = over.map((one) => one.spec.name);
    const message = `There is no diagnostic ${diagnostic} over rollouts in this project, or it has mistakes.${didYouMean(diagnostic, names)}`;
    return { type: "refused", message };
  }
  if (isShipped(found.path)) {
    const edit = addExample(found.text, { rollout, expect });
    const text = edit
      ? found.text.slice(0, edit.span.start) + edit.text + found.text.slice(edit.span.end)
      : found.text;
    const folder = spec.diagnostics[0] ?? "harness/diagnostics";
    return { type: "shipped", path: posix.join(folder, posix.basename(found.path)), text };
  }
  // What stands in the editor counts, saved or not.
  const text = session.index.text(posix.join(root, found.path))?.text ?? found.text;
  const edit = addExample(text, { rollout, expect });
  if (!edit) return { type: "already", path: found.path };
  return { type: "edit", path: found.path, ...asRange(asDocument(text), edit.span), text: edit.text };
}

import * as z from "zod";
import type { EvidenceReveal } from "../../../shared/protocol/views/evidence.ts";
import {
  serviceViewProtocol,
  ToServiceView,
  type FromServiceView,
} from "../../../shared/protocol/views/serviceView.ts";
import type { Service } from "../../../shared/protocol/services/service.ts";
import { startView, type Host } from "./startView.ts";

/** What a view of one service can do. */
export type ServiceViewHost<P extends z.ZodType> = {
  /** Asks its service; an answer that a later question has overtaken is dropped. */
  readonly ask: (params: z.input<P>) => void;
  /** Opens the list of the rollouts that a number was counted from. */
  readonly showEvidence: (query: EvidenceReveal) => void;
};

/** What draws the view. */
export type ServiceViewDrawing<R> = {
  readonly show: (result: R) => void;
  readonly refuse: (message: string) => void;
  /** The lineage or the archive may have changed: it asks again for what it shows. */
  readonly changed: () => void;
};

const Kept = z.object({ version: z.literal(1) });

/** Starts a view that shows what one service answers (shared/words/serviceViews.ts). */
export function startServiceView<P extends z.ZodType, R>(
  service: Pick<Service<P, R>, "params" | "result">,
  open: (app: HTMLElement, host: ServiceViewHost<P>) => ServiceViewDrawing<R>,
): void {
  startView(
    { version: serviceViewProtocol, messages: ToServiceView, kept: Kept, fresh: { version: 1 } },
    (app, host: Host<FromServiceView, z.output<typeof Kept>>) => {
      let asked = 0;
      const drawing = open(app, {
        ask: (params) => {
          const plain = z.record(z.string(), z.json()).parse(params);
          host.post({ type: "ask", id: ++asked, params: plain });
        },
        showEvidence: (query) => host.post({ type: "evidence", query }),
      });
      return (message) => {
        if (message.type === "changed") drawing.changed();
        else if (message.id !== asked) return;
        else if (message.type === "refused") drawing.refuse(message.message);
        else {
          const parsed = service.result.safeParse(message.value);
          if (parsed.success) drawing.show(parsed.data);
          else drawing.refuse("The answer could not be read; reload the window.");
        }
      };
    },
  );
}

import type { BacktestState } from "../../../shared/protocol/views/backtest.ts";
import { element } from "../shared/dom.ts";
import { visibleText } from "../shared/visibleText.ts";
import { diagnosticOf, type OpenRollout } from "./diagnostic.ts";
import { rewardOf } from "./reward.ts";

/** What a spec would have made of the archive: pictures first, the sentences below them. */
export function drawBacktest(app: HTMLElement, open: OpenRollout): (state: BacktestState) => void {
  const title = element("h1", "", "Backtest");
  const said = element("p", "quiet");
  said.setAttribute("role", "status");
  const content = element("div", "content");
  app.append(title, said, content);
  return (state) => {
    switch (state.type) {
      case "loading":
        said.textContent = "Replaying the archive…";
        return;
      case "refused":
        said.textContent = visibleText(state.message);
        content.replaceChildren();
        return;
      case "reward":
      case "diagnostic":
        title.textContent = visibleText(state.title);
        said.textContent = "";
        content.replaceChildren(
          ...(state.type === "reward" ? rewardOf(state.found) : diagnosticOf(state.found, open)),
        );
    }
  };
}

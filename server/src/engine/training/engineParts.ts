import type { Store } from "../../evidence/archive/store.ts";
import type { LoopEvent } from "../../loop/events.ts";
import type { Project } from "../../project/project.ts";
import type { Fleet } from "../../runner/fleet/fleet.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** What the loop's ports are wired to. */
export interface EnginePorts {
  readonly workspace: Workspace;
  readonly store: Store;
  readonly fleet: Fleet;
  readonly project: Project;
  readonly emit: (event: LoopEvent) => void;
  readonly signal: AbortSignal;
}

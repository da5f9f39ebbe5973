import { rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Removes a folder in which something that was told to stop may still write its last lines. Node's own retries of a removal do
 * not look for what came meanwhile. @throws whatever the last of many tries throws
 */
export async function removeInUse(folder: string): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch (e) {
      if (tries >= 80) throw e;
      await delay(250);
    }
}

import { setTimeout as wait } from "node:timers/promises";
import type { Frame } from "playwright-core";
import type { Remote } from "../launcher/remote.ts";
import { until, type Workbench } from "../launcher/workbench.ts";
import { classesOf, type Theme } from "../ui/themes.ts";
import type { Stage } from "./take.ts";

/** The themes with which the pinned editor comes, and the class of its window in each. */
const editorThemes: Readonly<Record<Theme, readonly [name: string, kind: string]>> = {
  dark: ["Dark 2026", "vs-dark"],
  light: ["Light 2026", "vs"],
  "high-contrast": ["Default High Contrast", "hc-black"],
  "high-contrast-light": ["Default High Contrast Light", "hc-light"],
};
/** The editor shows a theme, and the view in `frame`, if there is one, has its colours. */
async function setTheme(bench: Workbench, remote: Remote, theme: Theme, frame?: Frame): Promise<void> {
  const [name, kind] = editorThemes[theme];
  await remote.theme(name);
  await bench.page.locator(`.monaco-workbench.${kind}`).waitFor();
  const classes = classesOf(theme);
  await until(`the view to have the theme ${name}`, async () =>
    frame === undefined
      ? true
      : frame.evaluate((wanted) => wanted.every((one) => document.body.classList.contains(one)), classes),
  );
}

/** The document of the one view that is shown. */
export async function shownFrame(bench: Workbench): Promise<Frame> {
  const inner = bench.page.frameLocator("iframe.webview.ready").locator("iframe#active-frame");
  const frame = await (await inner.elementHandle()).contentFrame();
  if (frame === null) throw new Error("No view is shown.");
  return frame;
}

/** A view as the only thing that is open in the editor's window. */
export async function viewStage(bench: Workbench, remote: Remote): Promise<Stage> {
  const { page } = bench;
  const frame = await shownFrame(bench);
  const sizeOf = (): Promise<{ width: number; height: number }> =>
    frame.evaluate(() => ({ width: innerWidth, height: innerHeight }));
  return {
    page,
    look: async () => {
      const box = await page.locator("iframe.webview.ready").boundingBox();
      if (box === null) throw new Error("The view is not shown.");
      return { frame, at: box };
    },
    setSize: async (width, height) => {
      // What is around the view has a size of its own.
      for (let tries = 0; tries < 100; tries++) {
        const now = await sizeOf();
        if (now.width === width && now.height === height) return;
        const window = page.viewportSize() ?? { width: 0, height: 0 };
        await page.setViewportSize({
          width: window.width + width - now.width,
          height: window.height + height - now.height,
        });
        const before = `${now.width} ${now.height}`;
        for (let asked = 0; asked < 40; asked++) {
          const { width: w, height: h } = await sizeOf();
          if (`${w} ${h}` !== before) break;
          await wait(10);
        }
      }
      throw new Error(`The view does not become ${width} × ${height} px large.`);
    },
    setTheme: (theme) => setTheme(bench, remote, theme, frame),
  };
}

/** The side bar, which is as high as the window. */
export function sideBarStage(bench: Workbench, remote: Remote): Stage {
  const { page } = bench;
  const sideBar = page.locator(".part.sidebar");
  return {
    page,
    look: () => Promise.resolve({ frame: page.mainFrame(), at: { x: 0, y: 0 } }),
    setSize: async (width) => {
      for (let tries = 0; tries < 20; tries++) {
        const box = await sideBar.boundingBox();
        if (box === null) throw new Error("The side bar is not shown.");
        if (Math.abs(box.width - width) < 1) return;
        const edge = box.x + box.width;
        await page.mouse.move(edge, box.y + box.height / 2);
        await page.mouse.down();
        await page.mouse.move(edge + width - box.width, box.y + box.height / 2, { steps: 3 });
        await page.mouse.up();
        await page.mouse.move(0, 0);
      }
      throw new Error(`The side bar does not become ${width} px wide.`);
    },
    setTheme: (theme) => setTheme(bench, remote, theme),
  };
}

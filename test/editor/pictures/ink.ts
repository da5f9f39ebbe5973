import type { Page } from "playwright-core";
import type { Drawn } from "./describe.ts";

type Box = Drawn["box"];

/**
 * How far the ink in each box stands out from what lies around the box in a picture, as a contrast from 1 to 21: what the
 * page says of itself is not asked. `sheet` is any page of the browser, which reads the picture, `png` is in base64.
 */
export function contrasts(sheet: Page, png: string, boxes: readonly Box[]): Promise<number[]> {
  return sheet.evaluate(
    async ({ picture, boxes }) => {
      const bytes = Uint8Array.from(atob(picture), (c) => c.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext("2d", { willReadFrequently: true });
      if (context === null) throw new Error("The browser draws no canvas.");
      context.drawImage(bitmap, 0, 0);
      const { data, width, height } = context.getImageData(0, 0, bitmap.width, bitmap.height);
      const light = Float32Array.from({ length: 256 }, (_, i) =>
        i / 255 <= 0.04045 ? i / 255 / 12.92 : ((i / 255 + 0.055) / 1.055) ** 2.4,
      );
      const at = (x: number, y: number) => {
        const i = (y * width + x) * 4;
        return (
          0.2126 * (light[data[i] ?? 0] ?? 0) +
          0.7152 * (light[data[i + 1] ?? 0] ?? 0) +
          0.0722 * (light[data[i + 2] ?? 0] ?? 0)
        );
      };
      return boxes.map(([left, top, w, h]) => {
        const [x0, y0] = [Math.max(0, left - 3), Math.max(0, top - 3)];
        const [x1, y1] = [Math.min(width, left + w + 3), Math.min(height, top + h + 3)];
        const around = new Map<number, number>();
        for (let y = y0; y < y1; y++)
          for (let x = x0; x < x1; x++) {
            const isInside = x >= left && x < left + w && y >= top && y < top + h;
            if (isInside && w > 4 && h > 4) continue;
            const shade = Math.round(at(x, y) * 200);
            around.set(shade, (around.get(shade) ?? 0) + 1);
          }
        let [ground, often] = [0, 0];
        for (const [shade, count] of around) if (count > often) [ground, often] = [shade / 200, count];
        let most = 1;
        const [right, bottom] = [
          Math.min(width, left + Math.max(1, w)),
          Math.min(height, top + Math.max(1, h)),
        ];
        for (let y = Math.max(0, top); y < bottom; y++)
          for (let x = Math.max(0, left); x < right; x++) {
            const one = at(x, y);
            const contrast = (Math.max(one, ground) + 0.05) / (Math.min(one, ground) + 0.05);
            if (contrast > most) most = contrast;
          }
        return most;
      });
    },
    { picture: png, boxes },
  );
}

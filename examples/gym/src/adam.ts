import { at } from "./matrix.ts";

/** Adam with global gradient clipping. */
export class Adam {
  private readonly mean: Float32Array;
  private readonly square: Float32Array;
  private time = 0;

  constructor(length: number) {
    this.mean = new Float32Array(length);
    this.square = new Float32Array(length);
  }

  /** Moves the parameters against the gradients, sets the gradients to 0 and answers their norm before clipping. */
  step(parameters: Float32Array, gradients: Float32Array, rate: number, clipNorm = 1): number {
    this.time++;
    let sum = 0;
    for (let i = 0; i < gradients.length; i++) sum += at(gradients, i) ** 2;
    const norm = Math.sqrt(sum);
    const scale = norm > clipNorm ? clipNorm / norm : 1;
    const step = (rate * Math.sqrt(1 - 0.999 ** this.time)) / (1 - 0.9 ** this.time);
    for (let i = 0; i < gradients.length; i++) {
      const g = at(gradients, i) * scale;
      const m = 0.9 * at(this.mean, i) + 0.1 * g;
      const v = 0.999 * at(this.square, i) + 0.001 * g * g;
      this.mean[i] = m;
      this.square[i] = v;
      parameters[i] = at(parameters, i) - (step * m) / (Math.sqrt(v) + 1e-8);
    }
    gradients.fill(0);
    return norm;
  }
}

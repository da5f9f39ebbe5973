// The cells of the simulated tables.

export const percentCell = (x: number): string => (100 * x).toFixed(1);
export const pointsCell = (x: number): string => `${x < 0 ? "−" : "+"}${Math.abs(100 * x).toFixed(2)}`;

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  row(head),
  row(head.map(() => "---")),
  ...rows.map(row),
];

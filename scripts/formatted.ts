import { readFileSync } from "node:fs";
import { join } from "node:path";
import { format, type FormatConfig } from "oxfmt";
import { z } from "zod";

const Config = z.object({
  printWidth: z.number(),
  trailingComma: z.literal("all"),
  sortPackageJson: z.literal(false),
});
const configFile = join(import.meta.dirname, "..", ".oxfmtrc.json");
const config: FormatConfig = Config.parse(JSON.parse(readFileSync(configFile, "utf8")));

/** The text as `npm run format` would leave it in a file of this name. @throws Error that says what cannot be parsed */
export async function formatted(path: string, text: string): Promise<string> {
  const { code, errors } = await format(path, text, config);
  const [error] = errors;
  if (error) throw new Error(`${path}: ${error.message}`);
  return code;
}

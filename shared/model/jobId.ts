import * as z from "zod";

/** Ids of jobs: safe as folder names everywhere. */
export const JobId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
    "Use 1 to 100 letters, digits, '.', '_' or '-', starting with a letter or digit.",
  );

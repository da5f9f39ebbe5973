/** The release of this program; two processes that share an archive have to be of the same one. */
export const release = process.env["EVOTRAINER_VERSION"] ?? "0.1.0";

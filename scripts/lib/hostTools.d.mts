/** Installs what the tests of hosts need (sshd, rsync and the like) where it is missing; says so line by line. */
export function ensureHostTools(say: (line: string) => void): Promise<void>;

/** What rollouts and items are told apart by when two versions are compared. */
export const flowKinds = ["outcome", "stop", "label"] as const;

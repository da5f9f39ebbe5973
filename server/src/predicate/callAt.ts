/** Where a value of a turn is read: of the turn itself, or of the call that it answers. */
export interface CallAt {
  readonly turn: string;
  readonly answered?: true;
}

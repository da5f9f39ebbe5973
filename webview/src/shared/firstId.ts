/**
 * Where the numbers of a page's questions begin, another place each time it is loaded: an answer to what it asked before that comes
 * now is nobody's.
 */
export const firstId = (): number => 1000 * Math.round(performance.timeOrigin);

/**
 * What must not reach a terminal but line feeds and tabs, named by numbers and not by the product's own classes:
 * controls, marks that reorder, marks without width, letters without a look, tags, halves of characters.
 */
export const hidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}\ud800-\udfff]/u;

/**
 * Colours, a clipboard, eight-bit controls, text turned round, marks without width, tags, a title, deletes, and lines of
 * its own that claim something.
 */
export const hostile =
  "it\u001b[31m\u001b]52;c;eA==\u0007\u009b2J\u202e\u2066\u200b\u{e0041}\u{e007f}\u2028\u0085\u001b]0;t\u001b\\\u007f\b\t.\r\nFORGED\nFORGED\rFORGED";

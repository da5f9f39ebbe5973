/** The addresses of a view's files as its webview may load them. */
export type ViewFiles = {
  /** The toolkit's script, and then the view's own. */
  readonly scripts: readonly string[];
  readonly style: string;
  readonly cspSource: string;
};

/**
 * The page of a view: nothing but its own scripts and style, no inline code, no network. The script runs only with
 * the nonce, which has to be new for every page. The toolkit looks for the nonce in a meta element when it has to add
 * a style.
 */
export function webviewHtml(title: string, { scripts, style, cspSource }: ViewFiles, nonce: string): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource} 'nonce-${nonce}'`,
    `font-src ${cspSource}`,
    `img-src ${cspSource} data:`,
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
<meta property="csp-nonce" content="${nonce}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${escapeHtml(style)}">
<title>${escapeHtml(title)}</title>
</head>
<body>
<main id="app"></main>
${scripts.map((script) => `<script nonce="${nonce}" src="${escapeHtml(script)}"></script>\n`).join("")}</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] ?? c);
}

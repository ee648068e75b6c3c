import { sha256 } from "@sluice/shared";
import { SCRIPT } from "./page_script.ts";
import { STYLE } from "./page_style.ts";

/** The page and its policy. */
interface Page {
  readonly body: string;
  /** Its `Content-Security-Policy`. */
  readonly policy: string;
}

let made: Page | null = null;

/**
 * The page. It contains no untrusted input: its script requests the data, and shows it as text. Its policy allows this
 * script, this style and requests to its own origin, and makes the browser reject strings that would become HTML.
 */
export function dashboardPage(): Page {
  return made ??= {
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rate limits</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<header><h1>Rate limits</h1><button id="pause" aria-pressed="false">Pause</button></header>
<p id="note" role="status"></p>
<noscript>This page needs JavaScript to show what the server counts.</noscript>
<main></main>
<footer>All figures are from the process that responds; rates start when the page is opened.</footer>
<script>${SCRIPT}</script>
</body>
</html>
`,
    policy: [
      "default-src 'none'",
      `script-src ${hashOf(SCRIPT)}`,
      `style-src ${hashOf(STYLE)}`,
      "img-src data:",
      "connect-src 'self'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
    ].join("; "),
  };
}

function hashOf(text: string): string {
  return `'sha256-${btoa(String.fromCharCode(...sha256(new TextEncoder().encode(text))))}'`;
}

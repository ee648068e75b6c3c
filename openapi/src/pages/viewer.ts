import { findPackage } from "@sluice/shared";

/** The viewer's package. */
export const VIEWER = "swagger-ui-dist";

/** Its files that the page uses: no others are served. */
export const VIEWER_FILES: ReadonlySet<string> = new Set([
  "swagger-ui-bundle.js",
  "swagger-ui.css",
  "favicon-16x16.png",
  "favicon-32x32.png",
]);

/**
 * Finds the installed viewer's folder.
 *
 * @returns Its path; `undefined` if it is not installed, or the runtime has no file system
 */
export function viewerFolder(): string | undefined {
  return findPackage(VIEWER)?.replace(/[\\/][^\\/]*$/, "");
}

/** The page may only load its own files. Styles set by its script need no exception. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // arrows and locks in the style sheet
  "img-src 'self' data:",
  // the document, and tried requests
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/** Starts the viewer; a separate file, because the policy forbids inline scripts. */
export const START_SCRIPT = `SwaggerUIBundle({
  url: "./openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  // asks no foreign host whether the document is valid
  validatorUrl: null,
});
`;

/** Fits the viewer's wide tables to small screens. */
export const OWN_STYLE = `body { margin: 0; }
@media (max-width: 640px) {
  .swagger-ui .wrapper { padding: 0 10px; }
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-path { max-width: 100%; }
  .swagger-ui .opblock-body { overflow-x: auto; }
}
`;

/**
 * Returns the viewer's HTML page.
 *
 * @param title Its title
 */
export function viewerPage(title: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" type="image/png" sizes="32x32" href="./favicon-32x32.png">
<link rel="stylesheet" href="./swagger-ui.css">
<link rel="stylesheet" href="./pages.css">
</head>
<body>
<noscript>The document is at <a href="./openapi.json">openapi.json</a>.</noscript>
<div id="swagger-ui"></div>
<script src="./swagger-ui-bundle.js"></script>
<script src="./pages.js"></script>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

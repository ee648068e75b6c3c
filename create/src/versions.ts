/** Versions that projects use. */
import manifest from "../deno.json" with { type: "json" };

/** This package's version, which equals Sluice's. */
export const VERSION: string = manifest.version;

/** Version ranges by package. */
export const RANGES: Readonly<Record<string, string>> = {
  "@sluice/rate-limit": `^${VERSION}`,
  "@sluice/sluice": `^${VERSION}`,
  "@types/bun": "^1.3.0",
  "@types/ejs": "^3.1.5",
  "@types/node": "^24.0.0",
  "ejs": "^7.0.2",
  "tsx": "^4.20.0",
  "typescript": "^7.0.2",
  "wrangler": "^4.86.0",
};

import { type Browser, chromium } from "playwright-core";

/** Only pages may fetch anything, and the graphics of a machine without a screen are not used. */
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * Starts Chromium.
 *
 * @param executablePath Its program; by default the one that the tests found
 */
export async function launchBrowser(executablePath: string = Deno.env.get("CHROMIUM_PATH")!): Promise<Browser> {
  return await chromium.launch({ executablePath, args: ARGS });
}

import { type Browser, chromium } from "playwright-core";

/** Only pages may fetch anything, and a headless machine's graphics are unused. */
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
 * @param executablePath Its program; by default the program that the tests found
 */
export async function launchBrowser(executablePath: string = Deno.env.get("CHROMIUM_PATH")!): Promise<Browser> {
  return await chromium.launch({ executablePath, args: ARGS });
}

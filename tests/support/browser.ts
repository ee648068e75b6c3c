import { type Browser, chromium } from "playwright-core";

/** Nothing is fetched but by pages, and the graphics of a machine without a screen are left alone. */
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
 * @param executablePath Its program; what the tests have found by default
 */
export async function launchBrowser(executablePath: string = Deno.env.get("CHROMIUM_PATH")!): Promise<Browser> {
  return await chromium.launch({ executablePath, args: ARGS });
}

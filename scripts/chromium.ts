import { findOrInstall } from "./apt.ts";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/**
 * Finds or installs Chromium.
 *
 * @returns The program's path, `undefined` if it is missing and cannot be installed
 */
export async function findChromium(): Promise<string | undefined> {
  return Deno.env.get("CHROMIUM_PATH") ?? await findOrInstall(firstPresent, ["chromium", "fonts-dejavu-core"], 600_000);
}

async function firstPresent(): Promise<string | undefined> {
  for (const path of PLACES) {
    if (await Deno.stat(path).then((stat) => stat.isFile, () => false)) return path;
  }
  return undefined;
}

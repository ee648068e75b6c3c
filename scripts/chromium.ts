import { aptInstall } from "./apt.ts";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/**
 * Finds or installs Chromium.
 *
 * @returns Path of the program, `undefined` if there is none and none could be installed
 */
export async function findChromium(): Promise<string | undefined> {
  const given = Deno.env.get("CHROMIUM_PATH");
  if (given !== undefined) return given;
  const found = await firstPresent();
  if (found !== undefined) return found;
  await aptInstall(["chromium", "fonts-dejavu-core"], 600_000);
  return await firstPresent();
}

async function firstPresent(): Promise<string | undefined> {
  for (const path of PLACES) {
    if (await Deno.stat(path).then((stat) => stat.isFile, () => false)) return path;
  }
  return undefined;
}

import { run } from "./process.ts";

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
  await run("apt-get", ["update"], { limitMs: 120_000, quiet: true });
  await run(
    "apt-get",
    [
      ...["-o", "DPkg::Lock::Timeout=300", "install", "-y", "--no-install-recommends"],
      ...["chromium", "fonts-dejavu-core"],
    ],
    { limitMs: 600_000, quiet: true, env: { DEBIAN_FRONTEND: "noninteractive" } },
  );
  return await firstPresent();
}

async function firstPresent(): Promise<string | undefined> {
  for (const path of PLACES) {
    if (await Deno.stat(path).then((stat) => stat.isFile, () => false)) return path;
  }
  return undefined;
}

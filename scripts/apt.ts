import { run } from "./process.ts";

/**
 * Finds a program, or installs it if this process has the rights.
 *
 * @param find Looks for it
 * @param packages Debian packages that provide it
 * @param limitMs Time limit for the installation in ms
 * @returns The result, `undefined` if it is missing and cannot be installed
 */
export async function findOrInstall<Found>(
  find: () => Promise<Found | undefined>,
  packages: readonly string[],
  limitMs = 300_000,
): Promise<Found | undefined> {
  const found = await find();
  if (found !== undefined) return found;
  await run("apt-get", ["update"], { limitMs: 120_000, quiet: true });
  await run(
    "apt-get",
    ["-o", "DPkg::Lock::Timeout=300", "install", "-y", "--no-install-recommends", ...packages],
    { limitMs, quiet: true, env: { DEBIAN_FRONTEND: "noninteractive" } },
  );
  return await find();
}

/**
 * Finds a program that responds to `--version`.
 *
 * @param name Its name
 * @returns The name, `undefined` if there is no such program
 */
export async function programNamed(name: string): Promise<string | undefined> {
  const { code } = await run(name, ["--version"], { limitMs: 5000, quiet: true });
  return code === 0 ? name : undefined;
}

import { run } from "./process.ts";

/**
 * Installs Debian packages, if this process has the rights.
 *
 * @param packages Their names
 * @param limitMs ms after which the installation is given up
 * @returns Whether they are installed now
 */
export async function aptInstall(packages: readonly string[], limitMs: number): Promise<boolean> {
  await run("apt-get", ["update"], { limitMs: 120_000, quiet: true });
  const { code } = await run(
    "apt-get",
    ["-o", "DPkg::Lock::Timeout=300", "install", "-y", "--no-install-recommends", ...packages],
    { limitMs, quiet: true, env: { DEBIAN_FRONTEND: "noninteractive" } },
  );
  return code === 0;
}

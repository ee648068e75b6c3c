/** Projects, created, installed, tested and started as each runtime's users would. */
import { assert } from "@std/assert";
import type { Runtime, Template } from "../../../create/src/choices.ts";
import { done, tool } from "../../examples/deploy/packages.ts";
import type { Registry } from "../../npm/support/registry.ts";
import { PATIENCE_MS } from "../../support/patience.ts";

/** A server in its own process. */
export interface Started {
  readonly origin: string;
  /** Ends it, and returns its exit code. */
  end(): Promise<number>;
}

/** Folder and environment for projects. */
export interface Site {
  /** The projects' folder, with a trailing slash. */
  readonly path: string;
  /** Environment variables for all programs. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Makes a folder for projects, with separate caches where a runtime would reuse a package from another build.
 *
 * @param registry Package source
 */
export async function makeSite(registry: Registry): Promise<Site> {
  const path = `${await Deno.makeTempDir({ prefix: "sluice-projects-" })}/`;
  globalThis.addEventListener("unload", () => Deno.removeSync(path, { recursive: true }));
  const env = {
    ...registry.env,
    ...{ npm_config_audit: "false", npm_config_fund: "false", npm_config_prefer_offline: "true" },
    BUN_INSTALL_CACHE_DIR: `${path}bun`,
    DENO_DIR: `${path}deno`,
    DENO_NO_UPDATE_CHECK: "1",
    // programs that a Dockerfile or a script names
    PATH: [`${path}bin`, Deno.env.get("PATH")].join(":"),
    // nothing is fetched from or sent to Cloudflare
    ...{ CI: "true", WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false", NO_COLOR: "1" },
    ...{ WRANGLER_LOG_PATH: `${path}logs`, XDG_CONFIG_HOME: `${path}config` },
  };
  for (const name of ["bin", "temporary"]) await Deno.mkdir(path + name);
  for (const [name, target] of [["bun", tool("bun")], ["bunx", tool("bun")], ["deno", Deno.execPath()]]) {
    await Deno.symlink(target!, `${path}bin/${name}`);
  }
  return { path, env };
}

/** Commands that create a project, by runtime. */
const CREATE: Readonly<Record<Runtime, readonly string[]>> = {
  node: ["npm", "create", "--yes", "sluice", "--"],
  deno: ["deno", "run", "--quiet", "-A", "jsr:@sluice/create"],
  // not on Node, which Bun would use if it is present
  bun: ["bun", "--bun", "create", "sluice"],
  workers: ["npm", "create", "--yes", "sluice", "--"],
};

/**
 * Creates a project.
 *
 * @param site Where to create it
 * @param runtime Its runtime, which also runs the program that creates it
 * @param template Its template
 * @returns Its folder, with a trailing slash
 */
export async function writeProject({ path, env }: Site, runtime: Runtime, template: Template): Promise<string> {
  const [program, ...args] = CREATE[runtime];
  const name = `${template}-on-${runtime}`;
  // npm and Bun cache such programs, and would run one from an earlier build
  const caches = { npm_config_cache: `${path}npm`, TMPDIR: `${path}temporary` };
  const choice = ["--runtime", runtime, "--template", template];
  await done("sh", ["-c", 'exec "$0" "$@"', program!, ...args, name, ...choice], path, { ...env, ...caches });
  return `${path}${name}/`;
}

/**
 * Runs a project's command line, which is expected to succeed.
 *
 * @param site Site of the project
 * @param folder Its folder
 * @param line The command line
 */
export async function inProject({ env }: Site, folder: string, line: string): Promise<string> {
  return await done("sh", ["-c", line], folder, env);
}

/**
 * Starts a server, and waits until it prints its address.
 *
 * @param command The command
 * @param cwd Folder it runs in
 * @param env Variables added to its environment
 */
export async function start(
  [program, ...args]: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Started> {
  // uses the PATH of its environment, and merges stderr into stdout
  const line = ["-c", 'exec "$0" "$@" 2>&1', program!, ...args];
  const child = new Deno.Command("sh", { args: line, cwd, env: { ...env }, stdin: "null", stdout: "piped" }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  let printed = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      printed += value ?? "";
      const [, port] = printed.match(/http:\/\/(?:localhost|127\.0\.0\.1):(\d+)\s/) ?? [];
      if (port !== undefined) return { origin: `http://127.0.0.1:${port}`, end: () => endOf(child, reader) };
      assert(!done, `${program} ${args.join(" ")} did not start: ${printed}`);
    }
  } finally {
    clearTimeout(timer);
  }
}

async function endOf(child: Deno.ChildProcess, reader: ReadableStreamDefaultReader<string>): Promise<number> {
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  child.kill("SIGTERM");
  while (!(await reader.read()).done);
  const { code } = await child.status;
  clearTimeout(timer);
  return code;
}

/** All of a project's files, by path. */
export async function filesIn(folder: string, below = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(`${folder}${below}`)) {
    if (isDirectory) found.push(...await filesIn(folder, `${below}${name}/`));
    else found.push(below + name);
  }
  return found.sort();
}

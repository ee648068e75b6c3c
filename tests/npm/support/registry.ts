/**
 * Registries with this repository's packages, as the real ones will have them: one for npm, which forwards requests for
 * other packages to the real registry, and one for JSR.
 */
import { fileURLToPath } from "node:url";
import type { Built } from "../../../scripts/build_npm.ts";
import { CREATE, PACKAGES } from "../../../scripts/packages.ts";
import { run } from "../../../scripts/process.ts";
import { jsrPackages, npmPackages } from "../../../scripts/shared_builds.ts";

/** Both registries. */
export interface Registry {
  /** Address of the npm registry, without a trailing slash. */
  readonly npm: string;
  /** Address of the JSR registry, in `JSR_URL` form. */
  readonly jsr: string;
  /** The npm packages. */
  readonly packages: readonly Built[];
  /** Folder with the JSR packages. */
  readonly published: URL;
  /** Environment variables that make npm, pnpm, Yarn, Bun and Deno use these registries. */
  readonly env: Record<string, string>;
  /** Stops both. */
  stop(): Promise<void>;
}

/** Serves the built packages. */
export async function startRegistry(): Promise<Registry> {
  const { libraries, express, program } = await npmPackages();
  const published = await jsrPackages();
  const upstream = await realRegistry();
  const served = Map.groupBy([...libraries, ...express, program], ({ name }) => name);
  const npm = serve((path) => npmAnswer(path, served, upstream, npm.url));
  const jsr = serve((path) => jsrAnswer(path, published));
  return {
    npm: npm.url,
    jsr: `${jsr.url}/`,
    packages: libraries,
    published,
    env: { npm_config_registry: npm.url, NPM_CONFIG_REGISTRY: npm.url, JSR_URL: `${jsr.url}/` },
    stop: async () => void await Promise.all([npm.stop(), jsr.stop()]),
  };
}

async function realRegistry(): Promise<string> {
  const { output } = await run("npm", ["config", "get", "registry"], { limitMs: 20_000, quiet: true });
  return output.trim().replace(/\/$/, "");
}

function serve(response: (path: string) => Promise<Response>): { url: string; stop(): Promise<void> } {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) => response(decodeURIComponent(new URL(request.url).pathname)),
  );
  return { url: `http://127.0.0.1:${server.addr.port}`, stop: () => server.shutdown() };
}

async function npmAnswer(
  path: string,
  served: ReadonlyMap<string, readonly Built[]>,
  upstream: string,
  url: string,
): Promise<Response> {
  const [name, version] = path.slice(1).split("/-/") as [string, string?];
  const all = served.get(name);
  if (all === undefined) return await fetch(`${upstream}${path.replace(/^\/(@[^/]+)\//, "/$1%2f")}`);
  if (version !== undefined) {
    const one = all.find((one) => `${one.version}.tgz` === version);
    return one === undefined ? new Response(null, { status: 404 }) : new Response(await Deno.readFile(one.tarball));
  }
  const versions = await Promise.all(all.map(async (one) => [one.version, await versionAnswer(one, url)] as const));
  return Response.json({
    name,
    "dist-tags": { latest: all.at(-1)!.version },
    versions: Object.fromEntries(versions),
    time: Object.fromEntries(versions.map(([version]) => [version, "2026-01-01T00:00:00.000Z"])),
  });
}

async function versionAnswer({ name, version, folder, tarball }: Built, url: string): Promise<object> {
  const manifest = JSON.parse(await Deno.readTextFile(new URL("package.json", folder)));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-512", await Deno.readFile(tarball)));
  const dist = { tarball: `${url}/${name}/-/${version}.tgz`, integrity: `sha512-${digest.toBase64()}` };
  return { ...manifest, dist };
}

/** Addresses of packages, by name. */
type Imports = Readonly<Record<string, string>>;

/** JSR's files: https://jsr.io/docs/api#jsr-registry-api */
async function jsrAnswer(path: string, published: URL): Promise<Response> {
  const [, name, rest] = path.match(/^\/(@[^/]+\/[^/]+)\/(.*)$/) ?? [];
  for (const { path } of [...PACKAGES, CREATE]) {
    const folder = new URL(path, published);
    const manifest = JSON.parse(await Deno.readTextFile(new URL("deno.json", folder)));
    if (manifest.name !== name) continue;
    const { version, exports, imports } = manifest;
    if (rest === "meta.json") return Response.json({ latest: version, versions: { [version]: {} } });
    if (rest === `${version}_meta.json`) return Response.json({ manifest: await files(folder, imports), exports });
    return new Response(await unfurled(new URL(rest!.slice(`${version}/`.length), folder), imports));
  }
  return new Response(null, { status: 404 });
}

async function files(
  folder: URL,
  imports: Imports,
  below = "",
): Promise<Record<string, { size: number; checksum: string }>> {
  const found: Record<string, { size: number; checksum: string }> = {};
  for await (const { name, isDirectory } of Deno.readDir(new URL(below, folder))) {
    const path = `${below}${name}`;
    if (isDirectory) Object.assign(found, await files(folder, imports, `${path}/`));
    else {
      const bytes = await unfurled(new URL(path, folder), imports);
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
      found[`/${path}`] = { size: bytes.length, checksum: `sha256-${digest.toHex()}` };
    }
  }
  return found;
}

/** A file as `deno publish` uploads it, with the package addresses from the import map. */
async function unfurled(file: URL, own: Imports = {}): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await Deno.readFile(file);
  if (!/\.[jt]s$/.test(file.pathname)) return bytes;
  const { imports: shared, version } = JSON.parse(
    await Deno.readTextFile(new URL("../../../deno.json", import.meta.url)),
  );
  const imports: Imports = { ...shared, ...own };
  const text = new TextDecoder().decode(bytes).replaceAll(
    /(\bfrom\s+|\bimport\(\s*|^import\s+)"((?:@[^/"]+\/)?[^./"@:][^/"]*)(\/[^"]*)?"/gm,
    (whole, before, name, rest = "") => {
      const address = name.startsWith("@sluice/") ? `jsr:${name}@^${version}` : imports[name];
      return address === undefined ? whole : `${before}"${address}${rest}"`;
    },
  );
  return new TextEncoder().encode(text);
}

if (import.meta.main) {
  const registry = await startRegistry();
  console.log(registry.env, registry.packages.map(({ tarball }) => fileURLToPath(tarball)));
}

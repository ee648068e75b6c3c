import { bunPlatform } from "./bun/bun_platform.ts";
import { cloudflarePlatform } from "./cloudflare/cloudflare_platform.ts";
import { denoPlatform } from "./deno/deno_platform.ts";
import type { Platform } from "./shared/platform.ts";

/** The platform for the runtime on which this program runs, `null` if the core has none. */
export function ownPlatform(): Platform | null {
  // only tests for the name: reading Deno.serve makes Deno load its server, which takes 3 ms
  if (has("Deno")) return denoPlatform();
  if (has("Bun")) return bunPlatform();
  // older Workers have no navigator
  return "WebSocketPair" in globalThis ? cloudflarePlatform() : null;
}

function has(name: string): boolean {
  const runtime = (globalThis as Record<string, unknown>)[name];
  return typeof runtime === "object" && runtime !== null && "serve" in runtime;
}

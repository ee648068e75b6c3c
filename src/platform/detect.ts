import { cloudflarePlatform } from "./cloudflare.ts";
import { denoPlatform } from "./deno.ts";
import { genericPlatform } from "./generic.ts";
import type { Platform } from "./platform.ts";

let detected: Platform | null = null;

/** The platform this program runs on; looked up once, when it is first asked for. */
export function detectPlatform(): Platform {
  return detected ??= look();
}

function look(): Platform {
  if (typeof (globalThis as { Deno?: { serve?: unknown } }).Deno?.serve === "function") return denoPlatform;
  if (globalThis.navigator?.userAgent === "Cloudflare-Workers") return cloudflarePlatform;
  return genericPlatform;
}

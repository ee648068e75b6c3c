import { cloudflarePlatform } from "./cloudflare/cloudflare_platform.ts";
import type { Platform } from "./shared/platform.ts";

/** What the package for npm has instead of `runtimes.ts` under the condition `workerd`: a Worker runs nowhere else. */
export function ownPlatform(): Platform | null {
  return "WebSocketPair" in globalThis ? cloudflarePlatform() : null;
}

import { cloudflarePlatform } from "./cloudflare/cloudflare_platform.ts";
import type { Platform } from "./shared/platform.ts";

/** Replaces `runtimes.ts` in the npm package under the condition `workerd`: a Worker runs nowhere else. */
export function ownPlatform(): Platform | null {
  return "WebSocketPair" in globalThis ? cloudflarePlatform() : null;
}

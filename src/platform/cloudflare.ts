import { genericPlatform } from "./generic.ts";
import type { Platform } from "./platform.ts";

/** Cloudflare Workers: the platform names the client in a header of its own and takes no function for an app. */
export const cloudflarePlatform: Platform = {
  ...genericPlatform,
  name: "Workers",
  // a function exported as the default is taken for a Durable Object class
  callableApps: false,
  environment: (bindings) => (bindings ?? {}) as Record<string, unknown>,
  peerOf: (_info, request) => ({ address: request.headers.get("cf-connecting-ip") ?? undefined }),
};

import type { TracingChannels } from "../../exchange/runtime_support.ts";

/** The part of `node:diagnostics_channel` used here; older Node versions have no tracing channels. */
export interface DiagnosticsChannel {
  tracingChannel?(name: string): TracingChannels;
}

/**
 * The channel on which Express 5.3, through its package router 2.3, publishes calls to handlers.
 *
 * @param diagnostics The `node:diagnostics_channel` module, if there is one
 */
export function handlerChannel(diagnostics: DiagnosticsChannel | undefined): TracingChannels | null {
  return diagnostics?.tracingChannel?.("express.router.request") ?? null;
}

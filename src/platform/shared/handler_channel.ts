import type { TracingChannels } from "../../exchange/runtime_support.ts";

/** The used part of `node:diagnostics_channel`; older versions of Node have no tracing channels. */
export interface DiagnosticsChannel {
  tracingChannel?(name: string): TracingChannels;
}

/**
 * The channel on which Express 5.3, by its package router 2.3, publishes calls of handlers.
 *
 * @param diagnostics The module `node:diagnostics_channel`, if there is one
 */
export function handlerChannel(diagnostics: DiagnosticsChannel | undefined): TracingChannels | null {
  return diagnostics?.tracingChannel?.("express.router.request") ?? null;
}

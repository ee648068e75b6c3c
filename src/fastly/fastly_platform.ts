import { genericPlatform, variables } from "../platform/shared/generic_platform.ts";
import type { Platform } from "../platform/shared/platform.ts";
import type { Peer } from "../exchange/peer.ts";
import { bindingsOf } from "../platform/shared/bindings.ts";

/** Reads a Compute service's variables: `env` from the `fastly:env` module. */
export interface FastlyEnvironment {
  /** Returns a variable's value, empty if there is none. */
  get(name: string): string;
}

/** The type of `req.info` on Fastly Compute: the `fetch` event. */
export interface FastlyInfo {
  /** The client. */
  readonly client: {
    /** IP address. */
    readonly address: string;
    /** Its location, `null` if unknown. */
    readonly geo: Readonly<Record<string, unknown>> | null;
  };
  /** The server. */
  readonly server?: {
    /** IP address. */
    readonly address: string;
  };
}

/**
 * Fastly Compute: the event identifies the client, and there are no files.
 *
 * @param variablesOf Returns the environment; called when a variable is read
 */
export function fastlyPlatform(variablesOf: () => FastlyEnvironment | undefined): Platform {
  const env = (name: string): string | undefined => variablesOf()?.get(name) || undefined;
  const environment = variables(env);
  return {
    ...genericPlatform(),
    name: "Fastly Compute",
    env,
    defaultEnv: () => "production",
    environment: (...given) => bindingsOf(...given) ?? environment,
    peerOf,
  };
}

function peerOf(info: unknown): Peer {
  const address: unknown = (info as Partial<FastlyInfo> | null | undefined)?.client?.address;
  return { address: typeof address === "string" ? address : undefined };
}

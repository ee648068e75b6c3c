import { findOrInstall } from "./apt.ts";

/** How to find and start a server for the tests. */
export interface ServerSource<Program, Server> {
  /** Environment variable with a running server's address. */
  readonly variable: string;
  /** Returns the server at an address. */
  given(address: string): Server;
  /** Looks for the program. */
  find(): Promise<Program | undefined>;
  /** Debian package that provides it. */
  readonly debianPackage: string;
  /** Starts a server on a free port on this machine. */
  start(program: Program): Promise<Server>;
}

/**
 * Finds a server; otherwise finds or installs its program and starts one.
 *
 * @param source How to find and start it
 * @returns The server, or why there is none
 */
export async function testServer<Program, Server>(source: ServerSource<Program, Server>): Promise<Server | string> {
  const address = Deno.env.get(source.variable);
  if (address !== undefined) return source.given(address);
  const program = await findOrInstall(source.find, [source.debianPackage]);
  if (program === undefined) return "not installed, and apt-get could not install it";
  try {
    return await source.start(program);
  } catch (error) {
    return `it did not start: ${error instanceof Error ? error.message : error}`;
  }
}

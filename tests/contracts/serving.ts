import { fileURLToPath } from "node:url";
import type { Ask } from "./case.ts";
import { PATIENCE_MS } from "../support/patience.ts";

/** A server in a separate process. */
export interface Serving {
  readonly origin: string;
  /** Sends it a request over a socket. */
  readonly ask: Ask;
  /** Stops it. */
  stop(): Promise<void>;
}

const ROOT = new URL("../../", import.meta.url);

/**
 * Starts a server and waits until it prints its port, as a number or at the end of a URL.
 *
 * @param program The program
 * @param args Its arguments
 * @param env Variables added to its environment
 * @returns The server
 */
export async function startServing(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Serving> {
  const child = new Deno.Command(program, {
    args: [...args],
    cwd: fileURLToPath(ROOT),
    env: { NODE_ENV: "test", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const client = Deno.createHttpClient({});
  const told = { text: "" };
  const port = Promise.withResolvers<number>();
  const listen = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      told.text += text;
      // and not a line number in a stack trace
      const found = told.text.match(/(?:^|https?:\/\/\S+:)(\d{2,5})\/?\s*$/m);
      if (found !== null) port.resolve(Number(found[1]));
    }
  };
  const heard = Promise.all([listen(child.stdout), listen(child.stderr)]);
  let gone: Error | undefined;
  const ended = child.status.then(async ({ code, signal }) => {
    await heard;
    throw gone = new Error(`${program} ${args.join(" ")} ended (${signal ?? code}): ${told.text}`);
  });
  ended.catch(() => {});
  const timer = setTimeout(() => port.reject(new Error(`${program} is not ready: ${told.text}`)), PATIENCE_MS);
  const end = (signal: "SIGTERM" | "SIGKILL"): void => {
    try {
      child.kill(signal);
    } catch {
      // it has already exited
    }
  };
  const stop = async (): Promise<void> => {
    client.close();
    // a host with a child process can end that process on SIGTERM, but not when killed
    end("SIGTERM");
    const timer = setTimeout(() => end("SIGKILL"), 3000);
    await child.status;
    clearTimeout(timer);
    await heard;
  };
  try {
    const origin = `http://127.0.0.1:${await Promise.race([port.promise, ended])}`;
    const ask: Ask = (path, init) => {
      const options: RequestInit & { client: Deno.HttpClient } = { ...asked(init), client };
      // the server's last output explains more than a refused connection
      return fetch(origin + path, options).catch((error) => Promise.reject(gone ?? error));
    };
    return { origin, stop, ask };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Options for every request: redirects are not followed, and responses are not compressed. */
export function asked(init: RequestInit = {}): RequestInit {
  const headers = new Headers(init.headers);
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "identity");
  return { redirect: "manual", ...init, headers };
}

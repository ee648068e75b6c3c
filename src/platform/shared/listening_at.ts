/** Node's messages, by code, for errors on which a program can act. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "address already in use",
  EADDRNOTAVAIL: "address not available",
  EACCES: "permission denied",
};

/** A system error. */
interface SystemError extends Error {
  code?: unknown;
  syscall?: string;
  address?: string;
  port?: number;
}

/**
 * Listens. On failure, it gives the error the message and properties it has on Node: other runtimes omit the address,
 * and programs show these properties to their users.
 *
 * @param address The address
 * @param port The port
 * @param listen Listens
 * @returns What `listen` returns
 * @throws The runtime's own error
 */
export function listeningAt<S>(address: string, port: number, listen: () => S): S {
  try {
    return listen();
  } catch (error) {
    if (error instanceof Error) describeAsNode(error, address, port);
    throw error;
  }
}

function describeAsNode(error: SystemError, address: string, port: number): void {
  const reason = REASONS[String(error.code)];
  if (reason === undefined) return;
  const { message, stack } = error;
  const text = `listen ${error.code}: ${reason} ${address}:${port}`;
  error.message = text;
  // the stack, which runtimes print, begins with the original message
  if (stack?.includes(message)) error.stack = stack.replace(message, () => text);
  Object.assign(error, { syscall: "listen", address, port });
}

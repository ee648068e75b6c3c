import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Any } from "../../../tests/support/sluice_and_express.ts";
import type { Served } from "./serve_programs.ts";

/**
 * Serves an application on a Node server.
 *
 * @param app The application
 */
export async function serveByNode(app: Any): Promise<Served> {
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { port: (server.address() as AddressInfo).port, close };
}

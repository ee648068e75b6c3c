/** The service for a soak test. Prints its port. */
import { buildService } from "./service.ts";

const server = buildService().listen(
  { port: 0, hostname: "127.0.0.1" },
  () => setTimeout(() => console.log(server.port)),
);

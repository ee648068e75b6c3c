/** The target with `app.listen`. Prints its port. */
import { buildTarget } from "./target.ts";

const server = buildTarget().listen(
  { port: 0, hostname: "127.0.0.1" },
  () => setTimeout(() => console.log(server.port)),
);

/** Sluice on any runtime; prints its port. */
import { createServer } from "node:http";
import process from "node:process";
import sluice from "@sluice/sluice";
import type { Any } from "../../support/sluice_and_express.ts";
import { build, OWN_WAYS, WAYS } from "./program.ts";

const app: Any = build(sluice().set("etag", "sha1"), { ...WAYS, ...OWN_WAYS });
const { SERVED_BY, CERT, KEY } = process.env;
const at = { port: 0, hostname: "127.0.0.1", ...CERT && KEY ? { cert: CERT, key: KEY } : {} };
if (SERVED_BY === "createServer") {
  const server = createServer(app).listen(0, at.hostname, () => console.log((server.address() as Any).port));
} else {
  const server = app.listen(at, () => setTimeout(() => console.log(server.address().port)));
}

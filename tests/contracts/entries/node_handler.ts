/** The program on the user's own Node server. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler, toUpgradeHandler } from "@sluice/sluice/node";
import { buildProgram } from "../program.ts";

const app = buildProgram();
const server = createServer(toNodeHandler(app));
server.on("upgrade", toUpgradeHandler(app));
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));

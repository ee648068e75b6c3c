/**
 * Express 4 on Sluice, byte for byte where its own tests check, for unchanged programs: `npm install
 * express@npm:@sluice/express@4`. New programs use `@sluice/sluice`.
 *
 * @module
 */
import { express } from "./src/four/express.ts";

export type * from "@sluice/sluice";
export { Route, static } from "@sluice/sluice";
export const { Router, application, json, query, raw, request, response, text, urlencoded } = express;
export { express as "module.exports", express as default };

/**
 * Express 5 on Sluice, byte for byte where its own tests check, for unchanged programs: `npm install
 * express@npm:@sluice/express@5`. New programs use `@sluice/sluice`.
 *
 * @module
 */
import { express } from "./src/five/express.ts";

export type * from "@sluice/sluice";
export { json, raw, Route, static, text, urlencoded } from "@sluice/sluice";
export const { Router, application, request, response } = express;
export { express as "module.exports", express as default };

import createApp from "@sluice/express";
import { queryMiddleware } from "../../src/shared/query.ts";

const query = queryMiddleware(createApp);

export { query as "module.exports", query as default };

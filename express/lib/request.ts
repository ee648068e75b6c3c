import { request } from "@sluice/express";

export { request as "module.exports", request as default };

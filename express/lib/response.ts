import { response } from "@sluice/express";

export { response as "module.exports", response as default };

import { request } from "@sluice/sluice";

export { request as "module.exports", request as default };

import { response } from "@sluice/sluice";

export { response as "module.exports", response as default };

import { Route } from "@sluice/sluice";

export { Route as "module.exports", Route as default };

import { Route } from "@sluice/express";

export { Route as "module.exports", Route as default };

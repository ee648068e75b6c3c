import { application } from "@sluice/express";

export { application as "module.exports", application as default };

import { application } from "@sluice/sluice";

export { application as "module.exports", application as default };

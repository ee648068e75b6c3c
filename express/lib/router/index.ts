import { Router } from "@sluice/express";

export { Router as "module.exports", Router as default };

import { Router } from "@sluice/sluice";

export { Router as "module.exports", Router as default };

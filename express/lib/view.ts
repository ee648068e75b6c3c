import { View } from "@sluice/sluice";

export { View as "module.exports", View as default };

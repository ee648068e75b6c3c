import { loadPackage } from "../node/load_package.ts";
import { nodeFiles } from "../node/node_files.ts";
import { genericPlatform } from "../platform/shared/generic_platform.ts";
import type { Platform } from "../platform/shared/platform.ts";

/** Lambda's Node runtimes: Node's files and packages, without a way to listen. */
export const lambdaPlatform: Platform = {
  ...genericPlatform(),
  name: "Lambda",
  // the response would wait for such handlers, so a handler that never ends would withhold it
  endsWithResponse: false,
  files: nodeFiles,
  defaultEnv: () => "production",
  loadPackage,
  // the invocation fails with the error
  tellsOfBodies: () => true,
  serve() {
    throw new TypeError(
      "app.listen: functions on Lambda do not listen; export toLambdaHandler(app), or import @sluice/sluice/node to " +
        "listen on Node",
    );
  },
};

/** Sluice on Node over uWebSockets.js, for programs that call `app.listen(port, hostname, callback)`. */
import { uWS } from "../../fixtures/uws/engine.ts";
import sluice from "../../../mod.ts";
import { serve } from "../../../uws.ts";

/** Makes an application that listens with uWebSockets.js. */
export default Object.assign(
  (...args: Parameters<typeof sluice>) => {
    const app = sluice(...args);
    const listen = (port: number, hostname: string, callback: () => void) =>
      serve(app, { uWS, port, hostname }, callback);
    return Object.defineProperty(app, "listen", { value: listen });
  },
  sluice,
);

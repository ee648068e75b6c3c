/** Prints what becomes of requests in Sluice whose clients have left. */
import sluice from "@sluice/sluice";
import { departures, OWN_WAYS, WAYS } from "./ways.ts";

console.log(JSON.stringify(await departures(sluice(), { ...WAYS, ...OWN_WAYS })));

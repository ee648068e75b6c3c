/** Prints what happens in Sluice to requests from disconnected clients. */
import sluice from "@sluice/sluice";
import { departures, OWN_WAYS, WAYS } from "./ways.ts";

console.log(JSON.stringify(await departures(sluice(), { ...WAYS, ...OWN_WAYS })));

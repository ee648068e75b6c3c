/** Prints the OpenAPI document of the application at a path, for the types of a client. */
import { openapi } from "@sluice/openapi";

const { app } = await import(Deno.args[0]!);
console.log(JSON.stringify(openapi(app, { title: "Things", version: "1" })));

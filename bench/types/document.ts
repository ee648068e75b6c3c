/** Prints the OpenAPI document for the application at a path, for a client's types. */
import { openapi } from "@sluice/openapi";

const { app } = await import(Deno.args[0]!);
console.log(JSON.stringify(openapi(app, { title: "Things", version: "1" })));

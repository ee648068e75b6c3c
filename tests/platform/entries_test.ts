import { assertThrows } from "@std/assert";
import express from "express";
import { serveFastly } from "@sluice/sluice/fastly";
import { toLambdaHandler } from "@sluice/sluice/lambda";
import { serve, toNodeHandler, toUpgradeHandler } from "@sluice/sluice/node";

const ENTRIES: Readonly<Record<string, (app: never) => unknown>> = {
  serve: (app) => serve(app, { port: 0 }),
  toNodeHandler,
  toUpgradeHandler,
  toLambdaHandler,
  serveFastly,
};

for (const [name, entry] of Object.entries(ENTRIES)) {
  Deno.test(`${name} refuses a value that is no application before any request arrives`, () => {
    const refuses = (given: unknown, shown: string) =>
      assertThrows(
        () => entry(given as never),
        TypeError,
        `${name} expects an application created by sluice(), not ${shown}`,
      );
    refuses(undefined, "undefined");
    refuses({}, "an object without fetch");
    refuses(express(), "a function without fetch");
  });
}

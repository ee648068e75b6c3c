/** The service in Express; prints its port. */
import express from "express";
import { serve } from "./service.ts";
import { WAYS } from "./ways.ts";

const app = express().set("env", "test");
const extras = {
  middleware: [express.json({ limit: 100_000 })],
  counters: {},
  probe: () => Promise.resolve([]),
  // its server does not belong to the framework
  close: () => Promise.resolve(),
};
await serve(app, WAYS, extras);

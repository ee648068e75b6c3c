import type { RequestListener } from "node:http";
import express from "express";
import type { Application } from "../service/scenarios.ts";
import { register } from "./express_like.ts";

/** An application on Express. */
export function expressApp(application: Application, folder: string): RequestListener {
  const app = express();
  // do not log requests that the load generator aborts at the end
  app.set("env", "test");
  register(express, app, application, folder);
  return app as unknown as RequestListener;
}

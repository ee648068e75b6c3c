#!/usr/bin/env node
/**
 * The program that starts a project with Sluice: it asks for a folder, a runtime and a template, unless its arguments
 * say them, and writes at most ten files.
 *
 * ```sh
 * deno run -A jsr:@sluice/create my-app --runtime deno --template api
 * npm create sluice my-app -- --runtime node --template api
 * ```
 *
 * @module
 */
import process from "node:process";
import { main } from "./src/main.ts";

process.exitCode = await main(process.argv.slice(2));

#!/usr/bin/env node
/**
 * Scaffolds a Sluice project: asks for a folder, a runtime and a template unless given as arguments, and writes at most
 * eleven files.
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

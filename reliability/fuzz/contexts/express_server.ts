/** Express as the target, on Node. Prints its port. */
import express from "express";
import { COMMON_WAYS } from "./common_ways.ts";
import { buildTarget } from "./target.ts";

const server = buildTarget(express, COMMON_WAYS).listen(0, "127.0.0.1", () => console.log(server.address().port));

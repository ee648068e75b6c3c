/** Express, on Node; prints its port. */
import express from "express";
import { build, WAYS } from "./program.ts";

const server = build(express(), WAYS).listen(0, "127.0.0.1", () => console.log(server.address().port));

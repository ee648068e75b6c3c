/** Prints what happens in Express to requests from disconnected clients. */
import express from "express";
import { departures, WAYS } from "./ways.ts";

console.log(JSON.stringify(await departures(express(), WAYS)));

/** Prints what happens in Express to requests whose clients have disconnected. */
import express from "express";
import { departures, WAYS } from "./ways.ts";

console.log(JSON.stringify(await departures(express(), WAYS)));

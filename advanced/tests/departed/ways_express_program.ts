/** Prints what becomes of requests in Express whose clients have left. */
import express from "express";
import { departures, WAYS } from "./ways.ts";

console.log(JSON.stringify(await departures(express(), WAYS)));

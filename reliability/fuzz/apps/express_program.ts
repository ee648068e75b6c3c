/** Serves random applications on real Express, on Node. */
import express from "express";
import { serveByNode } from "./serve_by_node.ts";
import { servePrograms } from "./serve_programs.ts";

await servePrograms(express, { "http.createServer(app)": serveByNode });

/** Serves random applications on real Express, on Node. */
import process from "node:process";
import express5 from "express";
import express4 from "express-4";
import { serveByNode } from "./serve_by_node.ts";
import { servePrograms } from "./serve_programs.ts";

const express = process.env["FRAMEWORK"] === "Express 4" ? express4 : express5;
await servePrograms(express, { "http.createServer(app)": serveByNode });

import { assertEquals } from "@std/assert";
import { nearestName } from "../../src/util/nearest_name.ts";

const NAMES = ["limit", "httpOnly", "maxAge", "view engine", "views", "trust proxy", "env"];

Deno.test("a name that differs in capitals, punctuation or a character or two is taken for the nearest", () => {
  const given = [
    "httponly",
    "HttpOnly",
    "Max-Age",
    "limmit",
    "limti",
    "view engin",
    "view-engine",
    "trust  prox",
    "trust proxies",
  ];
  assertEquals(given.map((name) => nearestName(name, NAMES)), [
    "httpOnly",
    "httpOnly",
    "maxAge",
    "limit",
    "limit",
    "view engine",
    "view engine",
    "trust proxy",
    "trust proxy",
  ]);
});

Deno.test("a short name, or one with nothing in common, is near to none", () => {
  for (const name of ["title", "port", "envy", "view", "secret", "io", "", "database"]) {
    assertEquals([name, nearestName(name, NAMES)], [name, undefined]);
  }
});

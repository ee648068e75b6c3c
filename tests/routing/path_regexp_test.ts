import { assert, assertEquals } from "@std/assert";
import { parse } from "path-to-regexp";
import { pathToRegexp } from "path-to-regexp-of-express";
import { pathRegExp } from "../../src/matching/path_regexp.ts";
import { random } from "../support/random.ts";

Deno.test("a path becomes the expression that Express's path-to-regexp makes of it", () => {
  const pick = random(11);
  const parts = ["/", "/", "/a", "/b", "-", ".", "x", "ab", ":p", ":q", ":r", "*w", "*v", "{", "}", "/:p", "/*w"];
  const text = ["/", "/", "a", "b", "-", ".", "x", "ab", "/a", "1"];
  const some = (from: readonly string[], most: number) =>
    Array.from({ length: 1 + pick(most) }, () => from[pick(from.length)]!).join("");
  const told = (make: () => { regexp: RegExp }) => {
    try {
      return make().regexp;
    } catch (error) {
      return (error as Error).message.split(": ")[0]!;
    }
  };
  let matched = 0;
  for (let i = 0; i < 6000; i++) {
    const path = `/${some(parts, 7)}`;
    const options = { sensitive: pick(2) === 0, end: pick(3) > 0, strict: pick(3) === 0 };
    const ours = told(() => pathRegExp(parse(path).tokens, path, options));
    const theirs = told(() => pathToRegexp(path, { ...options, trailing: !options.strict }));
    if (typeof ours === "string" || typeof theirs === "string") {
      assertEquals(ours, theirs, path);
      continue;
    }
    for (let times = 0; times < 12; times++) {
      const asked = `/${some(text, 9)}`;
      const found = ours.exec(asked);
      if (found !== null) matched++;
      assertEquals(found && [...found], theirs.exec(asked) && [...theirs.exec(asked)!], `${path} for ${asked}`);
    }
  }
  assert(matched > 3000, `${matched} matches`);
});

Deno.test("no path makes an expression backtrack without end", () => {
  const long = "a-".repeat(5000);
  for (const path of ["/:a-:b-:c", "/*a-*b-*c", "/:a{-:b}{-:c}", "/*a/x/*b/x/*c"]) {
    const { regexp } = pathRegExp(parse(path).tokens, path, { sensitive: false, end: true, strict: true });
    // a backtracking expression would not finish
    assertEquals(regexp.test(`/${long}/-/`), regexp.exec(`/${long}/-/`) !== null, path);
  }
});

import { assertEquals } from "@std/assert";
import { asciiLowerCase, asciiUpperCase, trimBlanks } from "../../src/util/ascii.ts";

const CODE_UNITS = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));

Deno.test("of all characters only spaces and tabs are stripped, at both ends", () => {
  const stripped = CODE_UNITS.filter((one) => trimBlanks(`${one}a${one}`) !== `${one}a${one}`);
  assertEquals(stripped, ["\t", " "]);
  assertEquals(["", " ", " \t", "\t a \t b\t ", "\u00a0 a"].map(trimBlanks), ["", "", "", "a \t b", "\u00a0 a"]);
});

Deno.test("of all characters only A to Z have another lower case", () => {
  const changed = CODE_UNITS.filter((one) => asciiLowerCase(`${one}`) !== one);
  assertEquals(changed.join(""), "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  assertEquals(asciiLowerCase("ACCEPT"), "accept");
  assertEquals(asciiLowerCase("WEBSOC\u212aET \u0130D \u00c9"), "websoc\u212aet \u0130d \u00c9");
});

Deno.test("of all characters only a to z have another upper case", () => {
  const changed = CODE_UNITS.filter((one) => asciiUpperCase(`${one}`) !== one);
  assertEquals(changed.join(""), "abcdefghijklmnopqrstuvwxyz");
  assertEquals(asciiUpperCase("post"), "POST");
  assertEquals(asciiUpperCase("po\u017ft l\u0131nk \u00df"), "PO\u017fT L\u0131NK \u00df");
});

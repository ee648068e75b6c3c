import { assertEquals } from "@std/assert";
import { sha1EntityTag, strongEntityTag, type TagMaker } from "../../../src/http/entity_tag.ts";
import { builtinEntityTag } from "../../../src/platform/shared/builtin_entity_tag.ts";
import { builtinModule, type BuiltinName } from "../../../src/platform/shared/builtin_module.ts";

const BODIES = ["x", "ü", "😀", "a\ud800b", "😀\udc00"].map((part) => part.repeat(600));

Deno.test("the runtime makes the same entity tags, once enough has come for it to load what it needs", () => {
  const entityTag = builtinEntityTag(builtinModule, 1000);
  assertEquals([entityTag("x".repeat(900)), entityTag("x".repeat(99))], [null, null]);
  for (const body of BODIES) {
    const bytes = new TextEncoder().encode(body);
    assertEquals([entityTag(body), entityTag(bytes)], [strongEntityTag(body), strongEntityTag(bytes)]);
  }
});

Deno.test("a runtime without Node's hashes makes none", () => {
  const { process } = globalThis;
  for (const value of [undefined, {}, { getBuiltinModule: () => undefined }]) {
    Object.defineProperty(globalThis, "process", { value, configurable: true, writable: true });
    try {
      assertEquals(builtinEntityTag(builtinModule, 0)("x".repeat(600)), null);
    } finally {
      Object.defineProperty(globalThis, "process", { value: process, configurable: true, writable: true });
    }
  }
});

Deno.test("a Node without one-shot hashes makes the same tags", () => {
  const load = <T>(name: BuiltinName) => ({ ...builtinModule<object>(name), hash: undefined }) as T;
  for (const body of BODIES) assertEquals(builtinEntityTag(load, 0)(body), strongEntityTag(body));
});

Deno.test("only long bodies are passed to the runtime", () => {
  const passed: number[] = [];
  const runtime: TagMaker = {
    entityTag(body) {
      passed.push(body.length);
      return null;
    },
  };
  for (const body of ["x".repeat(512), "ü".repeat(512), new Uint8Array(512)]) strongEntityTag(body, runtime);
  assertEquals(passed, []);
  for (const body of ["x".repeat(513), "ü".repeat(513), new Uint8Array(513)]) {
    assertEquals(strongEntityTag(body, runtime), strongEntityTag(body));
    assertEquals(sha1EntityTag(body, runtime), sha1EntityTag(body));
  }
  assertEquals(passed, [513, 513, 513, 513, 513, 513]);
});

import { assertEquals } from "@std/assert";
import { type Hashing, strongEntityTag, weakEntityTag } from "../../src/http/entity_tag.ts";
import { sha1Base64 } from "../../src/http/sha1.ts";
import { builtinSha1 } from "../../src/platform/builtin_hash.ts";

Deno.test("the runtime's hash is used once enough bytes have come, and is the same", () => {
  const sha1 = builtinSha1(1000);
  const bytes = new TextEncoder().encode("ü".repeat(300));
  assertEquals([sha1(bytes), sha1(bytes), sha1(bytes)], [null, sha1Base64(bytes), sha1Base64(bytes)]);
});

Deno.test("where there is no hash, nothing is returned", () => {
  const { process } = globalThis;
  for (const without of [undefined, {}, { getBuiltinModule: () => undefined }]) {
    Object.defineProperty(globalThis, "process", { value: without, configurable: true });
    try {
      assertEquals(builtinSha1(0)(new Uint8Array(1000)), null);
    } finally {
      Object.defineProperty(globalThis, "process", { value: process, configurable: true, writable: true });
    }
  }
});

Deno.test("only long bodies are passed to the runtime, as bytes", () => {
  const passed: number[] = [];
  const runtime: Hashing = {
    sha1(bytes) {
      passed.push(bytes.byteLength);
      return null;
    },
  };
  for (const body of ["x".repeat(512), "ü".repeat(512), new Uint8Array(512)]) strongEntityTag(body, runtime);
  assertEquals(passed, []);
  for (const body of ["x".repeat(513), "ü".repeat(513), new Uint8Array(513)]) {
    assertEquals(strongEntityTag(body, runtime), strongEntityTag(body));
    assertEquals(weakEntityTag(body, runtime), weakEntityTag(body));
  }
  assertEquals(passed, [513, 513, 1026, 1026, 513, 513]);
});

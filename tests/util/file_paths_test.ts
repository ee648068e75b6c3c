import { assertEquals } from "@std/assert";
import { posix, win32 } from "node:path";
import { baseName, extensionOf, isAbsolutePath, normalizePath, resolvePath } from "../../src/util/file_paths.ts";
import { random } from "../support/random.ts";

const PARTS = ["a", "b.txt", ".", "..", "...", "", "c.d.e", ".env", "ü 1", "f.", "C:"];

function paths(seed: number, separators: readonly string[], beginnings: readonly string[]): string[] {
  const pick = random(seed);
  return Array.from({ length: 4000 }, () => {
    let path = beginnings[pick(beginnings.length)]!;
    for (let left = pick(6); left > 0; left--) {
      path += PARTS[pick(PARTS.length)]! + (left > 1 || pick(3) === 0 ? separators[pick(separators.length)]! : "");
    }
    return path;
  });
}

// Two leading slashes may have a system-specific meaning (POSIX, 4.13 Pathname Resolution). Node collapses them on
// POSIX and keeps them on Windows. Here they are kept, and Linux treats them as one. A drive letter also counts as one
// on POSIX.
const onPosix = paths(11, ["/", "//"], ["", "/", "../http/", "../"]).filter((path) => !/^(?:\/\/|C:\/)/.test(path));

Deno.test("POSIX paths are handled like Node's path.posix does", () => {
  for (const path of onPosix) {
    assertEquals(normalizePath(path), posix.normalize(path), `normalize ${path}`);
    assertEquals(resolvePath(path, () => "/here/x"), posix.resolve("/here/x", path), `resolve ${path}`);
    assertEquals(baseName(path), posix.basename(path), `basename ${path}`);
    assertEquals(extensionOf(path), posix.extname(path), `extname ${path}`);
    assertEquals(isAbsolutePath(path), posix.isAbsolute(path), `isAbsolute ${path}`);
  }
});

Deno.test("where only slashes separate folders, a backslash is part of a name, as for Node's path.posix", () => {
  for (const path of paths(13, ["/", "\\", "\\\\"], ["", "/", "\\"])) {
    assertEquals(baseName(path, "/"), posix.basename(path), `basename ${path}`);
    assertEquals(extensionOf(path, "/"), posix.extname(path), `extname ${path}`);
  }
});

// a drive letter in the middle of a path, or without a slash, cannot be requested
const onWindows = paths(12, ["\\", "/", "\\\\"], ["", ".\\", "C:\\", "d:/", "\\", "C:\\dir\\"])
  .filter((path) => !/^[\\/]{2}/.test(path) && !/^C:(?![\\/])/.test(path) && !/.[C]:/.test(path));

Deno.test("Windows paths are handled like Node's path.win32 does, but with forward slashes", () => {
  for (const path of onWindows) {
    const where = "C:\\here\\x";
    assertEquals(normalizePath(path), slashed(win32.normalize(path)), `normalize ${path}`);
    // Node prepends the working directory's drive to a path with a leading slash; Windows does so itself
    if (!/^[\\/]/.test(path)) {
      assertEquals(resolvePath(path, () => where), slashed(win32.resolve(where, path)), `resolve ${path}`);
    }
    assertEquals(baseName(path), /^[a-z]:[\\/]+$/i.test(path) ? path.slice(0, 2) : win32.basename(path), path);
    assertEquals(extensionOf(path), win32.extname(path), `extname ${path}`);
    assertEquals(isAbsolutePath(path), win32.isAbsolute(path), `isAbsolute ${path}`);
  }
});

Deno.test("the server name of a Windows path is kept", () => {
  assertEquals(normalizePath("\\\\server\\share\\a\\..\\b"), "//server/share/b");
  assertEquals(resolvePath("\\\\server\\share\\", () => "C:\\here"), "//server/share");
  assertEquals(normalizePath(normalizePath("\\\\server\\share")), "//server/share");
});

Deno.test("the working directory is read only for relative paths", () => {
  const never = (): string => {
    throw new Error("asked for the working directory");
  };
  assertEquals(resolvePath("/a/./b/", never), "/a/b");
  assertEquals(resolvePath("C:\\a", never), "C:/a");
});

Deno.test("a long path of slashes takes no longer than any other", () => {
  const path = "/".repeat(200_000) + "a" + "/".repeat(200_000);
  assertEquals(baseName(path), "a");
  assertEquals(normalizePath(path), "/a/");
});

function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}

Deno.test("where only a slash separates folders, no path begins with a backslash or a disk of Windows", () => {
  for (const path of ["\\etc\\a.ejs", "C:/a.ejs", "C:\\a.ejs", "..\\a.ejs"]) {
    assertEquals(resolvePath(path, () => "/here", "/"), posix.resolve("/here", path), path);
  }
});

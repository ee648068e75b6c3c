import type { Source } from "./sources.ts";

/** Which folders each folder may import, besides itself. */
export type Arrows = Readonly<Record<string, readonly string[]>>;

/**
 * The folder of `src` a file is in.
 *
 * @param path Path of the file below the root
 * @param src The source folder
 * @returns The folder's name; `undefined` for a file directly in `src` or outside it
 */
export function roomOf(path: string, src: string): string | undefined {
  return path.startsWith(src) ? path.slice(src.length).match(/^([^/]+)\//)?.[1] : undefined;
}

/**
 * Imports from one folder into another that are not allowed.
 *
 * @param sources The files
 * @param src The source folder
 * @param arrows What is allowed
 * @returns A sentence for each
 */
export function importsAgainst(sources: readonly Source[], src: string, arrows: Arrows): string[] {
  return sources.flatMap((source) => {
    const room = roomOf(source.path, src);
    if (room === undefined) return [];
    return source.imports.filter((target) => {
      const other = roomOf(target, src);
      return other !== room && !(arrows[room] ?? []).includes(other ?? "");
    }).map((target) => `${source.path} imports ${target}`);
  });
}

/**
 * Import cycles, types included.
 *
 * @param sources The files
 * @returns The path of each cycle
 */
export function importCycles(sources: readonly Source[]): string[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const done = new Set<string>();
  const cycles: string[] = [];
  function visit(path: string, trail: readonly string[]): void {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(" -> "));
    if (trail.includes(path) || done.has(path)) return;
    for (const next of byPath.get(path)?.imports ?? []) visit(next, [...trail, path]);
    done.add(path);
  }
  for (const { path } of sources) visit(path, []);
  return cycles;
}

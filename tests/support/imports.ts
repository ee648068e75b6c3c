import type { Source } from "./sources.ts";

/** Folders that each folder may import, besides itself. */
export type Arrows = Readonly<Record<string, readonly string[]>>;

/**
 * The folder that a file belongs to: the innermost listed folder, or else the folder directly in `src`.
 *
 * @param path The file's path relative to the root
 * @param src The source folder
 * @param rooms The listed folders
 * @returns The folder's path relative to `src`, or its name if it is listed and next to `src`; `undefined` for other
 * files
 */
export function roomOf(path: string, src: string, rooms: readonly string[] = []): string | undefined {
  if (!path.startsWith(src)) return rooms.find((room) => path.startsWith(`${room}/`));
  const [, folder] = path.slice(src.length).match(/^(.+)\//) ?? [];
  const around = rooms.filter((room) => `${folder}/`.startsWith(`${room}/`));
  return around.toSorted((a, b) => b.length - a.length)[0] ?? folder?.split("/")[0];
}

/**
 * Forbidden imports from one folder into another.
 *
 * @param sources The files
 * @param src The source folder
 * @param arrows The allowed imports
 * @returns A sentence for each
 */
export function importsAgainst(sources: readonly Source[], src: string, arrows: Arrows): string[] {
  const rooms = Object.keys(arrows);
  return sources.flatMap((source) => {
    const room = roomOf(source.path, src, rooms);
    if (room === undefined) return [];
    return source.imports.filter((target) => {
      const other = roomOf(target, src, rooms);
      return other !== room && !(arrows[room] ?? []).includes(other ?? "");
    }).map((target) => `${source.path} imports ${target}`);
  });
}

/**
 * Import cycles, types included.
 *
 * @param sources The files
 * @returns Each cycle's path
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

import type { Growing } from "./apps.ts";

/** A way to grow, and the paths to request. */
export interface Shape {
  /** Grows an application to a size. */
  grow(app: Growing, size: number): void;
  /** Paths requested in turn. */
  paths(size: number): string[];
}

const SOME = Array.from({ length: 64 }, (_, i) => i * 7);

/** The ways to grow. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  // the last of `size` routes
  static: {
    grow: (app, size) => times(size, (i) => app.get(`/static/route${i}`)),
    paths: (size) => [`/static/route${size - 1}`],
  },
  parameter: {
    grow: (app, size) => times(size, (i) => app.get(`/r${i}/:id`)),
    paths: (size) => SOME.map((value) => `/r${size - 1}/${value}`),
  },
  // all `size` routes, in random order; the number of paths is fixed, because some routers cache paths
  spread: {
    grow: (app, size) => times(size, (i) => app.get(`/r${i}/:id`)),
    paths: (size) => Array.from({ length: 4096 }, (_, i) => `/r${(i * 7919) % size}/${i}`),
  },
  registration: {
    grow: (app, size) => times(size, (i) => app.get(i % 2 === 0 ? `/static/route${i}` : `/r${i}/:id`)),
    paths: (size) => [`/r${size - 1}/7`],
  },
  // middleware on paths that are not requested
  middleware: {
    grow(app, size) {
      times(size, (i) => app.use!(`/other${i}`));
      app.get("/here/:id");
    },
    paths: () => SOME.map((value) => `/here/${value}`),
  },
  // nested routers, and a flat route with the same path
  mounts: {
    grow: (app, size) => app.nest!(size),
    paths: deepPath,
  },
  flat: {
    grow: (app, size) => app.get(deepPath(size)[0]!),
    paths: deepPath,
  },
};

function deepPath(size: number): string[] {
  return [`${"/a".repeat(size)}/end`];
}

function times(count: number, each: (i: number) => void): void {
  for (let i = 0; i < count; i++) each(i);
}

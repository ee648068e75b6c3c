/** Runtimes, templates, and their valid combinations. */

/** A runtime. */
export type Runtime = "node" | "deno" | "bun" | "workers";

/** A template. */
export type Template = "api" | "views" | "websocket" | "worker";

/** The user's choices. */
export interface Choice {
  /** The project's folder, relative to the working directory. */
  readonly folder: string;
  /** The project's runtime. */
  readonly runtime: Runtime;
  /** The project's template. */
  readonly template: Template;
}

/** The user's choices so far. */
export type Chosen = { readonly [Name in keyof Choice]: Choice[Name] | undefined };

/** The runtimes' display names. */
export const RUNTIMES: Readonly<Record<Runtime, string>> = {
  node: "Node",
  deno: "Deno",
  bun: "Bun",
  workers: "Cloudflare Workers",
};

/** The templates' descriptions. */
export const TEMPLATES: Readonly<Record<Template, string>> = {
  api: "a JSON API with a rate limiter",
  views: "pages from EJS views, and static files",
  websocket: "a chat over WebSockets, with a page",
  worker: "a JSON API with a rate limiter in Durable Objects",
};

/** Whether a template runs on a runtime: Workers have their own, which runs nowhere else. */
export function goTogether(runtime: Runtime, template: Template): boolean {
  return (runtime === "workers") === (template === "worker");
}

/** Runtimes that a template supports; all runtimes, without a template. */
export function runtimesFor(template: Template | undefined): Runtime[] {
  const all = Object.keys(RUNTIMES) as Runtime[];
  return template === undefined ? all : all.filter((runtime) => goTogether(runtime, template));
}

/** Templates that a runtime supports; all templates, without a runtime. */
export function templatesFor(runtime: Runtime | undefined): Template[] {
  const all = Object.keys(TEMPLATES) as Template[];
  return runtime === undefined ? all : all.filter((template) => goTogether(runtime, template));
}

/** Fills in the runtime or template where only one is possible. */
export function completed({ folder, runtime, template }: Chosen): Chosen {
  const [onlyRuntime, otherRuntime] = runtimesFor(template);
  const [onlyTemplate, otherTemplate] = templatesFor(runtime);
  return {
    folder,
    runtime: runtime ?? (otherRuntime === undefined ? onlyRuntime : undefined),
    template: template ?? (otherTemplate === undefined ? onlyTemplate : undefined),
  };
}

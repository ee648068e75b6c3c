/** What a project can be: the runtimes, the templates, and which go together. */

/** A runtime. */
export type Runtime = "node" | "deno" | "bun" | "workers";

/** A template. */
export type Template = "api" | "views" | "websocket" | "worker";

/** What the user chooses. */
export interface Choice {
  /** Folder of the project, relative to the working directory. */
  readonly folder: string;
  /** Where it runs. */
  readonly runtime: Runtime;
  /** What it is at first. */
  readonly template: Template;
}

/** What the user has chosen so far. */
export type Chosen = { readonly [Name in keyof Choice]: Choice[Name] | undefined };

/** Names of the runtimes, as users know them. */
export const RUNTIMES: Readonly<Record<Runtime, string>> = {
  node: "Node",
  deno: "Deno",
  bun: "Bun",
  workers: "Cloudflare Workers",
};

/** What the templates are. */
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

/** All runtimes on which a template runs; without a template, all there are. */
export function runtimesFor(template: Template | undefined): Runtime[] {
  const all = Object.keys(RUNTIMES) as Runtime[];
  return template === undefined ? all : all.filter((runtime) => goTogether(runtime, template));
}

/** All templates that run on a runtime; without a runtime, all there are. */
export function templatesFor(runtime: Runtime | undefined): Template[] {
  const all = Object.keys(TEMPLATES) as Template[];
  return runtime === undefined ? all : all.filter((template) => goTogether(runtime, template));
}

/** Adds what follows from the rest: a runtime or template that only one goes together with. */
export function completed({ folder, runtime, template }: Chosen): Chosen {
  const [onlyRuntime, otherRuntime] = runtimesFor(template);
  const [onlyTemplate, otherTemplate] = templatesFor(runtime);
  return {
    folder,
    runtime: runtime ?? (otherRuntime === undefined ? onlyRuntime : undefined),
    template: template ?? (otherTemplate === undefined ? onlyTemplate : undefined),
  };
}

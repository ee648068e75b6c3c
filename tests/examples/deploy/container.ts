/** Builds a Dockerfile without Docker: each stage is a folder whose commands run on this machine. */
import { cp } from "node:fs/promises";
import { type Dockerfile, DockerfileParser, type Instruction, type JSONInstruction } from "dockerfile-ast";
import { done } from "./packages.ts";

/** Makes npm use its cache, and skip audit and funding requests. */
const NPM = { npm_config_prefer_offline: "true", npm_config_audit: "false", npm_config_fund: "false" };

/** A built stage. */
export interface Container {
  /** Folder that represents `/`. */
  readonly root: string;
  /** Folder that commands run in. */
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  /** User its commands run as. */
  readonly user: string;
  /** The command it runs. */
  readonly command: readonly string[];
  /** The health check command. */
  readonly healthcheck: readonly string[];
}

type Stage = { -readonly [Key in keyof Container]: Container[Key] } & { env: Record<string, string> };

/**
 * Builds the last stage of a Dockerfile.
 *
 * @param text The Dockerfile
 * @param context Folder it is built from, with a trailing slash
 * @param folder Where to build, with a trailing slash
 * @param env Environment of the build machine, such as the package source
 * @returns The last stage
 */
export async function buildContainer(
  text: string,
  context: string,
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Container> {
  const file: Dockerfile = DockerfileParser.parse(text);
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const instruction of file.getInstructions()) {
    if (instruction.getKeyword() === "FROM") {
      const name = textsOf(instruction)[2] ?? String(stages.size);
      const root = `${folder}${name}`;
      await Deno.mkdir(root);
      stage = { root, workdir: root, env: {}, user: "root", command: [], healthcheck: [] };
      stages.set(name, stage);
    } else if (stage === undefined) throw new Error(`${instruction.getKeyword()} stands before FROM`);
    else await follow(instruction, stage, context, stages, env);
  }
  if (stage === undefined) throw new Error("the Dockerfile has no FROM");
  return stage;
}

async function follow(
  instruction: Instruction,
  stage: Stage,
  context: string,
  stages: ReadonlyMap<string, Stage>,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const keyword = instruction.getKeyword();
  const args = textsOf(instruction);
  const all = instruction.getArgumentsContent() ?? "";
  if (keyword === "WORKDIR") {
    stage.workdir = stage.root + args[0]!;
    await Deno.mkdir(stage.workdir, { recursive: true });
  } else if (keyword === "ENV") {
    for (const pair of args) stage.env[pair.slice(0, pair.indexOf("="))] = pair.slice(pair.indexOf("=") + 1);
  } else if (keyword === "USER") stage.user = args[0]!;
  else if (keyword === "RUN") await done("sh", ["-ec", all], stage.workdir, { ...NPM, ...env, ...stage.env });
  else if (keyword === "CMD") stage.command = JSON.parse(all);
  else if (keyword === "HEALTHCHECK") stage.healthcheck = JSON.parse(all.slice(all.indexOf("CMD") + 3));
  else if (keyword === "COPY") {
    const from = (instruction as JSONInstruction).getFlags().find((flag) => flag.getName() === "from")?.getValue();
    const source = from ? `${stages.get(from)!.root}/` : context;
    const target = args.at(-1)!;
    for (const pattern of args.slice(0, -1)) await copy(source, pattern, `${stage.workdir}/${target}`);
  } else if (keyword !== "EXPOSE") throw new Error(`this builder does not know ${keyword}`);
}

function textsOf(instruction: Instruction): string[] {
  return instruction.getArguments().map((argument) => argument.getValue());
}

async function copy(source: string, pattern: string, target: string): Promise<void> {
  const path = `${source}${pattern.replace(/^\//, "")}`;
  if (await Deno.stat(path).then(({ isDirectory }) => isDirectory, () => false)) {
    return cp(path, target, { recursive: true });
  }
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const wanted = new RegExp(`^${path.slice(folder.length).replaceAll(".", "\\.").replaceAll("*", ".*")}$`);
  let copied = 0;
  for await (const { name, isFile } of Deno.readDir(folder)) {
    if (!isFile || !wanted.test(name)) continue;
    await Deno.copyFile(folder + name, `${target.replace(/\/?\.?\/$/, "")}/${name}`);
    copied++;
  }
  if (copied === 0) throw new Error(`COPY found nothing called ${pattern}`);
}

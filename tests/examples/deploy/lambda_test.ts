import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "@std/assert";
import { parse } from "yaml";
import { type Serving, startServing } from "../../contracts/serving.ts";
import { copyExample, done, host, skipTools, tool } from "./packages.ts";
import { asClient, checkService, checkTogether, startAudits } from "./service.ts";

const redisUrl = Deno.env.get("REDIS_URL");

/** The parts of a SAM template that the tests check. */
interface Template {
  readonly Transform: string;
  readonly Parameters: Readonly<Record<string, { readonly Type: string }>>;
  readonly Resources: Readonly<Record<string, SamFunction>>;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
}

interface SamFunction {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>> & {
    readonly Handler: string;
    readonly Runtime: string;
    readonly Timeout: number;
    readonly Environment: { readonly Variables: Readonly<Record<string, unknown>> };
    readonly FunctionUrlConfig: { readonly AuthType: string; readonly InvokeMode: string };
  };
  readonly Metadata: { readonly BuildMethod: string; readonly BuildProperties: BuildProperties };
}

/** Properties that `sam build` passes to esbuild. */
interface BuildProperties {
  readonly EntryPoints: readonly string[];
  readonly Format: string;
  readonly Target: string;
  readonly Minify: boolean;
  readonly Sourcemap: boolean;
  readonly OutExtension: readonly string[];
  readonly Banner: readonly string[];
}

async function readTemplate(folder: string): Promise<Template> {
  const customTags = ["!Ref", "!GetAtt"].map((tag) => ({ tag, resolve: (value: string) => ({ [tag]: value }) }));
  return parse(await Deno.readTextFile(`${folder}template.yaml`), { customTags });
}

// like SAM's own builder: one file, for Node
async function samBuild(folder: string): Promise<string> {
  const { Properties, Metadata } = (await readTemplate(folder)).Resources["Converter"]!;
  const { EntryPoints, Format, Target, Minify, Sourcemap, OutExtension, Banner } = Metadata.BuildProperties;
  await done(tool("esbuild"), [
    ...EntryPoints,
    ...["--bundle", "--platform=node", `--outdir=${folder}build`, `--format=${Format}`, `--target=${Target}`],
    ...(Minify ? ["--minify"] : []),
    ...(Sourcemap ? ["--sourcemap"] : []),
    ...OutExtension.map((one) => `--out-extension:${one}`),
    ...Banner.map((one) => `--banner:${one}`),
    "--log-level=warning",
  ], folder);
  const [file, exported] = Properties.Handler.split(".");
  assertEquals(exported, "handler");
  const path = `${folder}build/${file}.mjs`;
  assert((await Deno.stat(path)).isFile);
  return path;
}

async function startFunction(folder: string, bundle: string, env: Record<string, string>): Promise<Serving> {
  return startServing("node", [await host("lambda.mjs"), bundle, `${folder}events/convert.json`], {
    REDIS_URL: "",
    ...env,
  });
}

Deno.test("the template for Lambda refers only to existing names, and streams as the handler does", async () => {
  const folder = fileURLToPath(new URL("../../../examples/deploy/lambda/", import.meta.url));
  const { Transform, Parameters, Resources, Outputs } = await readTemplate(folder);
  assertEquals([Transform, Object.keys(Resources)], ["AWS::Serverless-2016-10-31", ["Converter"]]);
  const { Type, Properties, Metadata } = Resources["Converter"]!;
  assertEquals([Type, Metadata.BuildMethod], ["AWS::Serverless::Function", "esbuild"]);
  assert(Number(/^nodejs(\d+)\.x$/.exec(Properties.Runtime)?.[1]) >= 20, Properties.Runtime);
  assert(Properties.Timeout > 0 && Properties.Timeout <= 900);
  const source = await Deno.readTextFile(folder + Metadata.BuildProperties.EntryPoints[0]!);
  const streams = source.includes("toStreamingHandler(app)");
  assertEquals(Properties.FunctionUrlConfig, {
    AuthType: "NONE",
    InvokeMode: streams ? "RESPONSE_STREAM" : "BUFFERED",
  });
  // SAM names a function's URL after it
  const known = [...Object.keys(Parameters), "Converter", "ConverterUrl"];
  const referred = JSON.stringify([Resources, Outputs]).matchAll(/"!(?:Ref|GetAtt)":"([^".]+)/g);
  assertEquals([...referred].map(([, name]) => name!).filter((name) => !known.includes(name)), []);
  const used = [...source.matchAll(/env\.([A-Z_]+)|\{ ([A-Z_]+) \} = process\.env/g)].map(([, a, b]) => a ?? b!);
  const given = Object.keys(Properties.Environment.Variables);
  assertEquals(new Set([...used, "NODE_ENV"]), new Set(given));
});

Deno.test(
  "the example for Lambda is one file, and each instance counts by itself without Redis",
  { ignore: skipTools },
  async () => {
    const folder = await copyExample("lambda");
    await using audits = startAudits();
    const env = { SERVICE_NAME: "on Lambda", AUDIT_URL: audits.url };
    const { ask, stop } = await startFunction(folder, await samBuild(folder), env);
    try {
      const otherClient = { "x-forwarded-for": "198.51.100.2" };
      await checkService({ ask: asClient(ask, "198.51.100.1"), name: "on Lambda", audits, otherClient });
    } finally {
      await stop();
    }
  },
);

Deno.test("two instances of the example for Lambda count together in Redis", {
  ignore: skipTools || redisUrl === undefined,
}, async () => {
  const folder = await copyExample("lambda");
  const bundle = await samBuild(folder);
  await checkTogether(() => startFunction(folder, bundle, { REDIS_URL: redisUrl! }));
});

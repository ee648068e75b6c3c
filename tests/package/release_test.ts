/** `deno task release`, with registries that already have some of the packages. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { run } from "../../scripts/process.ts";
import { expressMajors } from "../../scripts/express_package.ts";
import { manifestOf } from "../../scripts/packages.ts";
import { npmPackages } from "../../scripts/shared_builds.ts";
import { copySources } from "../support/checkout.ts";

const ROOT = new URL("../../", import.meta.url);

/** Runs it without publishing. The registries have the listed packages, and respond to anything else with 404. */
async function release(
  cwd: string,
  tag: string,
  had: readonly string[] = [],
  changelog = "CHANGELOG.md",
): Promise<{ code: number; lines: string[] }> {
  await using registry = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const path = decodeURIComponent(new URL(request.url).pathname);
    return Response.json({}, { status: had.includes(path) ? 200 : 404 });
  });
  const origin = `http://127.0.0.1:${registry.addr.port}`;
  const args = [
    "task",
    "--quiet",
    "release",
    `--tag=${tag}`,
    `--changelog=${changelog}`,
    "--dry-run",
    `--npm=${origin}/npm`,
    `--jsr=${origin}/jsr`,
  ];
  const { code, output } = await run(Deno.execPath(), args, {
    limitMs: 300_000,
    quiet: true,
    cwd,
    env: { NO_COLOR: "1" },
  });
  return { code, lines: output.trim().split("\n") };
}

async function digestOf(file: URL): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", await Deno.readFile(file))).toHex();
}

Deno.test("a release publishes every package on both registries, and leaves out what they have", async () => {
  const { version } = await manifestOf("./");
  await using checkout = await copySources();
  // beside the packages' own changelog, so they are built from the same files as elsewhere
  await Deno.writeTextFile(new URL("released.md", checkout.folder), `## [${version}] - 2027-01-31\n`);
  const { code, lines } = await release(checkout.path, `v${version}`, [
    `/npm/@sluice/sluice/${version}`,
    `/jsr/@sluice/rate-limit/${version}_meta.json`,
  ], "released.md");
  assertEquals(code, 0, lines.join("\n"));
  const published = lines.filter((line) => /^(?:npm|JSR) /.test(line));
  const at = (line: string) => {
    assert(published.includes(line), `no "${line}" in ${lines.join("\n")}`);
    return published.indexOf(line);
  };
  assert(at(`npm has @sluice/sluice@${version}`) < at(`npm would get @sluice/rate-limit@${version}`));
  assert(at(`npm would get @sluice/rate-limit@${version}`) < at(`npm would get create-sluice@${version}`));
  assert(at(`JSR would get @sluice/create@${version}`) >= 0);
  assert(at(`JSR would get @sluice/sluice@${version}`) < at(`JSR has @sluice/rate-limit@${version}`));

  // it has built the packages that all other tests install, although only the files that trigger a rebuild existed
  const { libraries, program } = await npmPackages();
  for (const { name, tarball } of [...libraries, program]) {
    const released = new URL(`.cache/release/npm/${tarball.pathname.split("/").at(-1)}`, checkout.folder);
    assertEquals(await digestOf(released), await digestOf(tarball), name);
  }
});

Deno.test("a release of @sluice/express publishes that version alone", async () => {
  await using checkout = await copySources();
  for (const { major, version } of await expressMajors()) {
    const { code, lines } = await release(checkout.path, `express-v${version}`);
    assertEquals(code, 0, lines.join("\n"));
    assertEquals(
      lines.filter((line) => /^(?:npm|JSR) /.test(line)),
      [`npm would get @sluice/express@${version}`],
      `${major}`,
    );
  }
});

Deno.test("a tag that is not the packages' version, or that the changelog does not know, releases nothing", async () => {
  const { version } = await manifestOf("./");
  const isReleased = (await Deno.readTextFile(new URL("CHANGELOG.md", ROOT))).includes(`\n## [${version}] - `);
  for (
    const [tag, problem] of [
      ...(isReleased ? [] : [[`v${version}`, `CHANGELOG.md has no section "## [${version}] - "`] as const]),
      ["v99.0.0", "The tag is v99.0.0, and ./deno.json says"],
      ["1.0", 'it is "1.0"'],
      ["express-v5.0.99", "express/versions.json says 4."],
      ["", "--tag names the version"],
    ] as const
  ) {
    const { code, lines } = await release(fileURLToPath(ROOT), tag);
    assertEquals(code, 1);
    assertStringIncludes(lines.join("\n"), problem);
    assert(!lines.some((line) => /^(?:npm|JSR) /.test(line)));
  }
});

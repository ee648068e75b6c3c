import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { canonicalAddress } from "../http/ip_address.ts";
import { genericPlatform, unknownPeer } from "../platform/generic.ts";
import type { Platform } from "../platform/platform.ts";
import type { Peer } from "../request/peer.ts";
import { nodeFiles } from "./node_files.ts";
import { serveOnNode } from "./node_server.ts";

/** Node: `node:http` and `node:http2`, Node's files and its packages. */
export const nodePlatform: Platform = {
  ...genericPlatform,
  name: "Node",
  files: nodeFiles,
  peerOf: peerOfVisit,
  env: (name) => process.env[name],
  environment: () => process.env,
  colours: () => process.stdout.isTTY === true && !process.env["NO_COLOR"],
  loadPackage,
  serve: serveOnNode,
};

// a socket that takes both families shows IPv4 clients as mapped addresses
function peerOfVisit(info: unknown): Peer {
  const peer = unknownPeer(info);
  return peer.address === undefined ? peer : { ...peer, address: canonicalAddress(peer.address) ?? peer.address };
}

// packages are the program's, so they are looked for from where it runs
async function loadPackage(name: string): Promise<unknown> {
  const { resolve } = createRequire(`${process.cwd()}/package.json`);
  let path: string;
  try {
    path = resolve(name);
  } catch {
    return undefined;
  }
  const loaded = await import(pathToFileURL(path).href) as { default?: unknown };
  return loaded.default ?? loaded;
}

import { certificate } from "../../tests/fixtures/node/certificate.ts";
import { RESPONSE_BYTES } from "./figures.ts";

/** The server's files. */
export interface ServerFiles extends AsyncDisposable {
  /** The folder to serve. */
  readonly folder: string;
  /** The certificate in PEM, and paths to it and its key. */
  readonly cert: string;
  readonly tls: readonly [certFile: string, keyFile: string];
}

/** Writes the served file and a certificate; both are removed on disposal. */
export async function serverFiles(): Promise<ServerFiles> {
  const parent = await Deno.makeTempDir();
  const folder = `${parent}/public`;
  await Deno.mkdir(folder);
  const text = new Uint8Array(RESPONSE_BYTES);
  for (let at = 0; at < text.length; at += 65_536) crypto.getRandomValues(text.subarray(at, at + 65_536));
  await Deno.writeFile(`${folder}/2MiB.txt`, text);
  const { cert, key } = certificate();
  const tls = [`${parent}/cert.pem`, `${parent}/key.pem`] as const;
  await Deno.writeTextFile(tls[0], cert);
  await Deno.writeTextFile(tls[1], key);
  return { folder, cert, tls, [Symbol.asyncDispose]: () => Deno.remove(parent, { recursive: true }) };
}

/** The program inside a Durable Object, whose connections outlive it while it sleeps. */
import { durableSockets } from "@sluice/sluice/workers";
import { buildProgram } from "../program.ts";

/** A namespace of Durable Objects, as far as it is used. */
interface Namespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}

/** The object. */
export class Program extends durableSockets(() => buildProgram()) {}

const fetch = (request: Request, { PROGRAM }: { PROGRAM: Namespace }): Promise<Response> =>
  PROGRAM.get(PROGRAM.idFromName("one")).fetch(request);

export default { fetch };

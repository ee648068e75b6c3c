/** The program inside a Durable Object; connections stay open while it hibernates. */
import { durableSockets } from "@sluice/sluice/workers";
import { buildProgram } from "../program.ts";

/** The part of a Durable Object namespace that the program uses. */
interface Namespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}

export class Program extends durableSockets(() => buildProgram()) {}

const fetch = (request: Request, { PROGRAM }: { PROGRAM: Namespace }): Promise<Response> =>
  PROGRAM.get(PROGRAM.idFromName("one")).fetch(request);

export default { fetch };

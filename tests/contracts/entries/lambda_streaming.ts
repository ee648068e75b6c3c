/** The program as a Lambda function whose answers are streamed. */
import { toStreamingHandler } from "@sluice/sluice/lambda";
import { buildProgram } from "../program.ts";

export const handler = toStreamingHandler(buildProgram());

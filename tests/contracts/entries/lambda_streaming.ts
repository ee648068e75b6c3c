/** The program as a Lambda function with streamed responses. */
import { toStreamingHandler } from "@sluice/sluice/lambda";
import { buildProgram } from "../program.ts";

export const handler = toStreamingHandler(buildProgram());

/** The program as a Lambda function with buffered responses. */
import { toLambdaHandler } from "@sluice/sluice/lambda";
import { buildProgram } from "../program.ts";

export const handler = toLambdaHandler(buildProgram());

/** The program as a Lambda function whose answers are sent whole. */
import { toLambdaHandler } from "@sluice/sluice/lambda";
import { buildProgram } from "../program.ts";

export const handler = toLambdaHandler(buildProgram());

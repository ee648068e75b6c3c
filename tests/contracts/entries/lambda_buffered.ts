/** The program as a Lambda function whose answers leave as a whole. */
import { toLambdaHandler } from "@sluice/sluice/lambda";
import { buildProgram } from "../program.ts";

export const handler = toLambdaHandler(buildProgram());

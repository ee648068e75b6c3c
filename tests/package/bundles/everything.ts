/** All that runs anywhere. */
export * as framework from "@sluice/sluice";
export * as limiting from "@sluice/sluice/limiting";

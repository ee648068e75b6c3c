/** All that runs anywhere, or needs no Node where it runs. */
export * as framework from "@sluice/sluice";
export * as fastly from "@sluice/sluice/fastly";
export * as limiting from "@sluice/sluice/limiting";
export * as workers from "@sluice/sluice/workers";

/** Every entry that needs no Node API. */
export * as framework from "@sluice/sluice";
export * as fastly from "@sluice/sluice/fastly";
export * as workers from "@sluice/sluice/workers";

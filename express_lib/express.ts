import express from "@sluice/sluice";

export { express as "module.exports", express as default };

import express from "@sluice/express";

export { express as "module.exports", express as default };

/** Sluice as programs on Node import it: with the entry that makes `app.listen` work there. */
import "../../../node.ts";

export { default } from "../../../mod.ts";

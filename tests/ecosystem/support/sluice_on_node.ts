/** Sluice as programs on Node import it: with the entry that lets `app.listen` listen there. */
import "../../../node.ts";

export { default } from "../../../mod.ts";

/** Sluice as programs on Node import it, with the entry that provides `app.listen`. */
import "../../../node.ts";

export { default } from "../../../mod.ts";

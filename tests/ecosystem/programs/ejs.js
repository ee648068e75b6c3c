import { requestsOfViews, showViews } from "../support/views.js";

export const title = "ejs renders views, with the engine found by its name";

export default function (app, _lib, tools) {
  showViews(app, tools, "ejs");
}

export const requests = requestsOfViews;

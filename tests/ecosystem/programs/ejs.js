import { requestsOfViews, showViews } from "../support/views.js";

export const title = "ejs renders views, engine found by its name alone";

export default function (app, _lib, tools) {
  showViews(app, tools, "ejs");
}

export const requests = requestsOfViews;

import { requestsOfViews, showViews } from "../support/views.js";

export const title = "pug renders views, with the engine found by its name";

export default function (app, _lib, tools) {
  showViews(app, tools, "pug");
}

export const requests = requestsOfViews;

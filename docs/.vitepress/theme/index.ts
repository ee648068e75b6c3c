import { inBrowser, onContentUpdated } from "vitepress";
// without its fonts: the pages use those of the reader's system, as the demo does
import DefaultTheme from "vitepress/theme-without-fonts";
import { openChosenTabs, rememberTabs } from "./tabs.ts";
import "./style.css";

export default {
  extends: DefaultTheme,
  enhanceApp() {
    if (inBrowser) rememberTabs();
  },
  setup() {
    onContentUpdated(openChosenTabs);
  },
};

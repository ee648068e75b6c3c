// without its fonts: the pages use those of the reader's system, as the demo does
import DefaultTheme from "vitepress/theme-without-fonts";
import "./style.css";

export default DefaultTheme;

// The fonts of the reader's system: VitePress would bring others.
import theme from "vitepress/theme-without-fonts";
import { h } from "vue";
import "./story.css";
import { story } from "./story.ts";

export default { ...theme, Layout: () => h(theme.Layout, null, { "home-hero-image": story }) };

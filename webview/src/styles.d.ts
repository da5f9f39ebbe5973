/** The build takes style sheets out of the pages and into files beside them. */
declare module "*.css";

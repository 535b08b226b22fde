/** Imported with { type: "text" }. bun-types knows *.txt. */
declare module "*.go";
declare module "*.md";
declare module "*.mjs";
declare module "*.php";
declare module "*.py";
declare module "*.yaml";
declare module "*.yml";

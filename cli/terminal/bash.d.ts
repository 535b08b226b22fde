declare module "*.bash" {
  const text: string;
  export default text;
}

/** Where the control API stands, whatever the base path of the merchant API. */
export const CONTROL_PATH = "/_momo";

import { createControlClient } from "./control-client.ts";
import { token, tokenAsked } from "./state.ts";

/** The control API of the server that served the page. */
export const api = createControlClient({
  url: "/_momo",
  token: () => token.value,
  onTokenAsked: () => {
    tokenAsked.value = { isWrong: token.value !== null };
  },
});

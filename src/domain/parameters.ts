/** The parameters of a query or a form. A `?` at the beginning is a part of the first name, but URLSearchParams would drop it. */
export const parametersIn = (text: string): URLSearchParams => new URLSearchParams(`?${text}`);

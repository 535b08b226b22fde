/** The next reference of the same form, because a reference names one payment: `ORDER-0001` becomes `ORDER-0002`. */
export const nextReference = (reference: string): string =>
  reference.replace(/[0-9]{1,15}$/, (number) => String(Number(number) + 1).padStart(number.length, "0"));

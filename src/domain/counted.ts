/** `1,200` */
export const inThousands = (count: number): string => count.toLocaleString("en-US");

/** `1 payment`, `1,200 payments` */
export const countedInThousands = (count: number, name: string): string =>
  `${inThousands(count)} ${name}${count === 1 ? "" : "s"}`;

/** `1 payment`, `2 payments` */
export const counted = (count: number, name: string): string => `${count} ${name}${count === 1 ? "" : "s"}`;

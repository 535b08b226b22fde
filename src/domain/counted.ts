/** `1 payment`, `2 payments` */
export const counted = (count: number, name: string): string => `${count} ${name}${count === 1 ? "" : "s"}`;

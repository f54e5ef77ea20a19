import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Whether two texts are equal, in a time that says nothing of where they differ or how long they are. */
export const isSameText = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

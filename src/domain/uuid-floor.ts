/**
 * The smallest UUID v7 of a moment. Our ids are UUID v7, so "older than" is a range of the primary key and needs no
 * index of its own.
 * @param time milliseconds since 1970
 */
export const uuidFloor = (time: number): string => {
  const hex = Math.max(0, Math.floor(time)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
};

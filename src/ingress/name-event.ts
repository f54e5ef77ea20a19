import { asId, holds, readId, readPlace, type View } from './read-place.ts';
import type { EventName } from './vendors/profile.ts';

/** The names of the event, the more exact first; empty where the delivery names none. */
export const nameEvent = (names: readonly EventName[], view: View): string[] => {
  for (const { when, parts, detail } of names) {
    const first = parts[0];
    if (
      when === undefined ? first === undefined || asId(readPlace(first, view)) === null : !holds([when], view)
    )
      continue;
    const name = parts.flatMap((part) => asId(readPlace(part, view)) ?? []).join('.');
    if (name === '') continue;
    const more = readId(detail ?? [], view);
    return more === null ? [name] : [`${name}.${more}`, name];
  }
  return [];
};

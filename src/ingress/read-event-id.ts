import { asId, readPlace, type View } from './read-place.ts';
import type { EventId } from './vendors/profile.ts';

/** To show, and to tell one event from another: of several texts a mere joint would let two pairs be one. */
type ReadId = { shown: string; key: string };

/** The event's id at the first place that holds one; null where that is no id or there is nothing. */
export const readEventId = (ids: readonly EventId[], view: View): ReadId | null => {
  for (const id of ids) {
    const places = 'all' in id ? id.all : [id];
    const found = places.map((place) => readPlace(place, view));
    if (found[0] === undefined) continue;
    const texts = found.map((value) => (value === undefined ? '' : asId(value)));
    if (texts.includes(null)) return null;
    const shown = texts.join(':');
    return { shown, key: 'all' in id ? JSON.stringify(texts) : shown };
  }
  return null;
};

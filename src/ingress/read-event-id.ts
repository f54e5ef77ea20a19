import { asId, readPlace, type View } from './read-place.ts';
import type { EventId } from './vendors/profile.ts';

/** The event's id at the first place that holds one; null where that is no id or there is nothing. */
export const readEventId = (ids: readonly EventId[], view: View): string | null => {
  for (const id of ids) {
    const places = 'all' in id ? id.all : [id];
    const found = places.map((place) => readPlace(place, view));
    if (found[0] === undefined) continue;
    const texts = found.map((value) => (value === undefined ? '' : asId(value)));
    return texts.includes(null) ? null : texts.join(':');
  }
  return null;
};

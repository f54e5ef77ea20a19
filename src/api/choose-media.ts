type Range = { media: string; quality: number };

const readRanges = (accept: string): Range[] =>
  accept.split(',').flatMap((part) => {
    const [media = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    if (!/^[^\s/]+\/[^\s/]+$/.test(media)) return [];
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    const quality = weight === undefined ? 1 : Number(weight.slice(2));
    return [{ media, quality: Number.isFinite(quality) ? Math.min(Math.max(quality, 0), 1) : 1 }];
  });

/** How much a media type is wanted: by the most exact range that names it; 0 where none does. */
const qualityOf = (media: string, ranges: readonly Range[]): number => {
  const kind = media.split('/', 1)[0];
  for (const name of [media, `${kind}/*`, '*/*']) {
    const range = ranges.find((one) => one.media === name);
    if (range !== undefined) return range.quality;
  }
  return 0;
};

/**
 * Which of the offered media types to answer with (RFC 9110, 12.5.1); null where none is acceptable. Of those wanted
 * alike the first offered is taken; without an `Accept` that can be read, too.
 *
 * @param offers lower case, the usual one first
 */
export const chooseMedia = (
  accept: string | undefined,
  offers: readonly [string, ...string[]],
): string | null => {
  const ranges = readRanges(accept ?? '');
  if (ranges.length === 0) return offers[0];
  let best: Range | null = null;
  for (const media of offers) {
    const quality = qualityOf(media, ranges);
    if (quality > (best?.quality ?? 0)) best = { media, quality };
  }
  return best?.media ?? null;
};

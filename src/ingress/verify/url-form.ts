import type { UrlForm } from './scheme.ts';

/** What HubSpot decodes, in either hex case: https://developers.hubspot.com/docs/guides/apps/authentication/validating-requests */
const hubspotEscapes = /%(3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi;

const withPort = (url: string): string =>
  url.replace(/^(https?):\/\/([^/?#]+)/i, (whole, scheme: string, host: string) =>
    /:\d+$/.test(host) ? whole : `${whole}:${scheme.toLowerCase() === 'https' ? 443 : 80}`,
  );

/** The URL as a vendor writes it before signing. */
export const urlForm = (form: UrlForm, url: string): string => {
  if (form === 'registered') return url;
  if (form === 'with-port') return withPort(url);
  return url.replace(hubspotEscapes, (coded) => decodeURIComponent(coded));
};

/**
 * docs/vendors.md as text.
 * @param {readonly { vendor: string }[]} profiles
 * @param {(profile: any) => string} describeProfile
 */
export const describeVendors = (profiles, describeProfile) =>
  `# Vendors

What \`sources[].vendor\` may be, written from the profiles in \`src/ingress/vendors\` (\`npm run docs:vendors\`). How a source is
configured: [configuration.md](configuration.md); what happens to a delivery: [ingress.md](ingress.md).

A mapping says which vendor event becomes which ref; \`refs\` of a source replaces it. A key \`account\` of a Binding is one of
the account keys. What no source of ours confirms is listed as such: test it against the live vendor.

${[...profiles]
  .sort((a, b) => (a.vendor < b.vendor ? -1 : 1))
  .map(describeProfile)
  .join('\n\n')}
`;

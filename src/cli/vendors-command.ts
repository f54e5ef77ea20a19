import { Command } from 'commander';
import { vendorProfiles } from '../ingress/vendors/find-profile.ts';
import { describeVendor, type VendorDescription } from './describe-vendor.ts';
import { vendorsShowCommand } from './vendors-show-command.ts';
import { vendorsVerifyCommand } from './vendors-verify-command.ts';

const writeRow = ({ vendor, families, secret, params }: VendorDescription, width: number): string => {
  const required = params.filter(({ needed }) => needed !== 'optional').map(({ name }) => `params.${name}`);
  const asks = [...(secret === null ? [] : ['secrets']), ...required].join(', ') || 'nothing';
  return `${vendor.padEnd(width)}  ${families.join(' + ')}; needs ${asks}`;
};

/** `hcp-sense vendors`: what `sources[].vendor` may be; with `show` and `verify` for one of them. */
export const vendorsCommand = (): Command =>
  new Command('vendors')
    .summary('list the vendors whose deliveries are understood; show one, or verify what it sent')
    .description(
      'Lists what sources[].vendor may be, how each proves its deliveries, and what a source of it needs. No configuration\nis read.',
    )
    .option('--json', 'print [{ vendor, name, families, secret, params, … }]')
    .addHelpText(
      'after',
      '\nExamples:\n  hcp-sense vendors\n  hcp-sense vendors show gitlab\n  hcp-sense vendors verify github --file request.http --secret "$GH_SECRET"',
    )
    .action((options: { json?: boolean }) => {
      const described = [...vendorProfiles]
        .sort((one, other) => (one.vendor < other.vendor ? -1 : 1))
        .map((profile) => describeVendor(profile, `<http.public_url>/ingress/<source id>`));
      if (options.json) return console.log(JSON.stringify(described, null, 2));
      const width = Math.max(...described.map(({ vendor }) => vendor.length));
      console.log(described.map((one) => writeRow(one, width)).join('\n'));
    })
    .addCommand(vendorsShowCommand())
    .addCommand(vendorsVerifyCommand());

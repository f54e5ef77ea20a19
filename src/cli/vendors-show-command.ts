import { Command } from 'commander';
import { CodedError } from '../domain/errors.ts';
import { findProfile } from '../ingress/vendors/find-profile.ts';
import { describeVendor } from './describe-vendor.ts';
import { writeVendor } from './write-vendor.ts';

/** `hcp-sense vendors show NAME`: what to set up at the vendor and here. */
export const vendorsShowCommand = (): Command =>
  new Command('show')
    .summary('what to set up at a vendor, and here')
    .argument('<name>', 'as hcp-sense vendors lists it')
    .option('--url <url>', 'http.public_url, to show the URL whole')
    .option('--source <id>', 'sources[].id (default: the name of the vendor)')
    .option('--json', 'print the same for a program')
    // Of its own: the program sets it for its commands, not for theirs.
    .exitOverride()
    .action((name: string, _own: object, command: Command) => {
      // --json is also an option of the command around it, which then takes it.
      const { url, source, json } = command.optsWithGlobals<{
        url?: string;
        source?: string;
        json?: boolean;
      }>();
      if (url !== undefined && !URL.canParse(url)) throw new CodedError('USAGE', `--url ${url} is not a URL`);
      const base = url?.replace(/\/+$/, '') ?? '<http.public_url>';
      const about = describeVendor(findProfile(name), `${base}/ingress/${source ?? name}`);
      console.log(json ? JSON.stringify(about, null, 2) : writeVendor(about));
    });

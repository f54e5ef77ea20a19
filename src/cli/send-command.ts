import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import type { LoadedConfig } from '../config/loaded-config.ts';
import { readSecret } from '../config/read-secret.ts';
import type { HttpSourceConfig } from '../config/schema.ts';
import { CodedError } from '../domain/errors.ts';
import { eventHeaders, type MadeSample, makeSample } from '../ingress/make-sample.ts';
import { signDelivery } from '../ingress/sign-delivery.ts';
import { loadConfig } from './load-config.ts';
import { localUrl } from './local-url.ts';

type Options = {
  ref?: string;
  event?: string;
  file?: string;
  id?: string;
  account?: string;
  pack?: string;
  state?: string;
  data?: string;
  url?: string;
  json?: boolean;
};

const findSource = ({ config }: LoadedConfig, id: string): HttpSourceConfig => {
  const source = config.sources.find((one) => one.id === id);
  if (source?.type === 'queue' || source?.type === 'process')
    throw new CodedError('USAGE', `Source ${id} is of type ${source.type}: nothing is posted to it`);
  if (source !== undefined) return source;
  const known = config.sources.map((one) => one.id).join(', ') || 'none';
  throw new CodedError('SOURCE_UNKNOWN', `There is no source ${id} in the configuration; there is ${known}`);
};

/** The newest secret, which is what a sender would have by now. */
const readNewestSecret = async (source: HttpSourceConfig, dir: string): Promise<string> => {
  const [newest] = source.secrets;
  const read =
    newest === undefined ? { unusable: 'it has none' } : await readSecret(newest, { env: process.env, dir });
  if ('value' in read) return read.value;
  throw new CodedError('SECRET_UNUSABLE', `source "${source.id}": ${read.unusable}`);
};

/** Where the server of this configuration listens, unless the caller names another or a whole URL. */
const ingressUrl = ({ config }: LoadedConfig, source: string, given: string | undefined): string => {
  const base = given ?? localUrl(config.http);
  if (!URL.canParse(base)) throw new CodedError('USAGE', `--url ${base} is not a URL`);
  return base.includes('/ingress/') ? base : `${base.replace(/\/+$/, '')}/ingress/${source}`;
};

const readFileOrInput = async (file: string): Promise<Buffer> => {
  try {
    return file === '-' ? Buffer.from(await text(process.stdin)) : await readFile(file);
  } catch (cause) {
    throw new CodedError('USAGE', `--file ${file} can't be read`, { cause });
  }
};

const checkJson = (data: string | undefined): string | undefined => {
  try {
    if (data !== undefined) JSON.parse(data);
    return data;
  } catch {
    throw new CodedError('USAGE', '--data is not JSON');
  }
};

const makeBody = async (
  source: HttpSourceConfig,
  options: Options,
  id: string,
  now: number,
): Promise<MadeSample> => {
  const { ref, event, file, account, pack, state } = options;
  if (file === undefined)
    return makeSample(source, { ref, event, id, account, pack, state, data: checkJson(options.data), now });
  return { raw: await readFileOrInput(file), headers: eventHeaders(source, event) };
};

const sign = (
  source: HttpSourceConfig,
  secret: string,
  delivery: MadeSample & { id: string; now: number; url: string },
) => {
  try {
    return signDelivery(source, secret, delivery);
  } catch (cause) {
    throw new CodedError(
      'SECRET_UNUSABLE',
      `source "${source.id}": ${cause instanceof Error ? cause.message : cause}`,
    );
  }
};

const post = async (url: string, headers: Record<string, string>, raw: Buffer) => {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body: new Uint8Array(raw),
      redirect: 'manual',
      signal: AbortSignal.timeout(15_000),
    });
    return {
      status: answer.status,
      body: await answer.text(),
      delivery: answer.headers.get('x-delivery-id'),
    };
  } catch (cause) {
    throw new CodedError('SERVER_UNREACHABLE', `Nothing answers at ${url}`, { cause });
  }
};

/** `hcp-sense send SOURCE`: signs as the source's sender would and posts; exit code 1 where it is not accepted. */
export const sendCommand = (): Command =>
  new Command('send')
    .summary('sign a delivery as its provider would, and post it')
    .description(
      "Signs with the source's newest secret and posts to /ingress/SOURCE. A webhook source gets an announcement, a\nvendor source one of that vendor's events: a made-up sample, or your own body with --file.",
    )
    .argument('<source>', 'sources[].id')
    .option('-c, --config <file>', 'configuration file')
    .option('--ref <ref>', 'the trigger; for a vendor, a sample that becomes it (default: new_item)')
    .option('--event <name>', "a vendor's event, such as issues.opened")
    .option('--file <file>', 'send these bytes as the body; - reads standard input')
    .option('--id <id>', "the event's id; sent twice it is one event (default: a new one)")
    .option('--account <key>', 'whose event it is, such as inbox@example.com or installation:77')
    .option('--pack <pack>', 'which pack, where the source serves several')
    .option('--state <state>', 'for binding.degraded (default: expired)')
    .option('--data <json>', "the announcement's data, sent as written")
    .option('--url <url>', 'where to post (default: http.host and http.port)')
    .option('--json', 'print { ok, status, source, delivery_id, url, answer }')
    .addHelpText(
      'after',
      `
Examples:
  hcp-sense send mail-hook --ref new_item
  hcp-sense send mail-hook --ref binding.degraded --state revoked
  hcp-sense send github --event issues.opened --account installation:77
  hcp-sense send github --event issues --file payload.json`,
    )
    .action(async (id: string, options: Options, command: Command) => {
      const loaded = await loadConfig(command);
      const source = findSource(loaded, id);
      const secret = await readNewestSecret(source, loaded.dir);
      const url = ingressUrl(loaded, id, options.url);
      const now = Date.now();
      const eventId = options.id ?? `evt_${randomUUID().replaceAll('-', '')}`;
      const made = await makeBody(source, options, eventId, now);
      // Vendors that sign a URL sign the public one, wherever we post to.
      const base = loaded.config.http.public_url;
      const signedUrl = base === undefined ? url : ingressUrl(loaded, id, base);
      const { headers, raw } = sign(source, secret, { id: eventId, ...made, now, url: signedUrl });
      const answer = await post(url, headers, raw);

      const ok = answer.status >= 200 && answer.status < 300;
      const delivery = answer.delivery;
      if (options.json) {
        const { status, body } = answer;
        console.log(JSON.stringify({ ok, status, source: id, delivery_id: delivery, url, answer: body }));
      } else {
        console.log(`${answer.status} ${ok ? 'accepted' : 'refused'}  ${answer.body}`);
        if (delivery !== null) {
          const { config } = command.optsWithGlobals<{ config?: string }>();
          const named = config === undefined ? '' : ` -c ${config}`;
          console.log(`delivery  ${delivery}\nexplain   hcp-sense explain${named} ${id} ${delivery}`);
        }
      }
      if (!ok) process.exitCode = 1;
    });

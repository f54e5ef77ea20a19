import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { Command } from 'commander';
import { CodedError } from '../domain/errors.ts';
import { findProfile } from '../ingress/vendors/find-profile.ts';
import { judgeRequest } from './judge-request.ts';
import { type CapturedRequest, parseRequest } from './parse-request.ts';
import { reportJudgement } from './report-judgement.ts';
import { writeReport } from './write-report.ts';

type Options = {
  file: string;
  secret?: string[];
  secretEnv?: string[];
  url?: string;
  at?: string;
  param?: string[];
  refs?: string[];
  showData?: boolean;
  json?: boolean;
};

const misuse = (detail: string, cause?: unknown): CodedError => new CodedError('USAGE', detail, { cause });

const read = async (file: string, option: string): Promise<Buffer> => {
  try {
    return file === '-' ? await buffer(process.stdin) : await readFile(file);
  } catch (cause) {
    throw misuse(`${option} ${file} can't be read`, cause);
  }
};

/** `NAME=VALUE` each; a value may hold more of them. */
const readPairs = (given: readonly string[], option: string): [string, string][] =>
  given.map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw misuse(`${option} ${at === 0 ? pair : pair.split(/\s/, 1)} is not KEY=VALUE`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });

const readParams = async (given: readonly string[]): Promise<Record<string, string>> => {
  const params = await Promise.all(
    readPairs(given, '--param').map(async ([name, value]): Promise<[string, string]> => {
      if (!value.startsWith('@')) return [name, value];
      return [name, (await read(value.slice(1), `--param ${name}=@`)).toString('utf8').trimEnd()];
    }),
  );
  return Object.fromEntries(params);
};

const readSecrets = ({ secret = [], secretEnv = [] }: Options): string[] => [
  ...secret,
  ...secretEnv.map((name) => {
    const value = process.env[name];
    if (value === undefined || value === '') throw misuse(`--secret-env: ${name} is not set`);
    return value;
  }),
];

const readTime = (at: string | undefined): number => {
  if (at === undefined) return Date.now();
  if (!/^\d{1,12}(\.\d+)?$/.test(at)) throw misuse(`--at ${at} is not a time in Unix seconds`);
  return Math.round(Number(at) * 1000);
};

/** The URL that the vendor calls, and the query as it was received: what is given may be a whole URL, or only its origin. */
const placeRequest = (
  request: CapturedRequest,
  url: string | undefined,
): { url: string | null; request: CapturedRequest } => {
  if (url === undefined) return { url: null, request };
  if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url)) throw misuse(`--url ${url} is not a URL`);
  const [address = '', query] = url.split('?', 2);
  const isOrigin = /^[a-z]+:\/\/[^/]+\/?$/i.test(address);
  return {
    url: isOrigin ? address.replace(/\/$/, '') + request.path : address,
    request: request.query === '' && query !== undefined ? { ...request, query: `?${query}` } : request,
  };
};

/** `hcp-sense vendors verify NAME`: whether a captured request verifies, and what it would become. */
export const vendorsVerifyCommand = (): Command =>
  new Command('verify')
    .summary('judge a captured request as the server would')
    .description(
      "Says whether a captured request verifies, which announcements it yields, and if it does not verify, at which step it\nfailed. It is the server's own code, without queue, database or configuration; nothing is sent, and no secret is shown.",
    )
    .argument('<name>', 'the vendor, as hcp-sense vendors lists it')
    .requiredOption(
      '--file <file>',
      "request line, headers, a blank line, the body's very bytes; - reads standard input",
    )
    .option('--secret <secret...>', 'what the source would have as secrets')
    .option('--secret-env <name...>', 'the same, out of environment variables')
    .option('--url <url>', 'the URL that the vendor calls; an origin alone takes the path of the request')
    .option('--at <seconds>', 'judge for this time, in Unix seconds (default: now)')
    .option(
      '--param <key=value...>',
      'what the vendor needs beside secrets; @FILE reads it; also jwks=@FILE, certificate=@FILE',
    )
    .option('--refs <event=ref...>', "which event becomes which ref, instead of the vendor's own mapping")
    .option('--show-data', 'print the data of each announcement as well')
    .option('--json', 'print { ok, verified, kind, step, why, answer, announcements, … }')
    .addHelpText(
      'after',
      `
Exit codes: 0 the server would take it · 1 it would not · 2 misuse.

Examples:
  hcp-sense vendors verify github --file request.http --secret-env GH_SECRET
  hcp-sense vendors verify stripe --file request.http --secret whsec_… --at 1750000000
  hcp-sense vendors verify twilio --file request.http --secret … --url https://hooks.example.com/ingress/twilio`,
    )
    // Of its own: the program sets it for its commands, not for theirs.
    .exitOverride()
    .action(async (vendor: string, _own: Options, command: Command) => {
      // --json is also an option of the command around it, which then takes it.
      const options = command.optsWithGlobals<Options>();
      findProfile(vendor);
      const captured = parseRequest(await read(options.file, '--file'));
      if ('fault' in captured)
        throw misuse(`--file ${options.file} is no captured request: ${captured.fault}`);
      const { url, request } = placeRequest(captured, options.url);
      const judging = {
        vendor,
        secrets: readSecrets(options),
        params: await readParams(options.param ?? []),
        url,
        refs: options.refs === undefined ? null : Object.fromEntries(readPairs(options.refs, '--refs')),
        now: readTime(options.at),
      };
      const judgement = await judgeRequest(request, judging);
      const report = await reportJudgement(request, judging, judgement, options.showData === true);
      console.log(options.json ? JSON.stringify(report, null, 2) : writeReport(report));
      if (!report.ok) process.exitCode = 1;
    });

import { relative } from 'node:path';
import type { App } from '../../src/app.ts';

type Welcome = {
  app: Pick<App, 'url' | 'embedded'>;
  runtimeUrl: string;
  home: string;
  /** Milliseconds from the start of this process. */
  tookMs: number;
  secretsMade: number;
};

const config = '-c examples/quickstart/sense.yaml';

/** What `npm start` shows when an event can be sent: where things are, and three commands to paste. */
export const printWelcome = ({ app, runtimeUrl, home, tookMs, secretsMade }: Welcome): void => {
  const here = (path: string): string => {
    const near = relative(process.cwd(), path);
    return near === '' || near.startsWith('..') ? path : near;
  };
  const lines = [
    '',
    `  hcp-sense is ready after ${(tookMs / 1000).toFixed(1)} s`,
    '',
    `  deliveries   ${app.url}/ingress/mail-hook   (also github)`,
    `  workspace    ${here(home)}/workspace   (touch a file in it: the watcher pack tells)`,
    `  API          ${app.url}/docs`,
    `  runtime      ${runtimeUrl}`,
    app.embedded === null ? null : `  Postgres     ${here(app.embedded.dataDir)}`,
    app.embedded?.movedBecause == null ? null : `               ${app.embedded.movedBecause}`,
    `  secrets      ${here(home)}/secrets${secretsMade > 0 ? `   (${secretsMade} made just now, for you alone)` : ''}`,
    '',
    '  In another terminal, send a signed event, read it as an Invoker would, and ask what was decided:',
    '',
    `    npx hcp-sense send mail-hook --ref new_item --id hello-1 ${config}`,
    `    npx hcp-sense drain ${config}`,
    `    npx hcp-sense explain mail-hook hello-1 ${config}`,
    '',
    '  Ctrl-C ends everything. What was recorded is there at the next start.',
    '',
  ];
  console.log(lines.filter((line) => line !== null).join('\n'));
};

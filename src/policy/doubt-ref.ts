const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const polite = words('please do must should try want need');
const commands = words(
  'list get fetch send create delete remove add set read write show find search sync pull execute exec invoke connect ' +
    'reconnect authorize notify submit approve reject cancel reply forward archive move copy rename edit modify upload ' +
    'download import export restart kill enable disable subscribe transfer pay refund publish assign',
);
/** Words that are nouns as often as commands: they count only where an object follows (`run_report`). */
const commandsWithObject = words(
  'run build post call check order update report open close start stop make put load save',
);
const facts = words('new sent paid done gone lost found made begun ready available received due read');
const polls = words('poll polls polling polled pull follow');
const timers = words(
  'timer timers tick ticks cron interval hourly daily weekly monthly nightly minutely scheduler',
);
const healths = words(
  'health healthcheck healthy unhealthy uptime downtime ping pong alive liveness readiness heartbeat keepalive refresh',
);

const statesFact = (word: string): boolean => facts.has(word) || /.{2}ed$/.test(word);

/**
 * Why a well-formed ref is probably no trigger (protocol: Sense, "Triggers" and "What Sense is not"), or null. Words can't
 * prove it, so it warns: `poll.closed` may be a fact of a voting product.
 */
export const doubtRef = (ref: string): string | null => {
  const parts = ref.split(/[._-]/);
  const named = `stimulus "${ref}"`;
  if (parts.some((part) => healths.has(part))) {
    return `${named} reads like a health check or a refresh; those are the runtime's own and never pass through Sense`;
  }
  if (parts.some((part) => timers.has(part))) {
    return `${named} reads like a timer; a trigger is what the upstream system pushes, not what a clock does`;
  }
  if (parts.some((part) => polls.has(part))) {
    return `${named} reads like a poll; what has to be asked for is a read command, not a trigger`;
  }
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  const asks = polite.has(first) && parts.length > 1;
  const commanding =
    commands.has(first) || commands.has(last) || (commandsWithObject.has(first) && parts.length > 1);
  if (asks || (commanding && !parts.some(statesFact))) {
    return `${named} reads like a command; name the fact that happened, such as new_item or item.updated`;
  }
  return null;
};

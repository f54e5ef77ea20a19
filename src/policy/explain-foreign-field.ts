/** What Policy keeps out (protocol: "What stays out") by how its field is likely called, and where it goes instead. */
const foreign: ReadonlyArray<{ names: RegExp; belongs: string }> = [
  {
    names: /tenant|organi[sz]ation|^org(_?id)?$/,
    belongs:
      'a tenant id stays out of Policy; the tenant is that of the Binding’s Principal (principals[].tenant of the directory)',
  },
  {
    names: /project/,
    belongs: 'a project stays out of Policy; it is the Binding’s (bindings[].project of the directory)',
  },
  {
    names: /role|group|team|rbac|scope/,
    belongs:
      'roles stay out of Policy; who may cause what is granted at run time (grants of the directory, execute.grants)',
  },
  {
    names: /allow|deny|block|user|principal|member|owner|acl|grant|permission/,
    belongs:
      'lists of who may stay out of Policy; they are grants of the directory, and execute.grants for wakes',
  },
  {
    names: /secret|token|password|credential|api_?-?key|^keys?$|auth/,
    belongs:
      'keys stay out of a pack; sense.yaml names them as { env } or { file } under sources[].secrets and execute.token',
  },
  {
    names: /rate|limit|quota|budget|throttle|^max|per_(second|minute|hour|day)/,
    belongs:
      'rate limits stay out of Policy; sense.yaml bounds wakes with wakes[].budget, the rest is the runtime’s',
  },
  {
    names: /schedule|cron|interval|timer|poll|every|period/,
    belongs: 'schedules stay out of Policy; nothing here polls, and what runs on a timer is not Sense',
  },
  {
    names: /path|cwd|dir(ectory)?$|root|host|workspace|folder/,
    belongs: 'host paths stay out of Policy; a workspace directory is sources[].cwd of sense.yaml',
  },
];

/** Why a field has no place in policy.json and where what it says belongs; null where its name tells nothing. */
export const explainForeignField = (name: string): string | null => {
  const snake = name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
  return foreign.find(({ names }) => names.test(snake))?.belongs ?? null;
};

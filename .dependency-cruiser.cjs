// Who may import whom. `domain` is the floor, `app.ts` the ceiling: rooms get what they need as functions from app.ts,
// so ingress cannot see the queue and nothing that records can see what executes (guarantee G7).
const mayImport = {
  domain: [],
  policy: ['domain'],
  config: ['domain', 'policy'],
  ingress: ['domain'],
  process: ['domain'],
  queue: ['domain'],
  store: ['domain'],
  pipeline: ['domain', 'policy', 'store'],
  sinks: ['domain', 'store'],
  'exec-client': ['domain'],
  wake: ['domain', 'store', 'exec-client'],
  api: ['domain', 'store'],
  observe: ['domain'],
  embedded: ['domain'],
  cli: ['domain', 'config', 'policy', 'store', 'queue', 'embedded', 'ingress', 'observe', 'app.ts'],
};
const owners = {
  fastify: ['ingress', 'api'],
  bullmq: ['queue'],
  ioredis: ['queue'],
  pg: ['store', 'queue', 'embedded'],
  commander: ['cli'],
  yaml: ['config', 'cli'],
};
const one = (names) =>
  `^src/(${names.map((n) => (n.endsWith('.ts') ? `${n.replace('.', '\\.')}$` : `${n}/`)).join('|')})`;

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-orphans', severity: 'error', from: { orphan: true, path: '^src/' }, to: {} },
    {
      name: 'src-never-imports-test',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|bench|examples)/' },
    },
    {
      name: 'only-wake-executes',
      comment: 'G7: what records cannot act',
      severity: 'error',
      from: { path: '^src/', pathNot: one(['wake', 'exec-client', 'app.ts', 'index.ts']) },
      to: { path: one(['exec-client']) },
    },
    ...Object.entries(mayImport).map(([folder, allowed]) => ({
      name: `${folder}-imports`,
      severity: 'error',
      from: { path: one([folder]) },
      to: { path: '^src/', pathNot: one([folder, ...allowed]) },
    })),
    ...Object.entries(owners).map(([pkg, folders]) => ({
      name: `${pkg}-owner`,
      severity: 'error',
      from: { path: '^src/', pathNot: one(folders) },
      // A type may be named by whoever is handed the thing: a Pool passes through rooms that cannot make one.
      to: { path: `node_modules/${pkg}/`, dependencyTypesNot: ['type-only'] },
    })),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'dist/' },
  },
};

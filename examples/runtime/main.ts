// The example runtime as a process: EXEC_TOKEN=… PORT=9100 node dist/examples/runtime/main.js
import { createMemoryRuntime, type RuntimeGrant } from './create-memory-runtime.ts';
import { createRuntimeServer } from './create-runtime-server.ts';
import { loadExamplePacks } from './load-example-packs.ts';

const token = process.env.EXEC_TOKEN?.trim() ?? '';
if (token === '') {
  // Fail closed: a runtime without a token would run commands for anybody.
  process.stderr.write(
    'example runtime: EXEC_TOKEN is not set; it is the bearer token that callers must send.\n',
  );
  process.exit(2);
}

/** What the quick start's worker may do here: read both packs, and ask to send; the gate still asks a person. */
const principal = process.env.EXEC_PRINCIPAL ?? 'sense-wake';
const grants: readonly RuntimeGrant[] = [
  { principal, capability: 'verb.exec.read', pack_id: 'mail' },
  { principal, capability: 'verb.exec.write', pack_id: 'mail', verb_keys: ['mail.send'] },
  { principal, capability: 'verb.exec.read', pack_id: 'issues' },
];

const runtime = createMemoryRuntime({
  packs: await loadExamplePacks(process.env.PACKS_DIR),
  grants,
  members: { apollo: [principal] },
});
const server = createRuntimeServer({ runtime, token });
const url = await server.listen(Number(process.env.PORT ?? 9100), process.env.HOST ?? '127.0.0.1');
process.stdout.write(`example runtime: ${url}\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    server.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
}

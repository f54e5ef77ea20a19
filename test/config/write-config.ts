import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CodedError } from '../../src/domain/errors.ts';

const row = (operation: string) => ({ operation, privacy: { land: 'personal' } });
const verbs = {
  'mail.list': row('read'),
  'mail.get': row('read'),
  'mail.send': row('write'),
  'mail.connect': row('write'),
};

const packFiles: Readonly<Record<string, string>> = {
  'packs/mail/surface.json': JSON.stringify({
    id: 'mail',
    verbs: Object.fromEntries(Object.keys(verbs).map((key) => [key, {}])),
    connect: { verb: 'mail.send.link' },
    stimulusTriggers: [{ ref: 'new_item' }, { ref: 'item.updated' }],
  }),
  'packs/mail/policy.json': JSON.stringify({
    surface_id: 'mail',
    verbs,
    stimuli: { new_item: row('read'), 'item.updated': row('read') },
  }),
};

/** Writes a configuration beside a pack `packs/mail`, and whatever files a test adds. Returns the file's path. */
export const writeConfig = async (
  yaml: string,
  files: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'sense-config-'));
  for (const [name, text] of Object.entries({ ...packFiles, ...files, 'sense.yaml': yaml })) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text);
  }
  return join(dir, 'sense.yaml');
};

/** The fault that a promise ends in; anything else is thrown on. */
export const codedFault = async (promise: Promise<unknown>): Promise<CodedError> => {
  try {
    await promise;
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
  throw new Error('expected a fault, but all went well');
};

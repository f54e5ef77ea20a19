// A pack process, whole: watches its working directory and announces on stdout, one JSON object a line. It knows nothing of
// who runs it, is told nothing (no secret, no id of anybody), and needs nothing but Node. It never looks unasked: the
// system tells it (a poll would not be Sense).
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

const quietMs = 50;
const workspace = process.cwd();
const known = new Set();
const pending = new Map();

/** Hidden files and folders are nobody's business; `.git` alone would fill an inbox. */
const isHidden = (path) => path.split('/').some((part) => part.startsWith('.') || part === 'node_modules');

const lookAt = (path) => {
  try {
    return lstatSync(join(workspace, path));
  } catch {
    return null;
  }
};

/** The same event has the same id, however often it is told: a repeat is recorded once. */
const announce = (ref, path, at, size) => {
  const id = createHash('sha256').update(`${ref}\n${path}\n${at}\n${size}`).digest('hex').slice(0, 32);
  const line = { ref, id, occurred_at: new Date(at).toISOString(), data: { path, size } };
  // Blocks while the pipe is full: that is how the other side says "not now".
  process.stdout.write(`${JSON.stringify(line)}\n`);
};

const settle = (path) => {
  pending.delete(path);
  const found = lookAt(path);
  if (found?.isDirectory()) return;
  if (found === null) {
    if (known.delete(path)) announce('file.removed', path, Date.now(), null);
    return;
  }
  announce(known.has(path) ? 'file.changed' : 'file.added', path, Math.trunc(found.mtimeMs), found.size);
  known.add(path);
};

// An editor writes a file in several steps; what happens within a moment is one event.
const onEvent = (path) => {
  if (path === null || isHidden(path)) return;
  clearTimeout(pending.get(path));
  pending.set(
    path,
    setTimeout(() => settle(path), quietMs),
  );
};

for (const entry of readdirSync(workspace, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name).slice(workspace.length + 1);
  if (!entry.isDirectory() && !isHidden(path)) known.add(path);
}
watch(workspace, { recursive: true }, (_, path) => onEvent(path));

// Nobody reads any more: there is nobody to watch for.
process.stdout.on('error', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
console.error(`watching ${known.size} files`);

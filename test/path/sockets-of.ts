import { readdir, readFile, readlink } from 'node:fs/promises';

/** Ports that a process is connected to (Linux); connections that others opened to `listening` are not among them. */
export const remotePortsOf = async (pid: number, listening: number): Promise<Set<number>> => {
  const inodes = new Set<string>();
  for (const fd of await readdir(`/proc/${pid}/fd`)) {
    const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '');
    const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
    if (inode !== undefined) inodes.add(inode);
  }
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => '')),
  );
  const ports = new Set<number>();
  for (const row of tables.flatMap((table) => table.split('\n').slice(1))) {
    const [, local = '', remote = '', , , , , , , inode = ''] = row.trim().split(/\s+/);
    const port = (address: string): number => Number.parseInt(address.split(':').at(-1) ?? '', 16);
    if (inodes.has(inode) && port(local) !== listening && port(remote) > 0) ports.add(port(remote));
  }
  return ports;
};

/** Pids of a process's children (Linux). */
export const childrenOf = async (pid: number): Promise<string> => {
  const threads = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  );
  return lists.join(' ').trim();
};

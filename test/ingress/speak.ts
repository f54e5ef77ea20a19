import { connect } from 'node:net';

export type Spoken = { status: number; code: string | null; head: string; body: string };

/** The answers in what came back on a connection, interim ones left out. */
const parseAnswers = (text: string): Spoken[] => {
  const answers: Spoken[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\r\n\r\n', at);
    if (end === -1) break;
    const head = text.slice(at, end);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? 0);
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
    const body = text.slice(end + 4, end + 4 + length);
    if (status !== 100)
      answers.push({ status, code: /"code":"([A-Z_]+)"/.exec(body)?.[1] ?? null, head, body });
    at = end + 4 + length;
  }
  return answers;
};

type Manner = {
  /** Ends our side when all is written. */
  end?: boolean;
  /** Resolves with so many answers at the latest; nothing says that more would come. */
  answers?: number;
};

/**
 * Writes bytes to a fresh connection as they are, and resolves with what is answered: as many answers as are waited for,
 * or less where the other side closes before. A connection that breaks is one that closed.
 */
export const speak = (
  port: number,
  chunks: readonly (Uint8Array | string)[],
  { end = false, answers = 1 }: Manner = {},
): Promise<Spoken[]> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    let heard = '';
    socket.on('data', (part) => {
      heard += part.toString('latin1');
      if (parseAnswers(heard).length >= answers) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(parseAnswers(heard)));
    socket.on('connect', async () => {
      for (const chunk of chunks) {
        if (socket.destroyed) return;
        socket.write(typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : chunk);
        await new Promise((next) => setImmediate(next));
      }
      if (end) socket.end();
    });
  });

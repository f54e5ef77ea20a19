import { once } from 'node:events';
import { connect } from 'node:net';

export type Connection = { send(request: Buffer): void; close(): void };

/**
 * One keep-alive connection, one request at a time. A full HTTP client would cost a third of a two-core machine at
 * these rates and be measured with the subject; all that is needed of an answer is its status and where it ends.
 *
 * @param onAnswer told the status of each answer, in turn
 * @param onLost told when the server ends the connection or answers what is not understood
 */
export const openConnection = async (
  port: number,
  onAnswer: (status: number) => void,
  onLost: (why: string) => void,
): Promise<Connection> => {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await once(socket, 'connect');
  let closing = false;
  let held: Buffer | null = null;

  socket.on('data', (chunk) => {
    const bytes = held === null ? chunk : Buffer.concat([held, chunk]);
    const text = bytes.toString('latin1');
    const headEnd = text.indexOf('\r\n\r\n');
    const length = headEnd === -1 ? null : /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, headEnd));
    if (headEnd !== -1 && length === null) {
      onLost('an answer without content-length');
      return;
    }
    if (length === null || bytes.length < headEnd + 4 + Number(length[1])) {
      held = bytes;
      return;
    }
    held = null;
    onAnswer(Number(text.slice(9, 12)));
  });
  socket.on('error', (error) => {
    if (!closing) onLost(error.message);
  });
  socket.on('close', () => {
    if (!closing) onLost('the server closed a connection');
  });
  return {
    send: (request) => {
      socket.write(request);
    },
    close() {
      closing = true;
      socket.destroy();
    },
  };
};

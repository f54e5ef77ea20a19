import { createReceiver } from './create-receiver.ts';

// (a) The ceiling: everything that any receiver must do, and nothing kept.
const app = createReceiver(process.env.MAIL_SECRET ?? '', () => undefined);
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });

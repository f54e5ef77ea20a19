import type { Adapter } from './adapter.ts';

type Message = { id: string; from: string; to: string; subject: string; body: string };

const seed: readonly Message[] = [
  {
    id: 'm1',
    from: 'ada@example.com',
    to: 'inbox@example.com',
    subject: 'Minutes',
    body: 'Attached, as promised.',
  },
  {
    id: 'm2',
    from: 'grace@example.com',
    to: 'inbox@example.com',
    subject: 'Lunch',
    body: 'Tomorrow at noon?',
  },
  {
    id: 'm3',
    from: 'edsger@example.com',
    to: 'inbox@example.com',
    subject: 'Proof',
    body: 'Considered, not tested.',
  },
];

/** A mailbox per tenant, in memory, with three messages in it. */
export const createMailAdapter = (): Adapter => {
  const boxes = new Map<string, { messages: Message[]; connected: boolean }>();
  const boxOf = (tenant: string) => {
    const box = boxes.get(tenant) ?? { messages: structuredClone([...seed]), connected: false };
    boxes.set(tenant, box);
    return box;
  };
  return {
    'mail.list': (_args, { tenantId }) => ({
      ok: true,
      result: {
        messages: boxOf(tenantId)
          .messages.map(({ id, from, subject }) => ({ id, from, subject }))
          .reverse(),
      },
    }),
    'mail.get': ({ id }, { tenantId }) => {
      const message = boxOf(tenantId).messages.find((one) => one.id === id);
      return message === undefined
        ? { ok: false, error: 'no such message' }
        : { ok: true, result: { ...message } };
    },
    'mail.send': ({ to, subject, body }, { tenantId }) => {
      if (typeof to !== 'string') return { ok: false, error: 'to must be an address' };
      const { messages } = boxOf(tenantId);
      const id = `m${messages.length + 1}`;
      messages.push({
        id,
        from: 'inbox@example.com',
        to,
        subject: String(subject ?? ''),
        body: String(body ?? ''),
      });
      return { ok: true, result: { id } };
    },
    'mail.connect': (_args, { tenantId }) => {
      boxOf(tenantId).connected = true;
      return { ok: true, result: { connected: true } };
    },
  };
};

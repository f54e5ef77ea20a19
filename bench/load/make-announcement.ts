/** A mail announcement of about one kilobyte, with the mix of short fields, prose and non-ASCII that real ones have. */
export const makeAnnouncement = (id: string, account: number) => ({
  ref: 'new_item',
  id,
  account: `user-${account}@example.com`,
  occurred_at: '2026-03-14T09:26:53.589Z',
  data: {
    id: `mail_${id}`,
    thread_id: `thread_${id.slice(-8)}`,
    history_id: 9007199254740993n.toString(),
    from: { name: 'Zoë Öztürk', address: 'zoe.oeztuerk@example.org' },
    to: [{ name: `User ${account}`, address: `user-${account}@example.com` }],
    cc: [
      { name: 'Team Apollo', address: 'apollo@example.com' },
      { name: 'Archive', address: 'archive@example.com' },
    ],
    subject: 'Re: Minutes of Thursday’s planning round and three open questions',
    snippet:
      'Hello all, thank you for the quick answers. I have put the minutes into the shared folder; please look at the ' +
      'second and fourth items, they need a decision before Monday. The supplier confirms delivery in week 12, ' +
      'the price stays at 1.249,00 € per unit. Best, Zoë',
    labels: ['INBOX', 'IMPORTANT', 'CATEGORY_PERSONAL'],
    flags: { seen: false, answered: false, flagged: true, draft: false },
    size: 48211,
    attachments: [{ name: 'minutes.pdf', type: 'application/pdf', size: 38790 }],
    message_id: `<${id}.7d1f@mail.example.org>`,
  },
});

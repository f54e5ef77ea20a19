import type { Sample, VendorProfile } from './profile.ts';

const action = (type: string, data: Record<string, unknown>): Sample => ({
  body: {
    action: {
      id: '5f00000000000000000000a1',
      type,
      date: '2026-01-01T00:00:00.000Z',
      idMemberCreator: '5f00000000000000000000b1',
      data: { board: { id: '5f00000000000000000000c1', name: 'Lunch' }, ...data },
    },
    model: { id: '5f00000000000000000000c1', name: 'Lunch' },
    webhook: { id: '5f00000000000000000000d1', idModel: '5f00000000000000000000c1' },
  },
});

const card = { id: '5f00000000000000000000e1', name: 'Order', shortLink: 'EXAMPLE1' };

/** Trello webhooks: https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/. The body is signed before the URL. */
export const trello: VendorProfile = {
  vendor: 'trello',
  about: {
    name: 'Trello webhooks',
    docs: 'https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/',
    setUp:
      'A webhook by the API, with the URL as `callbackURL`, exactly as `http.public_url` has it; a query of your own may follow.',
    secret: 'The OAuth 1.0 secret of the API key (not the key and not a token).',
    answerSeconds: null,
    notes: [
      "A webhook ends with the user's token, in silence: watch for silence, or for a 401 of the API.",
      'Two webhooks that tell of one action tell of one event, by its `action.id`.',
      'No time is signed.',
    ],
    unconfirmed: [
      'How it is retried (after 30, 60 and 120 s), and that long failure (30 days and 1000 in a row) or a 410 ends the webhook.',
      'That characters beyond ASCII are signed as the bytes that are sent.',
    ],
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha1',
    key: 'text',
    encoding: 'base64',
    signed: ['body', { url: 'registered' }],
    signature: { header: 'x-trello-webhook' },
  },
  takes: ['json'],
  handshakes: [{ method: 'HEAD', unproven: true, when: [], answer: { status: 200 } }],
  deliveryId: [],
  eventId: [{ json: ['action', 'id'] }],
  event: [{ parts: [{ json: ['action', 'type'] }] }],
  occurredAt: [{ json: ['action', 'date'] }],
  accounts: [
    { key: 'webhook', from: [{ json: ['webhook', 'id'] }] },
    { key: 'model', from: [{ json: ['model', 'id'] }] },
    { key: 'board', from: [{ json: ['action', 'data', 'board', 'id'] }] },
  ],
  refs: {
    createCard: 'new_item',
    copyCard: 'new_item',
    emailCard: 'new_item',
    convertToCardFromCheckItem: 'new_item',
    updateCard: 'item.updated',
    updateCheckItemStateOnCard: 'item.updated',
    addMemberToCard: 'item.updated',
    removeMemberFromCard: 'item.updated',
    deleteCard: 'item.deleted',
    commentCard: 'comment.created',
    updateComment: 'item.updated',
    addAttachmentToCard: 'file.created',
    deleteAttachmentFromCard: 'file.deleted',
  },
  states: {},
  answer: { status: 200, body: '' },
  samples: {
    createCard: action('createCard', { card }),
    updateCard: action('updateCard', { card, old: { name: 'Ordr' } }),
    deleteCard: action('deleteCard', { card }),
    commentCard: action('commentCard', { card, text: 'At noon?' }),
  },
};

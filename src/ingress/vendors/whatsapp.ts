import { meta } from './meta.ts';
import type { Sample, VendorProfile } from './profile.ts';

const sample = (field: string, value: Record<string, unknown>): Sample => ({
  body: {
    object: 'whatsapp_business_account',
    entry: [{ id: '102290129340398', time: 1_750_000_000, changes: [{ field, value }] }],
  },
});

const number = {
  messaging_product: 'whatsapp',
  metadata: { display_phone_number: '15550783881', phone_number_id: '106540352242922' },
};

/**
 * The WhatsApp Business Platform (Cloud API): https://developers.facebook.com/docs/whatsapp/cloud-api/guides/set-up-webhooks.
 * Meta's scheme with the events of a WhatsApp Business Account; one app of Meta may serve both vendors on two URLs.
 */
export const whatsapp: VendorProfile = {
  ...meta,
  vendor: 'whatsapp',
  about: {
    name: 'WhatsApp Business Platform (Cloud API)',
    docs: 'https://developers.facebook.com/docs/whatsapp/cloud-api/guides/set-up-webhooks',
    setUp:
      'The URL as callback for WhatsApp Business Account, with a verify token of your choice; subscribe the app to each account.',
    secret: 'The app secret.',
    answerSeconds: 5,
    switchesOff: {
      on: ['4xx', '5xx'],
      how: 'Failures that go on unsubscribe the app.',
    },
    notes: [
      'One URL may serve the accounts of several customers: of a batch each change has its own `waba` and `phone`.',
      'A change that holds several messages is one event; its data holds them all.',
      'No time is signed; a repeated change is the same event.',
    ],
    unconfirmed: [
      'For how long is retried (7 days), and how soon the answer is wanted.',
      'Whether characters beyond ASCII ever come unescaped; both forms of the body are tried.',
    ],
  },
  split: [['entry', '*', 'changes', '*']],
  eventId: [
    { json: ['value', 'messages', '0', 'id'] },
    { all: [{ json: ['value', 'statuses', '0', 'id'] }, { json: ['value', 'statuses', '0', 'status'] }] },
  ],
  event: [
    {
      when: { at: { json: ['value', 'messages'] } },
      parts: [{ literal: 'messages' }],
      detail: [{ json: ['value', 'messages', '0', 'type'] }],
    },
    {
      when: { at: { json: ['value', 'statuses'] } },
      parts: [{ literal: 'statuses' }],
      detail: [{ json: ['value', 'statuses', '0', 'status'] }],
    },
    {
      parts: [{ json: ['field'] }],
      // Of a DISABLED_UPDATE the ban says which way it goes.
      detail: [{ json: ['value', 'ban_info', 'waba_ban_state'] }, { json: ['value', 'event'] }],
    },
  ],
  occurredAt: [
    { json: ['value', 'messages', '0', 'timestamp'] },
    { json: ['value', 'statuses', '0', 'timestamp'] },
    { parent: ['time'] },
  ],
  accounts: [
    { key: 'waba', from: [{ parent: ['id'] }] },
    { key: 'phone', from: [{ json: ['value', 'metadata', 'phone_number_id'] }] },
  ],
  refs: {
    messages: 'message.received',
    'statuses*': 'message.status',
    'message_template_status_update*': 'item.updated',
    phone_number_quality_update: 'endpoint.throttled',
    'phone_number_quality_update.*': 'endpoint.throttled',
    account_update: 'item.updated',
    'account_update.*': 'item.updated',
    'account_update.DISABLE': 'binding.degraded',
    'account_update.DISABLED_UPDATE': 'binding.degraded',
    'account_update.ACCOUNT_RESTRICTION': 'binding.degraded',
    'account_update.ACCOUNT_VIOLATION': 'binding.degraded',
    'account_update.ACCOUNT_DELETED': 'binding.degraded',
    'account_update.ACCOUNT_OFFBOARDED': 'binding.degraded',
    'account_update.PARTNER_REMOVED': 'binding.degraded',
    'account_update.PARTNER_APP_UNINSTALLED': 'binding.degraded',
    'account_update.REINSTATE': 'binding.restored',
    'account_update.ACCOUNT_RECONNECTED': 'binding.restored',
  },
  states: {
    'account_update.DISABLE': 'suspended',
    'account_update.DISABLED_UPDATE': 'suspended',
    'account_update.ACCOUNT_RESTRICTION': 'suspended',
    'account_update.ACCOUNT_VIOLATION': 'suspended',
    'account_update.ACCOUNT_DELETED': 'revoked',
    'account_update.ACCOUNT_OFFBOARDED': 'revoked',
    'account_update.PARTNER_REMOVED': 'revoked',
    'account_update.PARTNER_APP_UNINSTALLED': 'revoked',
    'account_update.REINSTATE': 'active',
    'account_update.ACCOUNT_RECONNECTED': 'active',
  },
  samples: {
    messages: sample('messages', {
      ...number,
      messages: [
        {
          from: '15005550006',
          id: 'wamid.example',
          timestamp: '1750000000',
          type: 'text',
          text: { body: 'Lunch at noon?' },
        },
      ],
    }),
    'statuses.delivered': sample('messages', {
      ...number,
      statuses: [
        { id: 'wamid.example', status: 'delivered', timestamp: '1750000000', recipient_id: '15005550006' },
      ],
    }),
    'account_update.DISABLE': sample('account_update', {
      event: 'DISABLED_UPDATE',
      ban_info: { waba_ban_state: 'DISABLE', waba_ban_date: 'January 1, 2026' },
    }),
    'account_update.PARTNER_REMOVED': sample('account_update', {
      event: 'PARTNER_REMOVED',
      waba_info: { waba_id: '102290129340398', owner_business_id: '2329417887457253' },
    }),
  },
};

import { z } from 'zod';

export const oneEvent = 'application/cloudevents+json';
export const manyEvents = 'application/cloudevents-batch+json';

/** A record as a CloudEvent; `src/domain/write-cloud-event.ts` writes it. */
export const cloudEventShape = z
  .object({
    specversion: z.literal('1.0'),
    id: z.string().meta({ description: 'record_id' }),
    source: z.string().meta({ description: '/tenants/<tenant_id>/sources/<source_id>' }),
    type: z.string().meta({ description: '<pack_id>.<ref>' }),
    time: z.string().meta({ description: 'occurred_at, else received_at' }),
    subject: z.string().meta({ description: 'binding_id' }),
    datacontenttype: z.literal('application/json'),
    hcptenant: z.string(),
    hcpprincipal: z.string(),
    hcpprincipalkind: z.string(),
    hcpbinding: z.string(),
    hcpland: z.string(),
    hcpproject: z.string().optional(),
    hcppack: z.string(),
    hcpref: z.string(),
    hcproute: z.string(),
    hcpsource: z.string(),
    hcpevent: z.string(),
    hcpdelivery: z.string(),
    hcpreceivedat: z.string(),
    hcprecordedat: z.string(),
    hcpstate: z.string().optional(),
    hcptrust: z.literal('external'),
    data: z.unknown().meta({ description: 'the JSON that was sent, character for character' }),
  })
  .meta({ id: 'RecordAsCloudEvent' });

export const cloudEventBatch = z.array(cloudEventShape);

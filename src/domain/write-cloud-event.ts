import type { SenseRecord } from './record.ts';

/** CloudEvents take no noncharacters in a text; ids of providers may hold them. */
const attribute = (text: string): string => text.replace(/\p{Noncharacter_Code_Point}/gu, '\ufffd');

/**
 * Writes a record as a CloudEvent 1.0 in JSON, the payload verbatim as its last member (G9). What says whose it is stands
 * in extension attributes `hcp…`; one without a value is left out, as CloudEvents want it.
 * https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md
 */
export const writeCloudEvent = ({ head, data }: SenseRecord): string => {
  const part = encodeURIComponent;
  const attributes: Record<string, string | null> = {
    specversion: '1.0',
    id: head.record_id,
    source: `/tenants/${part(head.tenant_id)}/sources/${part(head.source_id)}`,
    type: `${head.pack_id}.${head.ref}`,
    time: head.occurred_at ?? head.received_at,
    subject: head.binding_id,
    datacontenttype: 'application/json',
    hcptenant: head.tenant_id,
    hcpprincipal: head.principal.id,
    hcpprincipalkind: head.principal.kind,
    hcpbinding: head.binding_id,
    hcpland: head.land,
    hcpproject: head.project_id,
    hcppack: head.pack_id,
    hcpref: head.ref,
    hcproute: head.route,
    hcpsource: head.source_id,
    hcpevent: head.event_id,
    hcpdelivery: head.delivery_id,
    hcpreceivedat: head.received_at,
    hcprecordedat: head.recorded_at,
    hcpstate: head.state,
    hcptrust: head.trust,
  };
  const written = Object.entries(attributes).flatMap(([name, value]) =>
    value === null ? [] : [`"${name}":${JSON.stringify(attribute(value))}`],
  );
  return `{${written.join(',')},"data":${data}}`;
};

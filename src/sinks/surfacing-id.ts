/** `<record id>_<sink>`: no colon and never digits only, which queues refuse as job ids. */
export const surfacingId = (recordId: string, sink: string): string => `${recordId}_${sink}`;

/** Null where the text is no such id: it was not made by us. */
export const parseSurfacingId = (id: string): { recordId: string; sink: string } | null => {
  const [, recordId, sink] = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})_(.+)$/.exec(id) ?? [];
  return recordId === undefined || sink === undefined ? null : { recordId, sink };
};

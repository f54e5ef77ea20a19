import { expect, test } from 'vitest';
import { createMetrics } from '../../src/observe/create-metrics.ts';

test('items that did not prove themselves are counted by source; a source that never had one has no series', async () => {
  const metrics = createMetrics({ depth: async () => [], packs: new Set() });
  metrics.onDelivery({ source: 'bus', status: 202, code: null });
  metrics.onDelivery({ source: 'hook', status: 202, code: null, unproven: 0 });
  metrics.onDelivery({ source: 'graph', status: 202, code: null, unproven: 2 });
  metrics.onDelivery({ source: 'graph', status: 202, code: null, unproven: 1 });
  const text = await metrics.registry.getSingleMetricAsString('hcp_sense_unproven_items_total');
  expect(text.split('\n').filter((line) => !line.startsWith('#'))).toEqual([
    'hcp_sense_unproven_items_total{source="graph"} 3',
  ]);
});

import { v7 as uuidv7 } from 'uuid';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sink } from '../../src/sinks/sink.ts';
import type { SurfacedRecord } from '../../src/store/read-surfacings.ts';

export type OpenSink = {
  sink: Sink;
  /** What whoever reads the sink finds there now, as JSON values that hold a `record_id`. */
  taken(): Promise<{ record_id: string }[]>;
  close(): Promise<unknown>;
};

const surfacedRecord = (over: Partial<SurfacedRecord> = {}): SurfacedRecord => ({
  record_id: uuidv7(),
  tenant_id: 'acme',
  principal: { id: 'user_42', kind: 'human' },
  binding_id: 'bnd_1',
  land: 'personal',
  project_id: null,
  pack_id: 'mail',
  ref: 'new_item',
  route: 'inbox',
  recorded_at: '2026-01-01T00:00:00.000Z',
  ...over,
});

/** What every sink must pass (S22). A sink that is not run through this does not ship. */
export const describeSink = (name: string, open: () => Promise<OpenSink>): void => {
  describe(`sink ${name}`, () => {
    let opened: OpenSink;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    it('S22: takes every record, and has it when surface returns', async () => {
      const records = Array.from({ length: 25 }, () => surfacedRecord());
      await opened.sink.surface(records);
      const ids = (await opened.taken()).map(({ record_id }) => record_id);
      expect(ids.sort()).toEqual(records.map(({ record_id }) => record_id).sort());
    });

    it('makes one of a record that is surfaced twice, in one call after another and at the same time', async () => {
      const [one, two, three] = [surfacedRecord(), surfacedRecord(), surfacedRecord()];
      await opened.sink.surface([one, two]);
      await opened.sink.surface([two, three]);
      await Promise.all([opened.sink.surface([one, three]), opened.sink.surface([three, one])]);
      const ids = (await opened.taken()).map(({ record_id }) => record_id);
      expect(ids.sort()).toEqual([one, two, three].map(({ record_id }) => record_id).sort());
    });

    it('S14: says whose each record is', async () => {
      const record = surfacedRecord({
        land: 'brain',
        project_id: 'apollo',
        binding_id: 'bnd_2',
        pack_id: 'issues',
      });
      await opened.sink.surface([record]);
      const [taken] = await opened.taken();
      const text = JSON.stringify(taken);
      for (const part of [
        record.record_id,
        'acme',
        'user_42',
        'bnd_2',
        'brain',
        'apollo',
        'issues',
        'new_item',
      ]) {
        expect(text).toContain(part);
      }
    });

    it('takes nothing when there is nothing', async () => {
      await opened.sink.surface([]);
      expect(await opened.taken()).toEqual([]);
    });

    it('has a name that ids and file names can carry', () => {
      expect(opened.sink.name).toMatch(/^[a-z][a-z0-9_]*$/);
    });
  });
};

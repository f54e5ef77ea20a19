-- Up Migration
-- Acknowledging names a lease, not records. Partial, so that recording pays nothing for it: a row enters when leased.
create index records_lease on sense.records (lease_id) where lease_id is not null;

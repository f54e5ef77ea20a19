-- Up Migration
-- What must still happen because of a record. Rows are committed with their record and offered to a queue afterwards;
-- the sweeper offers again what is still open, also after the queue lost everything (G4).

create table sense.wakes (
  wake_id       uuid primary key,
  wake_rule     text not null,
  record_id     uuid not null,
  tenant_id     text not null,
  principal_id  text not null,
  state         text not null default 'pending'
    check (state in ('pending', 'running', 'done', 'confirm_required', 'denied', 'failed', 'suppressed', 'coalesced')),
  due_at        timestamptz not null default now(),
  offered_at    timestamptz not null default now(),
  -- While running: until when the claim holds. A killed runner's wake is taken again after it, with the same keys.
  claimed_until timestamptz,
  attempts      int not null default 0,
  lead_wake_id  uuid,
  steps         json not null default '[]',
  created_at    timestamptz not null default now(),
  started_at    timestamptz,
  finished_at   timestamptz
) with (fillfactor = 80);
create index wakes_record on sense.wakes (record_id);
create index wakes_open on sense.wakes (due_at) where state in ('pending', 'running');
create index wakes_budget on sense.wakes (wake_rule, principal_id, started_at) where started_at is not null;
create index wakes_coalesce on sense.wakes (wake_rule, principal_id) where state = 'pending';

create table sense.surfacings (
  record_id  uuid not null,
  sink       text not null,
  offered_at timestamptz not null default now(),
  primary key (record_id, sink)
);
create index surfacings_offered on sense.surfacings (offered_at);

-- A real write for readiness.
create table sense.heartbeats (
  writer text primary key,
  at     timestamptz not null
);

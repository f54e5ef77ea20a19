-- Up Migration
-- What became of every accepted announcement: a record, a drop, a duplicate of a record, or a dead letter (G2).

-- One row per committed batch: a job that runs again (stalled, killed after commit) finds it and changes nothing.
create table sense.batches (
  batch_id     uuid primary key,
  committed_at timestamptz not null default now()
);

create table sense.records (
  record_id      uuid primary key,
  tenant_id      text not null,
  principal_id   text not null,
  principal_kind text not null,
  binding_id     text not null,
  land           text not null check (land in ('personal', 'brain', 'local')),
  project_id     text,
  pack_id        text not null,
  ref            text not null,
  route          text not null check (route in ('inbox', 'silent')),
  source_id      text not null,
  event_id       text not null,
  event_hash     bytea not null,
  delivery_id    text not null,
  occurred_at    timestamptz,
  received_at    timestamptz not null,
  recorded_at    timestamptz not null default clock_timestamp(),
  state          text,
  -- json, not jsonb: the very characters that were sent (G9), NUL escapes and lone surrogates included.
  data           json not null,
  lease_id       uuid,
  leased_until   timestamptz,
  acked_at       timestamptz,
  check (land <> 'brain' or project_id is not null)
) with (fillfactor = 90);
-- The only judge of "seen before"; there is no other mark anywhere.
create unique index records_event on sense.records (binding_id, ref, event_hash);
create index records_inbox on sense.records (tenant_id, record_id) where route = 'inbox' and acked_at is null;
create index records_browse on sense.records (tenant_id, record_id);
create index records_delivery on sense.records (source_id, delivery_id);

create table sense.drops (
  drop_id      uuid primary key,
  source_id    text not null,
  delivery_id  text not null,
  pack_id      text not null,
  ref          text not null,
  event_id     text not null,
  binding_id   text,
  reason       text not null,
  rule         text not null,
  why          text not null,
  received_at  timestamptz not null,
  dropped_at   timestamptz not null default clock_timestamp()
);
create index drops_delivery on sense.drops (source_id, delivery_id);

create table sense.duplicates (
  duplicate_id uuid primary key,
  source_id    text not null,
  delivery_id  text not null,
  record_id    uuid not null,
  same_payload boolean not null,
  received_at  timestamptz not null,
  seen_at      timestamptz not null default clock_timestamp()
);
create index duplicates_delivery on sense.duplicates (source_id, delivery_id);

create table sense.dead_letters (
  dead_letter_id uuid primary key,
  source_id      text not null,
  delivery_id    text not null,
  pack_id        text not null,
  ref            text not null,
  event_id       text not null,
  reason         text not null,
  -- The whole announcement as JSON text, so that replay loses nothing.
  announcement   text not null,
  received_at    timestamptz not null,
  died_at        timestamptz not null default clock_timestamp()
);
create index dead_letters_delivery on sense.dead_letters (source_id, delivery_id);

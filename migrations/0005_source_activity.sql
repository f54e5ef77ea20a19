-- Up Migration
-- When each source last brought something, so that one that fell silent shows, also over restarts.

create table sense.source_activity (
  source_id   text primary key,
  -- Since when it is watched: what never brought anything is silent from here on.
  since       timestamptz not null default now(),
  accepted_at timestamptz
) with (fillfactor = 50);

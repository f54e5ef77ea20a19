-- Up Migration
-- Who exists, what is theirs and what they allowed. Read by every recording transaction under the directory lock
-- (docs/decisions/0003-directory-lock.md), so a change here is linearizable with recording (G3).

create table sense.principals (
  principal_id text primary key,
  tenant_id    text not null,
  kind         text not null,
  projects     text[] not null default '{}',
  updated_at   timestamptz not null default now()
);

create table sense.bindings (
  binding_id   text primary key,
  pack_id      text not null,
  principal_id text not null references sense.principals,
  account      text,
  mode         text not null check (mode in ('user', 'mothership', 'local')),
  project_id   text,
  updated_at   timestamptz not null default now()
);
create index bindings_account on sense.bindings (pack_id, account);
create index bindings_principal on sense.bindings (principal_id);

create table sense.grants (
  grant_id     text primary key,
  principal_id text not null references sense.principals on delete cascade,
  capability   text check (capability in ('verb.exec.read', 'verb.exec.write', 'pack.connect', 'sense.enable')),
  pack_id      text,
  verb_keys    text[],
  -- An elevation (S36) is not a capability of the protocol: it names the mothership Binding that the Principal may reach.
  elevation    text references sense.bindings on delete cascade,
  updated_at   timestamptz not null default now(),
  check ((capability is not null and pack_id is not null and elevation is null)
      or (capability is null and pack_id is null and verb_keys is null and elevation is not null)),
  check (verb_keys is null or capability in ('verb.exec.read', 'verb.exec.write'))
);
create index grants_principal on sense.grants (principal_id, capability, pack_id);
create index grants_elevation on sense.grants (elevation) where elevation is not null;

create table sense.activation (
  pack_id    text primary key,
  sense      text not null check (sense in ('on', 'off')),
  updated_at timestamptz not null default now()
);

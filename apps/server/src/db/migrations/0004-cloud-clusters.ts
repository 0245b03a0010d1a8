/** Clusters that are made in clouds: what was chosen, what is planned, what exists, and what was left behind. */
export const cloudClusters = `
alter table clusters
  add column stack_id text,
  add column info jsonb not null default '{}',
  -- The nodes that are to be up, by name.
  add column up_nodes jsonb not null default '[]',
  -- What exists: machines and disks with the cloud's ids. Null when nothing does.
  add column deployed jsonb,
  add column plan jsonb,
  -- The passphrase of the engine's state, and the keys that the machines share.
  add column sealed_secrets text,
  -- How far the engine's events were read.
  add column engine_position bigint not null default 0,
  -- The engine was killed and may have made things that it did not write down.
  add column engine_died boolean not null default false,
  add column burst_paused text,
  add column fast_restore jsonb not null default '[]',
  -- The cloud's ids of disks that people kept when they destroyed it.
  add column kept_ids jsonb not null default '[]';

alter table cluster_runs
  add column input jsonb not null default '{}',
  add column from_state text,
  add column cancel_asked boolean not null default false;

-- What has our tag in a cloud and belongs to no cluster that is deployed.
create table leftovers (
  key text primary key,
  provider text not null,
  credential_id text not null,
  region text not null,
  cluster_id text,
  resource jsonb not null,
  found_at timestamptz not null
);
create table leftover_searches (
  credential_id text primary key,
  searched_at timestamptz not null,
  failure text
);
`

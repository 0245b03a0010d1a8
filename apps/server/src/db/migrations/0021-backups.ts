/** Backups that the server makes by itself or on request, and the key of access tokens, which outlives the master key. */
export const backups = `
alter table site_settings
  -- The settings of the daily backup; what is missing has its default.
  add column backup jsonb not null default '{}',
  -- The key of the hashes of access tokens, since the master key was rotated; before, it is made from that.
  add column sealed_token_key text;

create table backup_runs (
  id text primary key,
  kind text not null check (kind in ('daily', 'manual')),
  actor_id text,
  actor text,
  began_at timestamptz not null,
  ended_at timestamptz,
  file text not null,
  progress jsonb,
  bytes bigint,
  encrypted boolean,
  skipped int,
  cause text
);
create unique index backup_runs_in_progress on backup_runs ((true)) where ended_at is null;
create index backup_runs_newest on backup_runs (began_at desc);
`

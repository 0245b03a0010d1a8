/**
 * The audit trail says more, cannot be changed, and shows when it was changed all the same: every record is signed by the server
 * that wrote it, and chained to the one before it a moment later. Records from before have no signature; they are the
 * ones up to `unsigned_until`, and the first server that starts chains them as they are.
 */
export const audit = `
alter table activities
  add column subject_kind text,
  add column subject_id text,
  add column changes text,
  add column address text,
  add column session_id text,
  add column token_id text,
  add column entry text,
  add column signature text;
-- A record that is copied, signature and all, is refused.
create unique index activities_by_entry on activities (entry);
create index activities_newest on activities (time desc, id desc);
create index activities_by_actor on activities (actor, time desc, id desc);
create index activities_by_action on activities (action, time desc, id desc);
create index activities_by_subject on activities (subject, time desc, id desc);
create index activities_by_subject_id on activities (subject_id, time desc, id desc) where subject_id is not null;

create table audit_chain (
  position bigint primary key,
  activity_id bigint not null unique,
  hash text not null
);

-- The end of the chain, and what the last verification found. The signature is of position, hash and unsigned_until.
create table audit_state (
  only_row boolean primary key default true check (only_row),
  sealed_key text,
  unsigned_until bigint not null,
  position bigint not null default 0,
  hash text not null default '',
  signature text,
  checked_at timestamptz,
  checked_records bigint not null default 0,
  problem jsonb
);
insert into audit_state (unsigned_until) select coalesce(max(id), 0) from activities;

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'The audit trail can only be added to: % of % is refused', lower(tg_op), tg_table_name
    using errcode = 'insufficient_privilege';
end $$;
create trigger activities_append_only before update or delete or truncate on activities
  for each statement execute function refuse_audit_change();
create trigger audit_chain_append_only before update or delete or truncate on audit_chain
  for each statement execute function refuse_audit_change();
revoke update, delete, truncate on activities, audit_chain from public, current_user;
`

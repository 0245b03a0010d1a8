/** People, their sessions and one-time secrets, the audit trail, and the site's settings. */
export const people = `
create table users (
  id text primary key,
  username text not null unique,
  first_name text not null,
  last_name text not null,
  email text not null,
  password_hash text,
  role text[] not null check (cardinality(role) > 0),
  verified boolean not null,
  participant_email text,
  session_code text,
  end_time timestamptz,
  providers text[],
  auth_type text not null default 'local',
  preferences jsonb not null default '{}',
  created_at timestamptz not null,
  last_login_at timestamptz
);
create unique index users_by_email on users (email) where email <> '';
create index users_newest on users (created_at desc, id desc);

create table sessions (
  id text primary key,
  user_id text not null references users on delete cascade,
  created_at timestamptz not null,
  last_active_at timestamptz not null,
  expires_at timestamptz not null,
  address text not null,
  browser text not null
);
create index sessions_of_user on sessions (user_id);
create index sessions_by_expiry on sessions (expires_at);

-- Recovery tokens, verification codes and invitations: only their hashes are kept.
create table one_time_secrets (
  id text primary key,
  user_id text not null references users on delete cascade,
  purpose text not null check (purpose in ('reset', 'verify', 'invitation')),
  hash text not null,
  attempts int not null default 0,
  expires_at timestamptz not null
);
create index one_time_secrets_of_user on one_time_secrets (user_id, purpose);
create index one_time_secrets_by_hash on one_time_secrets (hash);

create table attempts (
  key text primary key,
  count int not null,
  window_ends_at timestamptz not null
);

create table user_ssh_keys (
  user_id text primary key references users on delete cascade,
  public_key text not null,
  sealed_private_key text not null,
  created_at timestamptz not null
);

-- The actor and the subject are kept as text too: the trail outlives the people and things it speaks of.
create table activities (
  id bigint generated always as identity primary key,
  time timestamptz not null,
  actor_id text,
  actor text,
  action text not null,
  subject text not null,
  detail text not null,
  request_id text
);
create index activities_of_actor on activities (actor_id, id desc);

create table ldap_servers (
  id text primary key,
  name text not null,
  active boolean not null,
  settings jsonb not null default '{}',
  created_at timestamptz not null
);

create table site_settings (
  only_row boolean primary key default true check (only_row),
  vnc_token_authentication boolean not null default true,
  vnc_remote_client boolean not null default false
);
insert into site_settings default values;

-- Whatever ends a session or changes a person tells every server at once, whoever wrote it.
create function tell_identity_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('flotilla', json_build_object(
    'kind', 'identity',
    'userId', case tg_table_name when 'users' then to_jsonb(old)->>'id' else to_jsonb(old)->>'user_id' end
  )::text);
  return null;
end $$;
create trigger sessions_ended after delete on sessions for each row execute function tell_identity_changed();
create trigger users_changed after update of role, end_time, verified, username or delete on users
  for each row execute function tell_identity_changed();
`

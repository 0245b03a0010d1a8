/** Interactive programs on clusters, their running sessions, and the tickets that open one. */
export const apps = `
create table apps (
  id text primary key,
  owner_id text not null references users,
  name text not null,
  data jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- A session is a job, whose first submission has its state.
create table app_sessions (
  id text primary key,
  job_id text not null unique references jobs on delete cascade,
  owner_id text not null references users on delete cascade,
  -- The app as it was when it was started: it may have been changed or deleted since.
  app_id text not null,
  app_name text not null,
  icon text not null,
  ready jsonb not null,
  allowed_roles text[] not null,
  -- The wall time in seconds, with every extension.
  limit_s int not null,
  created_at timestamptz not null,
  ready_at timestamptz,
  -- When everyone was notified of its end.
  closed_at timestamptz
);
create index app_sessions_of_owner on app_sessions (owner_id, created_at desc);
create index app_sessions_open on app_sessions (id) where closed_at is null;

create table app_session_collaborators (
  session_id text not null references app_sessions on delete cascade,
  user_id text not null references users on delete cascade,
  primary key (session_id, user_id)
);
create index app_session_collaborators_by_user on app_session_collaborators (user_id);

create table app_tickets (
  hash text primary key,
  session_id text not null references app_sessions on delete cascade,
  user_id text not null references users on delete cascade,
  -- The login that it was made in.
  login_id text not null references sessions on delete cascade,
  -- The console's address in that browser.
  origin text not null,
  expires_at timestamptz not null
);
`

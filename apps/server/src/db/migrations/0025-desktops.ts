/**
 * Desktops on clusters. A row outlives the process that started it: it is removed when the desktop is known to have ended, so
 * that none is forgotten on a cluster. At most one for each person and cluster.
 */
export const desktops = `
create table desktops (
  id text primary key,
  cluster_id text not null references clusters (id) on delete cascade,
  -- Null once the person was removed: the sweep ends what is left of it.
  user_id text references users (id) on delete set null,
  state text not null check (state in ('starting', 'running', 'ending')),
  sealed_password text not null,
  -- The id of its job, where it runs as one.
  job text,
  -- Where it is on the cluster, once it was started there.
  account text,
  socket text,
  created_at timestamptz not null,
  last_activity_at timestamptz not null,
  last_seen_at timestamptz not null,
  unique (cluster_id, user_id)
);
create index desktops_user on desktops (user_id);

-- Connections that are open now; a server refreshes its own, and what it left behind when it died is swept.
create table desktop_viewers (
  id text primary key,
  desktop_id text not null references desktops (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  mode text not null check (mode in ('control', 'view')),
  since timestamptz not null,
  seen_at timestamptz not null
);
create index desktop_viewers_desktop on desktop_viewers (desktop_id);

create table desktop_tickets (
  hash text primary key,
  desktop_id text not null references desktops (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  session_id text not null references sessions (id) on delete cascade,
  mode text not null check (mode in ('control', 'view')),
  expires_at timestamptz not null
);
`

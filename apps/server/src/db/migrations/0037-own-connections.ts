/** Whose own connection to a cluster works, and when it was last used or its queue looked at. */
export const ownConnections = `
create table cluster_connections (
  cluster_id text not null references clusters on delete cascade,
  user_id text not null references users on delete cascade,
  used_at timestamptz not null,
  primary key (cluster_id, user_id)
);
create index on cluster_connections (user_id);
`

/** What nodes that come and go by themselves need to remember, and the keys of each cluster's VPN. */
export const burstVpn = `
-- Failures before this do not count any more: somebody changed the burst mode.
alter table clusters add column burst_reset_at timestamptz;

create table cluster_vpn (
  cluster_id text primary key references clusters on delete cascade,
  -- The authority, the server's certificate and the keys of both.
  sealed text not null,
  -- The serial number of the last certificate.
  last_serial int not null,
  -- The mark of the configuration that the head node has.
  installed text
);
create table cluster_vpn_clients (
  cluster_id text not null references cluster_vpn on delete cascade,
  serial int not null,
  -- Whose it is; null when they were removed.
  user_id text references users on delete set null,
  sealed text not null,
  made_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  primary key (cluster_id, serial)
);
create index on cluster_vpn_clients (user_id);
`

/** What an admin decided about an attached cluster, and who agreed to have their account used on it. */
export const clusterTrust = `
alter table clusters
  -- An admin saved the paths that are put in front of everyone's PATH; otherwise they are not used.
  add column paths_confirmed boolean not null default false,
  -- An admin saved this address of the head node; it may be a private one.
  add column private_address_allowed boolean not null default false;
-- What other people chose before waits for an admin.
update clusters c set paths_confirmed = true, private_address_allowed = true
  from users u where u.id = c.owner_id and 'admin' = any(u.role);
-- Only admins ever attached this machine.
update clusters set paths_confirmed = true where provider = 'local' and data->>'transport' = 'local';

-- Collaborators who agreed to have their account used on a cluster of someone who is not an admin.
create table cluster_acceptances (
  cluster_id text not null references clusters on delete cascade,
  user_id text not null references users on delete cascade,
  -- A digest of the connection as it was then.
  connection text not null,
  accepted_at timestamptz not null,
  primary key (cluster_id, user_id)
);
create index on cluster_acceptances (user_id);
`

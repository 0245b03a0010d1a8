/** What is to be taken back from people and clouds: accounts and keys, and where things of ours may be. */
export const withdrawn = `
-- The accounts of people that the console made on the machines of a cluster.
create table cluster_accounts (
  cluster_id text not null references clusters on delete cascade,
  name text not null,
  -- Whose it is; null when they were removed.
  user_id text references users on delete set null,
  uid int not null,
  there boolean not null default true,
  -- How often it was made, and how often removed.
  makings int not null default 1,
  removals int not null default 0,
  primary key (cluster_id, name)
);
create index on cluster_accounts (user_id);
-- Who has one was not written down before. To remove one that never was does nothing.
insert into cluster_accounts (cluster_id, name, user_id, uid)
  select distinct on (c.id, left(lower(u.username), 32)) c.id, left(lower(u.username), 32), u.id, a.uid
  from clusters c, local_accounts a join users u on u.id = a.user_id
  where c.provider <> 'local' and c.deployed is not null
  order by c.id, left(lower(u.username), 32), a.uid;

alter table cluster_vpn
  -- Where the VPN leads, as the head node was told.
  add column networks jsonb;

alter table clusters
  add column sealed_activation_key text,
  -- Counts the times that disks were kept: their names are taken from then on.
  add column name_round int not null default 0;
update clusters set name_round = 1 where kept_ids <> '[]' and deployed is null;

-- Every region that something was ever made in with a credential.
create table credential_regions (
  credential_id text not null references credentials on delete cascade,
  region text not null,
  primary key (credential_id, region)
);
insert into credential_regions (credential_id, region)
  select k.credential_id, k.region from (
    select credential_id, coalesce(data->'network'->>'region_id', '') as region from clusters where provider <> 'local'
    union select credential_id, coalesce(data->>'region_id', '') from stacks
    union select credential_id, region from leftovers
  ) k join credentials c on c.id = k.credential_id
  where k.region <> '' or c.provider = 'maas';
`

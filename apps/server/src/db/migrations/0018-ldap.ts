/** LDAP servers with their passwords, the accounts that come from them, and clusters shared with people and groups of them. */
export const ldap = `
alter table ldap_servers add column sealed_password text;

create table ldap_accounts (
  user_id text primary key references users on delete cascade,
  -- Null once the server was deleted: another one that has the same entry takes the account over.
  server_id text references ldap_servers on delete set null,
  -- What they typed at the last login: the periodic check looks them up the same way.
  login text not null,
  dn text not null,
  -- The DN in a form that can be compared.
  dn_key text not null,
  -- What stays the same when the entry is renamed, and is never used again for someone else; null where a directory has no such thing.
  entry_id text,
  -- The groups as they were last seen, as comparable DNs.
  groups text[] not null,
  -- When the directory was found to have removed or disabled the entry, and the account's own end before that.
  suspended_at timestamptz,
  end_time_before timestamptz
);
create index on ldap_accounts (server_id, dn_key);

create table cluster_ldap_collaborators (
  cluster_id text not null references clusters on delete cascade,
  server_id text not null references ldap_servers on delete cascade,
  dn_key text not null,
  dn text not null,
  kind text not null check (kind in ('person', 'group')),
  name text not null,
  primary key (cluster_id, server_id, dn_key)
);
create index on cluster_ldap_collaborators (server_id, dn_key);
`

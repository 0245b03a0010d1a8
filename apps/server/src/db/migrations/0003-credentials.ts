/** Keys of clouds. What is secret in them is only in `sealed_data`, under the master key. */
export const credentials = `
create table credentials (
  id text primary key,
  owner_id text not null references users,
  name text not null,
  description text not null,
  provider text not null,
  sealed_data text not null,
  last_test jsonb,
  last_used_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index credentials_newest on credentials (created_at desc, id desc);
create index credentials_of_owner on credentials (owner_id);

create table credential_collaborators (
  credential_id text not null references credentials on delete cascade,
  user_id text not null references users on delete cascade,
  primary key (credential_id, user_id)
);
create index credential_collaborators_of_user on credential_collaborators (user_id);

-- Nothing may be left without the key that it was made with: a credential that is in use cannot go, whatever happens at once.
alter table clusters add foreign key (credential_id) references credentials;
create index clusters_of_credential on clusters (credential_id) where credential_id is not null;
`

/** What scripts say who they are with. Only the hash of each is kept. */
export const accessTokens = `
create table access_tokens (
  id text primary key,
  user_id text not null references users on delete cascade,
  name text not null,
  scope text not null check (scope in ('read', 'jobs', 'all')),
  hash text not null unique,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_used_at timestamptz,
  last_used_address text
);
create index access_tokens_of_user on access_tokens (user_id);
`

/** From where people log in: they go ahead of strangers there. */
export const loginNetworks = `
create table login_networks (
  user_id text not null references users on delete cascade,
  network text not null,
  last_login_at timestamptz not null,
  primary key (user_id, network)
);
`

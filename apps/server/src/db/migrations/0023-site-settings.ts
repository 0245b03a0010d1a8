/** What admins choose in Settings: the fields of config.json, the logo, the mail server, the license and two-step rules. */
export const siteSettings = `
alter table site_settings
  -- In the shape of config.json; what is missing has its default.
  add column config jsonb not null default '{}',
  add column intro_html text,
  add column mail jsonb,
  add column sealed_mail_password text,
  add column license jsonb;

create table site_logo (
  only_row boolean primary key default true check (only_row),
  -- Its address has it too, so that a browser never shows an older one.
  name text not null,
  type text not null,
  bytes bytea not null
);

create table two_step_settings (
  id text primary key,
  name text not null,
  enabled boolean not null,
  email_domains text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
`

/**
 * Which self-registered people an admin has approved for this machine. A person who got another role from an admin
 * was approved with it.
 */
export const approval = `
alter table users add column approved_at timestamptz;
alter table users add column approved_by text;
update users set approved_at = now() where registered and not role <@ array['user'];
create index users_unapproved on users (id) where registered and approved_at is null;

-- Terminals end at once when an approval is revoked, on every server.
create trigger users_approval_changed after update of approved_at on users
  for each row execute function tell_identity_changed();
`

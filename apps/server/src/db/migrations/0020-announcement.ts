/** What an admin tells everyone until its end time. */
export const announcement = `
alter table site_settings add column announcement jsonb;
-- The dashboard of an installation with a million submissions looks for the few that wait.
create index submissions_blocked on submissions (submitted_at) where state = 'blocked';
`

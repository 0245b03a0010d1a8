/** What admins decided about the site's protection; what is missing has its default. */
export const securitySettings = `
alter table site_settings add column security jsonb not null default '{}';
`

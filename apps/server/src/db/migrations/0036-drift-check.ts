/** Whether running clusters are compared with the cloud once a day. */
export const driftCheck = `
alter table site_settings add drift_check boolean not null default false;
`

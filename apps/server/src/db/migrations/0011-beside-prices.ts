/** What a cloud says that disks and other things beside machines cost. */
export const besidePrices = `
alter table synced_sizes add column beside jsonb not null default '{"disks":{},"fastRestore":null}';
`

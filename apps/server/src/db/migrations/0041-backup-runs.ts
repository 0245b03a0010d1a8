/** The columns that every kind of run has. The subject of all backups is the same: they are made one at a time. */
export const backupRuns = `
alter table backup_runs
  add column site text not null default 'site',
  add column cancel_asked boolean not null default false;
`

/** Log lines carry a level. Lines of before had it as the first word of their text. */
export const logLevels = `
alter table cluster_logs add column level text not null default 'info' check (level in ('info', 'warning', 'error'));
alter table stack_logs add column level text not null default 'info' check (level in ('info', 'warning', 'error'));
update cluster_logs set level = 'warning', text = substr(text, 7) where text like 'warn: %';
update cluster_logs set level = 'error', text = substr(text, 8) where text like 'error: %';
update cluster_logs set level = 'error' where text like 'Failed: %';
update stack_logs set level = 'error' where text like 'Failed: %' or text like 'Build ''%'' errored%';
`

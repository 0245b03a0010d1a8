/** Why the console does not see everyone's jobs on an attached cluster. */
export const hiddenJobs = `
alter table clusters add hidden_jobs text;
`

/** The states of an array's tasks: a letter for each, in numeric order (modules/jobs/tasks.ts). */
export const arrayTasks = `
alter table submissions add column tasks text;
`

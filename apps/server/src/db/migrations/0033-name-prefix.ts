/** What the names of a deployed cluster's resources begin with, whatever it is called since. */
export const namePrefix = `
alter table clusters add name_prefix text;
`

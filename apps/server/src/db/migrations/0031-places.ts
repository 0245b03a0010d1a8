/** Folders beside the home that the File Manager offers on a cluster. */
export const places = `
alter table clusters add places text[] not null default '{}';
`

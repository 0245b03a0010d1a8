/** Who made their account themselves: nobody has said yet that they are who their name says. */
export const registered = `
alter table users add column registered boolean not null default false;
`

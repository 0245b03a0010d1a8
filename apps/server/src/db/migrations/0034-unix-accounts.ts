/** The account that a person has on clusters the console did not create, if it is not named like the person. */
export const unixAccounts = `
alter table users add unix_account text unique;
`
